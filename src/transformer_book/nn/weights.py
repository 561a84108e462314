"""Weights of a model in a file that every floor of this book can read."""

import json
import os
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float, Int8
from safetensors.torch import save
from torch import Tensor
from torch.nn.utils import parametrize

from .. import storage
from ..storage import StorageError
from .language_model import LanguageModel
from .lora import merge
from .transformer import Transformer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..config import TransformerConfig

FLOAT_DTYPES = tuple(getattr(torch, name) for name in storage.FLOAT_DTYPE_NAMES)


def save_weights(
    path: str | os.PathLike,
    model: Transformer | LanguageModel,
    dtype: torch.dtype | None = None,
) -> None:
    """Write the weights and the configuration of a model as one safetensors file, atomically.

    A matrix that stands in several places, such as a shared embedding, is written once, under the
    first of its names. Of an adapted model the sums are written, as in :func:`merge`.

    Parameters
    ----------
    path : path-like
    model : Transformer or LanguageModel
        Perhaps adapted, or compiled.
    dtype : torch.dtype, optional
        What the numbers are rounded to in the file: float64, float32, float16 or bfloat16; without
        it they stay as they are. With ``torch.int8`` every matrix is written as :func:`quantise`
        returns it, with its scales under ``NAME.scale``, and what is no matrix as float32.

    Raises
    ------
    StorageError
        If the file cannot be written, or could not be read back: the model is of another kind, its
        weights are not those of its configuration, or ``dtype`` cannot hold them. What was there
        before stays.
    """
    model, weights = model_and_weights_to_save(path, model)
    tensors, floats = {}, torch.float32 if dtype == torch.int8 else dtype
    for name, parameter in weights.items():
        W = to_precision(path, name, parameter, floats or parameter.dtype)
        if dtype == torch.int8 and W.dim() == 2:
            W, tensors[name + storage.SCALE_ENDING] = quantise(W)
        tensors[name] = W
    metadata = {"config": json.dumps(model.config.as_dict())}
    storage.write_file(path, save(tensors, metadata))


def model_and_weights_to_save(
    path: str | os.PathLike, model
) -> tuple[Transformer | LanguageModel, dict[str, Tensor]]:
    """Return a model, neither compiled nor adapted, and its weights by name, as a file holds them.

    Raises
    ------
    StorageError
        If no loader could make the same model of such a file.
    """
    model = plain_model(model)
    kinds = [kind for kind in (Transformer, LanguageModel) if isinstance(model, kind)]
    if not kinds:
        raise StorageError(
            f"{path}: the model is of {type(model)}; expected an nn.Transformer or an "
            "nn.LanguageModel. Give the one that another module wraps; an nn.Encoder is "
            "written by families.save."
        )
    check_weights_match_config(path, model, kinds[0], model.config)
    return model, weights_by_name(model)


def check_weights_match_config(
    path,
    model: torch.nn.Module,
    make_model: "Callable[[TransformerConfig], torch.nn.Module]",
    config: "TransformerConfig",
) -> None:
    """Raise StorageError unless a model has the weights that its configuration says, no others.

    Parameters
    ----------
    make_model : callable
        Makes the model that a loader would make of the configuration.
    """
    with torch.device("meta"):  # shapes alone
        loaded = make_model(config)
    actual, expected = (shapes_by_name(weights_by_name(m)) for m in (model, loaded))
    if text := storage.describe_first_differences(actual, expected):
        raise StorageError(
            f"{path}: the model is not what its configuration says: {text}. No loader could make "
            "it again. Give it a configuration of its own, or keep it with torch.save."
        )


def plain_model(model):
    """Return the model inside a compiled one, and the merged one of an adapted model."""
    model = getattr(model, "_orig_mod", model)
    adapted = any(map(parametrize.is_parametrized, model.modules()))
    return merge(model) if adapted else model


def weights_by_name(model: torch.nn.Module) -> dict[str, Tensor]:
    """Return the parameters by name, without what torch.compile puts before the names of parts."""
    parameters = model.named_parameters()
    return {name.replace(storage.COMPILED_PREFIX, ""): p for name, p in parameters}


