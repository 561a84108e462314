"""A checkpoint that others wrote, read into this book's module."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import save as to_bytes

from ... import storage
from ...options import ConfigError
from ...storage import StorageError
from ..models import Model, model_of
from .families import config_of, family_of
from .maps import as_theirs, set_weights, used

WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
_EMBEDDING = {
    "decoder-only": "embedding",
    "encoder-only": "embedding",
    "encoder-decoder": "source_embedding",
}


def load(path: str | os.PathLike, dtype: torch.dtype = torch.float32) -> Model:
    """Return the model of a checkpoint of one of the families, in evaluation mode.

    Parameters
    ----------
    path : path-like
        The folder with ``config.json`` and ``model.safetensors``, or with the parts that
        ``model.safetensors.index.json`` names; or one safetensors file beside its ``config.json``.
    dtype : torch.dtype
        What the weights are converted to.

    Returns
    -------
    LanguageModel, Transformer or Encoder

    Raises
    ------
    ConfigError
        If config.json names a family, asks for a choice, or has a field, that this book does not know.
    StorageError
        If the folder or a file is missing or no safetensors file, or a weight is missing, surplus or of
        another shape.
    """
    path = Path(path)
    if not path.exists():
        raise StorageError(
            f"There is no folder or file {path}; expected a folder with config.json and {WHOLE}, or "
            "one such file beside its config.json. Nothing is downloaded here: get the files first, "
            "and say where they are."
        )
    folder = path if path.is_dir() else path.parent
    fields = _json(folder / "config.json")
    family, config = family_of(fields), config_of(fields)
    tensors = used(family, _tensors(path))
    output = family.names["output"]
    if config.output == "words" and config.share == "all" and output in tensors:
        table = tensors.get(family.names[_EMBEDDING[config.kind]])
        if table is not None and torch.equal(tensors[output], table):
            del tensors[output]  # the same matrix, written twice
        else:
            # As transformers does: two that differ are two, whatever config.json says.
            encodes = config.kind == "encoder-decoder"
            config = config.changed(share="embeddings" if encodes else "none")
    model = model_of(config).to(dtype).eval()
    set_weights(model, family, tensors, path)
    return model


def save(folder: str | os.PathLike, model: Model, fields: Mapping) -> None:
    """Write a model as its family's own library would: ``config.json`` and ``model.safetensors``.

    Parameters
    ----------
    folder : path-like
        Is made if need be.
    model : LanguageModel, Transformer or Encoder
    fields : mapping
        Those of a config.json; ``config_of(fields)`` is the model's configuration.

    Raises
    ------
    ConfigError
        If it is another one.
    StorageError
        If a file cannot be written.
    """
    folder, family = Path(folder), family_of(fields)
    if differences := model.config.differences(config_of(fields)):
        name, (given, expected) = next(iter(differences.items()))
        raise ConfigError(
            f"save: the model's {name} is {given!r}, and config.json says {expected!r}; expected the "
            "same. Make the model with config_of(fields)."
        )
    tensors = {
        name: W.detach().cpu().contiguous()
        for name, W in as_theirs(model, family).items()
    }
    storage.write(folder / WHOLE, to_bytes(tensors, {"format": "pt"}))
    storage.write(folder / "config.json", json.dumps(dict(fields)).encode())


def _tensors(path):
    """Return all tensors of a checkpoint: of a file, or of the folder's only one, or of its parts."""
    if not path.is_dir():
        return storage.read(path, "pt")[0]
    if not (path / INDEX).is_file():
        pickled = sorted(path.glob("*.bin")) + sorted(path.glob("*.pt*"))
        if pickled and not (path / WHOLE).is_file():
            raise StorageError(
                f"{path} has {pickled[0].name}; expected {WHOLE} or {INDEX}. A pickle runs whatever "
                "code it holds, so it is not read. Get the safetensors file of this model."
            )
        return storage.read(path / WHOLE, "pt")[0]
    tensors, index = {}, _json(path / INDEX).get("weight_map", {})
    for part in sorted(set(index.values())):
        tensors |= storage.read(path / part, "pt")[0]
    if index.keys() != tensors.keys():
        name = min(index.keys() ^ tensors.keys())
        where = index.get(name, "none of its files")
        raise StorageError(
            f"{path}: {name} stands in only one of {INDEX} and the files that it names; expected it "
            f"in both. The index says it is in {where}. Get the parts of one checkpoint."
        )
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
