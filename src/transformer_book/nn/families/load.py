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
from ..models import Model, model_from_config
from .families import config_of, family_of
from .maps import equals_or_becomes_original, set_weights, used_weights_without_prefix

WEIGHTS_FILE, INDEX_FILE = "model.safetensors", "model.safetensors.index.json"
GENERATION_FILE = "generation_config.json"
_EMBEDDING_NAME_BY_KIND = {
    "decoder-only": "embedding",
    "encoder-only": "embedding",
    "encoder-decoder": "source_embedding",
}
# ``share`` where the output layer is not the embedding.
_UNTIED_SHARE_BY_KIND = {
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
    actual, expected = (
        f"dtype is {dtype!r}",
        " or ".join(map(str, weights.FLOAT_DTYPES)),
    )
    who, remedy = "families.load", "Leave it out for torch.float32."
    expect(dtype in weights.FLOAT_DTYPES, ConfigError, who, actual, expected, remedy)
    path = Path(path)
    if not path.exists():
        raise StorageError(
            f"There is no folder or file {path}; expected a folder with config.json and {WEIGHTS_FILE}, or "
            "one such file beside its config.json. Nothing is downloaded here: get the files first, "
            "and say where they are."
        )
    folder = path if path.is_dir() else path.parent
    fields = _read_json(folder / "config.json") | _end_ids_field(
        folder / GENERATION_FILE
    )
    family, config = family_of(fields), config_of(fields)
    tensors = used_weights_without_prefix(family, _load_tensors(path))
    output = family.names["output"]
    if config.output == "words" and config.share == "all" and output in tensors:
        if equals_or_becomes_original(
            tensors, output, family.names[_EMBEDDING_NAME_BY_KIND[config.kind]]
        ):
            del tensors[output]
        else:
            # As transformers does: two that differ are two, whatever config.json says.
            config = config.changed(share=_UNTIED_SHARE_BY_KIND[config.kind])
    if (
        config.share == _UNTIED_SHARE_BY_KIND[config.kind]
        and family.tied
        and output not in tensors
    ):
        config = config.changed(share="all")
    model = model_from_config(config).to(dtype).eval()
    set_weights(model, family, tensors, path)
    return model


def _end_ids_field(path: Path) -> dict:
    """Return the field of the ids that end a text, where a second file has it, which then counts."""
    ids = _read_json(path).get("eos_token_id") if path.is_file() else None
    return {} if ids is None else {"eos_token_id": ids}


def _load_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Return all tensors of a checkpoint: of a file, or of the folder's only one, or of its parts.

    Where a folder has both, the one file counts, as in transformers.
    """
    if not path.is_dir():
        return storage.stored_tensors(path, "pt")[0]
    if (path / WEIGHTS_FILE).is_file() or not (path / INDEX_FILE).is_file():
        pickled = sorted(path.glob("*.bin")) + sorted(path.glob("*.pt*"))
        if pickled and not (path / WEIGHTS_FILE).is_file():
            raise StorageError(
                f"{path} has {pickled[0].name}; expected {WEIGHTS_FILE} or {INDEX_FILE}. A pickle "
                "runs whatever code it holds, so it is not read. Get the safetensors file of this model."
            )
        return storage.stored_tensors(path / WEIGHTS_FILE, "pt")[0]
    tensors, index = {}, _read_json(path / INDEX_FILE).get("weight_map")
    if not isinstance(index, dict) or not all(
        isinstance(p, str) for p in index.values()
    ):
        raise StorageError(
            f"{path / INDEX_FILE} has no weight_map that names a file for each weight; expected one. "
            "Get the index of this checkpoint."
        )
    for part in sorted(set(index.values())):
        in_part = storage.stored_tensors(path / part, "pt")[0]
        indexed = {name for name, where in index.items() if where == part}
        if indexed != in_part.keys():
            name = min(indexed ^ in_part.keys())
            where = index.get(name, "none of its files")
            raise StorageError(
                f"{path}: {name} stands in only one of {INDEX_FILE} and the files that it names; expected "
                f"it in both. The index says it is in {where}. Get the parts of one checkpoint."
            )
        tensors |= in_part
    return tensors


def _read_json(path: Path) -> dict:
    try:
        fields = json.loads(path.read_text("utf-8"))
    except OSError:
        raise StorageError(
            f"There is no file {path}; expected it beside the weights: it says of which model they "
            "are. Get it from where the weights are from."
        ) from None
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}. Get it again.") from error
    if not isinstance(fields, dict):
        kind = type(fields).__name__
        raise ConfigError(f"{path} holds {kind}; expected named fields.")
    return fields