def shapes_by_name(tensors) -> dict[str, tuple[int, ...]]:
    """Return shapes by name."""
    return {name: tuple(tensor.shape) for name, tensor in tensors.items()}


def to_precision(path, name: str, W: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a copy of a tensor for a file, in main memory and in the dtype of the file.

    Raises
    ------
    StorageError
        If a number is too large for the precision, or a file cannot have it.
    """
    if dtype not in FLOAT_DTYPES:
        raise StorageError(
            f"{path}: {name} would be written as {dtype}, which no loader could turn back into "
            f"weights; expected one of {', '.join(map(str, FLOAT_DTYPES))}, or torch.int8 with its scales."
        )
    W = W.detach().cpu()
    rounded = W.to(dtype, copy=True, memory_format=torch.contiguous_format)
    if not torch.equal(rounded.isfinite(), W.isfinite()):
        raise StorageError(
            f"{path}: {name} has numbers up to {W.abs().max():.3g}; expected at most "
            f"{torch.finfo(dtype).max:.3g}, the largest of {dtype}. Choose another dtype."
        )
    return rounded


def quantise(
    W: Float[Tensor, "rows columns"],
) -> tuple[Int8[Tensor, "rows columns"], Float[Tensor, "rows"]]:
    r"""Round each row of a matrix to integers from -127 to 127, times the scale of the row.

    .. math:: s_i = \max_j |W_{ij}| / 127, \qquad
              \hat W_{ij} = s_i \cdot \mathrm{round}(W_{ij} / s_i)

    Parameters
    ----------
    W : float tensor, (rows, columns)

    Returns
    -------
    numbers : int8 tensor, (rows, columns)
    scale : float32 tensor, (rows,)
        1 for a row of zeros.

    Raises
    ------
    StorageError
        If a number is not finite.
    """
    W = W.float()
    if not W.isfinite().all():
        raise StorageError(
            "quantise: the matrix has numbers that are not finite in float32; expected finite "
            "ones, as no whole number stands for others. Go back to the last weights that were."
        )
    largest = W.abs().amax(-1)
    scale = torch.where(largest > 0, largest / 127, 1.0)
    return (W / scale[:, None]).round().to(torch.int8), scale


def load_weights(path: str | os.PathLike) -> Transformer:
    """Return the Transformer that ``save_weights`` wrote, in evaluation mode.

    Raises
    ------
    StorageError
        If the file is missing, truncated, no safetensors file, of a language model, or of another
        configuration than the one that it names.
    """
    return _load_model(path, Transformer)


def load_language_model(path: str | os.PathLike) -> LanguageModel:
    """Return the language model that ``save_weights`` wrote, in evaluation mode.

    Raises
    ------
    StorageError
        As :func:`load_weights`; also for a file of a Transformer.
    """
    return _load_model(path, LanguageModel)


def _load_model(path: str | os.PathLike, model_class: type):
    tensors, metadata = storage.read_tensors_as_floats(path, "pt")
    config = storage.config_of(path, metadata)
    for saved_kind, embedding, function in (
        (Transformer, "source_embedding", "load_weights"),
        (LanguageModel, "embedding", "load_language_model"),
    ):
        if embedding in tensors and model_class is not saved_kind:
            raise StorageError(
                f"{path} does not fit the model: it holds the weights of a {saved_kind.__name__}; "
                f"expected those of a {model_class.__name__}. Read it with nn.{function}."
            )
    model = model_class(config).eval()
    set_weights(model, tensors, path)
    return model


def set_weights(
    model: Transformer | LanguageModel,
    tensors: dict,
    origin: object = "the given weights",
) -> None:
    """Give the parameters of the same names these values, in their precision: all of them or none.

    Raises
    ------
    StorageError
        If a name or a shape differs from the model's, or a tensor holds no floats.
    """
    parameters = weights_by_name(model)
    storage.check_floats(origin, tensors)
    storage.check_names_and_shapes(origin, *map(shapes_by_name, (tensors, parameters)))
    with torch.no_grad():
        for name, parameter in parameters.items():
            # Not model.to, which would round the table of positions, too.
            parameter.data = parameter.data.to(tensors[name].dtype)
            parameter.copy_(tensors[name])
