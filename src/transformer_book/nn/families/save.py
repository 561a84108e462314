"""A model in the files that its family's own library writes."""

import json
import os
from collections.abc import Mapping
from numbers import Real
from pathlib import Path

from safetensors.torch import save as to_bytes

from ... import storage
from ...options import ConfigError, as_python
from ...storage import StorageError
from .. import weights
from ..models import Model, model_of
from .families import config_of, family_of
from .load import INDEX, WHOLE
from .maps import as_theirs

# Other files in which a folder may hold the same weights.
ELSEWHERE = (
    INDEX,
    "model-*-of-*.safetensors",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "pytorch_model-*-of-*.bin",
)


def save(folder: str | os.PathLike, model: Model, fields: Mapping) -> None:
    """Write a model as its family's own library would: ``config.json`` and ``model.safetensors``.

    Weights that the folder has in other files are replaced too: those are removed. Where config.json
    tells a precision, it then tells that of the model.

    Parameters
    ----------
    folder : path-like
        Is made if need be.
    model : LanguageModel, Transformer or Encoder
        Perhaps adapted, whose sums are written then, or compiled.
    fields : mapping
        Those of a config.json; ``config_of(fields)`` is the model's configuration.

    Raises
    ------
    ConfigError
        If it is another one, or cannot be written as JSON.
    StorageError
        If the model is none of these, its weights are not those of its configuration, or a file
        cannot be written. What was there before stays.
    """
    folder, family, model = Path(folder), family_of(fields), weights.plain(model)
    if not isinstance(model, Model):
        raise StorageError(
            f"families.save: the model is of {type(model)}; expected a LanguageModel, a Transformer or "
            "an Encoder. Give the one that another module wraps."
        )
    if differences := model.config.differences(config_of(fields)):
        name, (given, expected) = next(iter(differences.items()))
        raise ConfigError(
            f"save: the model's {name} is {given!r}, and config.json says {expected!r}; expected the "
            "same. Make the model with config_of(fields)."
        )
    weights.check_configured(folder / WHOLE, model, model_of, model.config)
    tensors = {
        name: weights.rounded(folder / WHOLE, name, W, W.dtype)
        for name, W in as_theirs(model, family).items()
    }
    _write(folder, _described(fields, tensors), to_bytes(tensors, {"format": "pt"}))


def _described(fields, tensors):
    """Return a config.json in which the precision is that of the weights."""
    (*_, W) = tensors.values()
    told = {"dtype", "torch_dtype"} & fields.keys()
    own = dict.fromkeys(told, str(W.dtype).removeprefix("torch."))
    try:
        return json.dumps(dict(fields) | own, default=_number).encode()
    except TypeError as error:
        raise ConfigError(
            f"families.save: the fields cannot be written as JSON: {error}. Expected the fields of a "
            "config.json: numbers, words, lists and dictionaries of them."
        ) from error


def _number(value):
    if not isinstance(value, Real):
        raise TypeError(f"it holds a {type(value).__name__}")
    return as_python(value)


def _write(folder, config, data):
    """Put both files into a folder, or neither, and remove those that hold older weights."""
    path = folder / "config.json"
    before = path.read_bytes() if path.is_file() else None
    storage.write(path, config)
    try:
        storage.write(folder / WHOLE, data)
    except BaseException:
        if before is None:
            path.unlink()
        else:
            storage.write(path, before)
        raise
    for pattern in ELSEWHERE:
        for old in folder.glob(pattern):
            old.unlink()
