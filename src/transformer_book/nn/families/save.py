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
from .families import architecture_of, family_of
from .load import INDEX, WHOLE, as_theirs
from .model import Model

# Other files in which a folder may hold the same weights.
ELSEWHERE = (
    INDEX,
    "model-*-of-*.safetensors",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "pytorch_model-*-of-*.bin",
)


def save(folder: str | os.PathLike, model: Model, config: Mapping) -> None:
    """Write a model as its family's own library would: ``config.json`` and ``model.safetensors``.

    Weights that the folder has in other files are replaced too: those are removed. Where config tells
    a precision, the file tells that of the model.

    Parameters
    ----------
    folder : path-like
        Is made if need be.
    model : Model
        Perhaps adapted, whose sums are written then, or compiled.
    config : mapping
        The fields of a config.json; ``architecture_of(config)`` is the model's architecture.

    Raises
    ------
    ConfigError
        If it is another one, or cannot be written as JSON.
    StorageError
        If the model is none of this module, its weights are not those of its architecture, or a file
        cannot be written. What was there before stays.
    """
    folder, family, model = Path(folder), family_of(config), weights.plain(model)
    if not isinstance(model, Model):
        raise StorageError(
            f"families.save: the model is of {type(model)}; expected a families.Model. "
            "Write a Transformer or a LanguageModel with nn.save_weights."
        )
    if differences := model.architecture.differences(architecture_of(config)):
        name, (given, expected) = next(iter(differences.items()))
        raise ConfigError(
            f"save: the model's {name} is {given!r}, and config says {expected!r}; expected the same. "
            "Make the model with architecture_of(config)."
        )
    weights.check_configured(folder / WHOLE, model, Model, model.architecture)
    tensors = {
        name: weights.rounded(folder / WHOLE, name, W, W.dtype)
        for name, W in as_theirs(model, family).items()
    }
    _write(folder, _described(config, tensors), to_bytes(tensors, {"format": "pt"}))


def _described(config, tensors):
    """Return a config.json in which the precision is that of the weights."""
    (*_, W) = tensors.values()
    told = {"dtype", "torch_dtype"} & config.keys()
    own = dict.fromkeys(told, str(W.dtype).removeprefix("torch."))
    try:
        return json.dumps(dict(config) | own, default=_number).encode()
    except TypeError as error:
        raise ConfigError(
            f"families.save: config cannot be written as JSON: {error}. Expected the fields of a "
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
