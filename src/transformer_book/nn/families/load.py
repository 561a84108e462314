"""A checkpoint that others wrote, read into this book's module."""

import json
import os
from pathlib import Path

import torch

from ... import storage
from ...expect import expect
from ...options import ConfigError
from ...storage import StorageError
from .. import weights
from ..models import Model, model_of
from .families import config_of, family_of
from .maps import are_one, set_weights, used

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
GENERATION = "generation_config.json"
_EMBEDDING = {
    "decoder-only": "embedding",
    "encoder-only": "embedding",
    "encoder-decoder": "source_embedding",
}
# Which matrices are one where the output layer is not the embedding.
_APART = {
    "decoder-only": "none",
    "encoder-only": "none",
    "encoder-decoder": "embeddings",
}


def load(path: str | os.PathLike, dtype: torch.dtype = torch.float32) -> Model:
    """Return the model of a checkpoint of one of the families, in evaluation mode.

    Parameters
    ----------
    path : path-like
        The folder with ``config.json`` and ``model.safetensors``, or with the parts that
        ``model.safetensors.index.json`` names; or one safetensors file beside its ``config.json``. Of
        ``generation_config.json`` only the ids that end a text are read: how to draw is the caller's choice.
    dtype : torch.dtype
        What the weights are converted to: float64, float32, float16 or bfloat16.

    Returns
    -------
    LanguageModel, Transformer or Encoder

    Raises
    ------
    ConfigError
        If config.json names a family, asks for a choice, or has a field, that this book does not know,
        or dtype is none of those.
    StorageError
        If the folder or a file is missing or no safetensors file, or a weight is missing, surplus, of
        another shape, quantised, or too large for the dtype.
    """
    expected = " or ".join(map(str, weights.FLOATS))
    given = f"dtype is {dtype!r}"
    expect(dtype in weights.FLOATS, ConfigError, "families.load", given, expected)
    path = Path(path)
    if not path.exists():
        raise StorageError(
            f"There is no folder or file {path}; expected a folder with config.json and {WHOLE}, or "
            "one such file beside its config.json. Nothing is downloaded here: get the files first, "
            "and say where they are."
        )
    folder = path if path.is_dir() else path.parent
    fields = _json(folder / "config.json") | _ends(folder / GENERATION)
    family, config = family_of(fields), config_of(fields)
    tensors = used(family, _tensors(path))
    output = family.names["output"]
    if config.output == "words" and config.share == "all" and output in tensors:
        if are_one(tensors, output, family.names[_EMBEDDING[config.kind]]):
            del tensors[output]
        else:
            # As transformers does: two that differ are two, whatever config.json says.
            config = config.changed(share=_APART[config.kind])
    if config.share == _APART[config.kind] and family.tied and output not in tensors:
        config = config.changed(share="all")
    model = model_of(config).to(dtype).eval()
    set_weights(model, family, tensors, path)
    return model


def _ends(path):
    """Return the ids that end a text where a file of their own says them, as it then counts."""
    ends = _json(path).get("eos_token_id") if path.is_file() else None
    return {} if ends is None else {"eos_token_id": ends}


def _tensors(path):
    """Return all tensors of a checkpoint: of a file, or of the folder's only one, or of its parts.

    Where a folder has both, the one file counts, as in transformers.
    """
    if not path.is_dir():
        return storage.contents(path, "pt")[0]
    if (path / WHOLE).is_file() or not (path / INDEX).is_file():
        pickled = sorted(path.glob("*.bin")) + sorted(path.glob("*.pt*"))
        if pickled and not (path / WHOLE).is_file():
            raise StorageError(
                f"{path} has {pickled[0].name}; expected {WHOLE} or {INDEX}. A pickle runs whatever "
                "code it holds, so it is not read. Get the safetensors file of this model."
            )
        return storage.contents(path / WHOLE, "pt")[0]
    tensors, index = {}, _json(path / INDEX).get("weight_map")
    if not isinstance(index, dict) or not all(
        isinstance(p, str) for p in index.values()
    ):
        raise StorageError(
            f"{path / INDEX} has no weight_map that names a file for each weight; expected one. "
            "Get the index of this checkpoint."
        )
    for part in sorted(set(index.values())):
        there = storage.contents(path / part, "pt")[0]
        told = {name for name, where in index.items() if where == part}
        if told != there.keys():
            name = min(told ^ there.keys())
            where = index.get(name, "none of its files")
            raise StorageError(
                f"{path}: {name} stands in only one of {INDEX} and the files that it names; expected "
                f"it in both. The index says it is in {where}. Get the parts of one checkpoint."
            )
        tensors |= there
    return tensors


def _json(path):
    try:
        read = json.loads(path.read_text("utf-8"))
    except OSError:
        raise StorageError(
            f"There is no file {path}; expected it beside the weights: it says of which model they "
            "are. Get it from where the weights are from."
        ) from None
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}. Get it again.") from error
    if not isinstance(read, dict):
        raise ConfigError(f"{path} holds {type(read).__name__}; expected named fields.")
    return read
