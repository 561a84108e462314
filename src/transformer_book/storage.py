"""Tensors on disk: safetensors files, written whole or not at all, read with one clear error."""

import json
import os
import uuid
from pathlib import Path

from safetensors import SafetensorError, safe_open

from .config import TransformerConfig


class StorageError(ValueError):
    """A file of weights cannot be written, or is not what was asked for."""


def write(path, data: bytes):
    """Put ``data`` under ``path`` in one step, as :func:`put` does, with one clear error.

    Parameters
    ----------
    path : path-like
        Its folder is made if need be.
    data : bytes

    Raises
    ------
    StorageError
        If the disk is full or the folder cannot be written. What was there before stays.
    """
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        put(path, data)
    except OSError as error:
        raise StorageError(
            f"{path} could not be written: {error.strerror or error}. It needs {len(data):,} "
            "bytes. What was there before is untouched. Make room, or choose another folder."
        ) from error


def put(path, data: bytes):
    """Put ``data`` under ``path`` in one step: a reader, or a crash, meets the old file or the new.

    Parameters
    ----------
    path : path-like
        In a folder that exists.
    data : bytes

    Raises
    ------
    OSError
        If it cannot be written. What was there before stays.
    """
    path = Path(path)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with open(
            part, "xb"
        ) as file:  # unlike tempfile's, as readable as any other file
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)  # atomic within a folder
    finally:
        if part.exists():
            part.unlink()


def read(path, framework: str = "np"):
    """Return the tensors of a safetensors file by name, and its metadata.

    Parameters
    ----------
    path : path-like
    framework : "np" or "pt"
        NumPy arrays or torch tensors.

    Returns
    -------
    tensors : dict of str to array
        float32 where the file has float16.
    metadata : dict of str to str

    Raises
    ------
    StorageError
        If there is no such file, or it is truncated, damaged or no safetensors file.
    """
    if not Path(path).is_file():
        raise StorageError(
            f"There is no file {path}; expected a safetensors file of weights. "
            "Train a model first, or check the path."
        )
    try:
        with safe_open(path, framework=framework) as file:
            names = file.keys()  # it cannot be iterated itself
            tensors = {name: _widened(file.get_tensor(name)) for name in names}
            return tensors, file.metadata() or {}
    except (SafetensorError, OSError) as error:
        size = Path(path).stat().st_size
        raise StorageError(
            f"{path} ({size:,} bytes) is not a whole safetensors file: {error}. It is "
            "truncated, damaged or of another kind. Delete it and write it again."
        ) from error


def _widened(array):
    # Half the digits make half a file, but are too few to compute with.
    if str(array.dtype).removeprefix("torch.") != "float16":
        return array
    return array.astype("float32") if hasattr(array, "astype") else array.float()


def config_of(path, metadata):
    """Return the configuration that a file's metadata carries.

    Raises
    ------
    StorageError
        If it carries none.
    """
    try:
        return TransformerConfig(**json.loads(metadata["config"]))
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"{path} carries no configuration of a Transformer that this book can read "
            f"({type(error).__name__}: {error}). Use a file written by nn.save_weights."
        ) from error


def check_names(path, given, expected):
    """Raise StorageError unless a file holds exactly the arrays of its model, in their shapes.

    Parameters
    ----------
    given, expected : dict of str to tuple
        Shapes by name.
    """
    if given == expected:
        return
    missing, extra = expected.keys() - given.keys(), given.keys() - expected.keys()
    wrong = [
        f"{name} has shape {given[name]}, expected {expected[name]}"
        for name in sorted(given.keys() & expected.keys())
        if given[name] != expected[name]
    ]
    found = [f"{name} is missing" for name in sorted(missing)]
    found += [f"{name} is not of this model" for name in sorted(extra)] + wrong
    raise StorageError(
        f"{path} does not fit the model: {'; '.join(found[:3])}"
        + (f" and {len(found) - 3} more differences" if len(found) > 3 else "")
        + ". Use the file of this configuration, or make the model from the file's own."
    )
