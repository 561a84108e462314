"""A model in the files that ``transformers`` writes."""

import json
import os
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors.torch import save as to_bytes

from ... import storage
from ...options import ConfigError, with_python_numbers
from ...storage import StorageError
from .. import weights
from ..models import Model, model_from_config
from .families import config_of, family_of
from .load import INDEX_FILE, WEIGHTS_FILE
from .maps import family_weights

if TYPE_CHECKING:
    from torch import Tensor

# Other files in which a folder may hold the same weights.
OTHER_WEIGHT_FILE_PATTERNS = (
    INDEX_FILE,
    "model-*-of-*.safetensors",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
    "pytorch_model-*-of-*.bin",
)


def save(folder: str | os.PathLike, model: Model, fields: Mapping) -> None:
    """Write a model as ``transformers`` does: ``config.json`` and ``model.safetensors``.

    Weights that the folder has in other files are replaced too: those are removed. Where config.json
    names a precision, it then names that of the model.

    Parameters
    ----------
    folder : path-like
        Is created if need be.
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
    folder, family, model = Path(folder), family_of(fields), weights.plain_model(model)
    if not isinstance(model, Model):
        raise StorageError(
            f"families.save: the model is of {type(model)}; expected a LanguageModel, a Transformer or "
            "an Encoder. Give the one that another module wraps."
        )
    if differences := model.config.differing_settings(config_of(fields)):
        name, (ours, theirs) = next(iter(differences.items()))
        raise ConfigError(
            f"save: the model's {name} is {ours!r}, and config.json says {theirs!r}; expected the "
            "same. Make the model with config_of(fields)."
        )
    weights.check_weights_match_config(
        folder / WEIGHTS_FILE, model, model_from_config, model.config
    )
    tensors = {
        name: weights.to_precision(folder / WEIGHTS_FILE, name, W, W.dtype)
        for name, W in family_weights(model, family).items()
    }
    _write_both_files(
        folder, _config_json(fields, tensors), to_bytes(tensors, {"format": "pt"})
    )


def _config_json(fields: Mapping, tensors: "dict[str, Tensor]") -> bytes:
    """Return a config.json in which the precision is that of the weights."""
    (*_, W) = tensors.values()
    dtype = str(W.dtype).removeprefix("torch.")
    precision = dict.fromkeys({"dtype", "torch_dtype"} & fields.keys(), dtype)
    try:
        return json.dumps(dict(fields) | precision, default=_as_python_number).encode()
    except TypeError as error:
        raise ConfigError(
            f"families.save: the fields cannot be written as JSON: {error}. Expected the fields of a "
            "config.json: numbers, words, lists and dictionaries of them."
        ) from error


def _as_python_number(value) -> int | float:
    if not isinstance(value, Real):
        raise TypeError(f"it holds a {type(value).__name__}")
    return with_python_numbers(value)


def _write_both_files(folder: Path, config_json: bytes, weights_file: bytes) -> None:
    """Put both files into a folder, or neither, and remove those that hold older weights."""
    path = folder / "config.json"
    before = path.read_bytes() if path.is_file() else None
    storage.write_file(path, config_json)
    try:
        storage.write_file(folder / WEIGHTS_FILE, weights_file)
    except BaseException:
        if before is None:
            path.unlink()
        else:
            storage.write_file(path, before)
        raise
    for pattern in OTHER_WEIGHT_FILE_PATTERNS:
        for old in folder.glob(pattern):
            old.unlink()
