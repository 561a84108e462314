"""Tensors on disk: safetensors files, written completely or not at all, read with one clear error.

A file has floats of 64, 32 or 16 bits, or integers of eight. Beside a matrix ``NAME`` of these
stands ``NAME.scale``, a float32 for each of its rows, and a number of the matrix is the integer times
the scale of its row.
"""

import json
import os
import uuid
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open

from .config import TransformerConfig

# Behind the name of a matrix of integers: the scales of its rows.
SCALE_ENDING = ".scale"
FLOAT_DTYPE_NAMES = ("float64", "float32", "float16", "bfloat16")
COMPILED_PREFIX = "_orig_mod."  # which torch.compile puts before the names of a module


class StorageError(ValueError):
    """A file of weights cannot be written, or is not the one that its reader expects."""


def write_file(path: str | os.PathLike, data: bytes) -> None:
    """Put ``data`` under ``path`` in one step, as :func:`replace_file` does, with one clear error.

    Parameters
    ----------
    path : path-like
        Its folder is created if need be.
    data : bytes

    Raises
    ------
    StorageError
        If the disk is full or the folder cannot be written. What was there before stays.
    """
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise StorageError(
            f"{path} could not be written: {error.strerror or error}. It needs {len(data):,} "
            "bytes. What was there before is untouched. Make room, or choose another folder."
        ) from error


def replace_file(path: str | os.PathLike, data: bytes) -> None:
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


def read_tensors_as_floats(
    path: str | os.PathLike, framework: str = "np"
) -> tuple[dict, dict[str, str]]:
    """Return the tensors of a safetensors file by name, to compute with, and its metadata.

    Parameters
    ----------
    path : path-like
    framework : "np" or "pt"
        NumPy arrays or torch tensors.

    Returns
    -------
    tensors : dict of str to array
        float32 where the file has floats of 16 bits, or integers with their scales.
    metadata : dict of str to str

    Raises
    ------
    StorageError
        As :func:`stored_tensors`; also if integers and scales do not fit.
    """
    tensors, metadata = stored_tensors(path, framework)
    tensors = {name: _widen_16_bit_floats(array) for name, array in tensors.items()}
    return _apply_scales(path, tensors), metadata


def stored_tensors(
    path: str | os.PathLike, framework: str = "np"
) -> tuple[dict, dict[str, str]]:
    """Return the tensors of a safetensors file by name, as they stand there, and its metadata.

    Parameters
    ----------
    path : path-like
    framework : "np" or "pt"
        NumPy arrays, float32 where the file has bfloat16, which NumPy lacks; or torch tensors.

    Returns
    -------
    tensors : dict of str to array
        By their names in a module that is not compiled.
    metadata : dict of str to str

    Raises
    ------
    StorageError
        If there is no such file, or it is truncated, damaged or no safetensors file, or holds
        numbers of a kind that the framework lacks.
    """
    if not Path(path).is_file():
        raise StorageError(
            f"There is no file {path}; expected a safetensors file of weights. "
            "Train a model first, or check the path."
        )
    try:
        with safe_open(path, framework=framework) as file:
            names = file.keys()  # it cannot be iterated itself
            tensors = {
                name.replace(COMPILED_PREFIX, ""): _stored_tensor(
                    path, file, name, framework
                )
                for name in names
            }
            metadata = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        size = Path(path).stat().st_size
        raise StorageError(
            f"{path} ({size:,} bytes) is not a whole safetensors file: {error}. It is "
            "truncated, damaged or of another kind. Delete it and write it again."
        ) from error
    return tensors, metadata


def _stored_tensor(path, file, name: str, framework: str):
    kind = file.get_slice(name).get_dtype()
    if kind == "BF16" and framework == "np":
        return _read_bfloat16_as_float32(path, name)
    try:
        return file.get_tensor(name)
    except (AttributeError, KeyError, TypeError) as error:
        raise _not_floats_error(path, name, kind) from error


def _read_bfloat16_as_float32(path, name: str) -> np.ndarray:
    """Return the numbers of a tensor in an undamaged file: the first 16 bits of a float32 each."""
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        begin, end = header[name]["data_offsets"]
        file.seek(begin, os.SEEK_CUR)
        halves = np.frombuffer(file.read(end - begin), "<u2")
    return (halves.astype("<u4") << 16).view("<f4").reshape(header[name]["shape"])


def _apply_scales(path, tensors: dict) -> dict:
    floats = dict(tensors)
    for name in [name for name in tensors if _dtype_name(tensors[name]) == "int8"]:
        matrix, scale = tensors[name], floats.pop(name + SCALE_ENDING, None)
        if len(matrix.shape) != 2 or tuple(getattr(scale, "shape", ())) != (
            len(matrix),
        ):
            actual = "no such array" if scale is None else f"{tuple(scale.shape)}"
            raise StorageError(
                f"{path}: {name} holds {matrix.dtype}; expected floats, or a matrix of whole "
                f"numbers and a scale for each of its rows. Its shape is {tuple(matrix.shape)}, "
                f"and for {name}{SCALE_ENDING} there is {actual}. Write it with nn.save_weights."
            )
        floats[name] = matrix * scale[:, None]
    return floats


def _widen_16_bit_floats(array):
    # Half the digits make half a file, but are too few to compute with.
    if _dtype_name(array) not in ("float16", "bfloat16"):
        return array
    return array.astype("float32") if hasattr(array, "astype") else array.float()


def _dtype_name(array) -> str:
    return str(array.dtype).removeprefix("torch.")


def check_floats(path, tensors) -> None:
    """Raise StorageError unless all that a file holds are floats: weights, and not packed ones.

    Parameters
    ----------
    tensors : dict of str to array
    """
    for name, array in tensors.items():
        if _dtype_name(array) not in FLOAT_DTYPE_NAMES:
            raise _not_floats_error(path, name, array.dtype)


def _not_floats_error(path, name: str, dtype) -> StorageError:
    return StorageError(
        f"{path}: {name} holds {dtype}; expected floats of 16, 32 or 64 bits. The weights are "
        "quantised; use the checkpoint that they were made from."
    )


def config_of(path, metadata: dict[str, str]) -> TransformerConfig:
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


def check_names_and_shapes(
    path, actual_shapes: dict[str, tuple], expected_shapes: dict[str, tuple]
) -> None:
    """Raise StorageError unless a file holds exactly the arrays of its model, in their shapes.

    Parameters
    ----------
    actual_shapes, expected_shapes : dict of str to tuple
        Shapes by name.
    """
    if text := describe_first_differences(actual_shapes, expected_shapes):
        raise StorageError(
            f"{path} does not fit the model: {text}. Use the file of this configuration, or make "
            "the model from the file's own."
        )


def describe_first_differences(
    actual_shapes: dict[str, tuple], expected_shapes: dict[str, tuple]
) -> str:
    """Say in which names and shapes two models differ, the first three; nothing if in none."""
    missing, extra = (
        expected_shapes.keys() - actual_shapes.keys(),
        actual_shapes.keys() - expected_shapes.keys(),
    )
    sentences = [f"{name} is missing" for name in sorted(missing)]
    sentences += [f"{name} is not of this model" for name in sorted(extra)]
    sentences += [
        f"{name} has shape {actual_shapes[name]}, expected {expected_shapes[name]}"
        for name in sorted(actual_shapes.keys() & expected_shapes.keys())
        if actual_shapes[name] != expected_shapes[name]
    ]
    more = f" and {len(sentences) - 3} more differences" if len(sentences) > 3 else ""
    return "; ".join(sentences[:3]) + more
