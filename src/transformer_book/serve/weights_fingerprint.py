"""Whether a model still has the weights from which the cached keys and values come."""

import torch


class WeightsFingerprint:
    """What a model's weights are now, to be compared with what they are later.

    Parameters
    ----------
    model : torch.nn.Module
    """

    def __init__(self, model: torch.nn.Module):
        self.model = model
        self.marks, self.sums = (
            _change_marks(model),
            _tensor_sums_as_hex(_model_tensors(model)),
        )

    def has_changed(self, *, read_all: bool) -> bool:
        """Return whether they are others by now.

        Parameters
        ----------
        read_all : bool
            Whether to read them all, which takes a part of the time of a pass for one token. That alone
            tells what was written through ``W.data``, which torch does not count.
        """
        if self.marks != _change_marks(self.model):
            return True
        return read_all and self.sums != _tensor_sums_as_hex(_model_tensors(self.model))


def _model_tensors(model) -> list[torch.Tensor]:
    """Return all parameters and buffers; ``model.parameters()`` takes a tenth of a small model's step."""
    tensors, modules = [], [model]
    while modules:
        module = modules.pop()
        if module is None:
            continue
        tensors += module._parameters.values()
        tensors += module._buffers.values()
        modules += module._modules.values()
    return [tensor for tensor in tensors if tensor is not None]


def _change_marks(model: torch.nn.Module) -> tuple[list[tuple], list[str]]:
    """Return for each tensor what changes when it is replaced, or written to as torch counts it."""
    tensors = _model_tensors(model)
    marks = [
        (W.data_ptr(), W.dtype, 0 if W.is_inference() else W._version) for W in tensors
    ]
    # Nor does torch count what a fused optimiser writes, but that is all that learns.
    learns = sorted((W for W in tensors if W.requires_grad), key=torch.numel)
    return marks, _tensor_sums_as_hex(learns[:1])


def _tensor_sums_as_hex(tensors: list[torch.Tensor]) -> list[str]:
    with torch.no_grad():
        return [float(W.sum()).hex() for W in tensors]  # as text a NaN equals itself
