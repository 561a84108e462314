"""What a training step holds: weights, gradients, Adam's moments, and what forward saves for backward."""

import weakref
from typing import NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class SavedTensor(NamedTuple):
    """A tensor that forward saves for backward, named by the part that saved it first."""

    part: str
    shape: tuple[int, ...]
    bytes: int


def saved_tensors(call, model: torch.nn.Module) -> list[SavedTensor]:
    """Return what a call saves for its backward pass, each piece of memory once.

    The model's parameters are left out, as they are held anyway. A view is counted as all of the
    tensor that it shows a part of.

    Parameters
    ----------
    call : callable
        Without arguments; its result is dropped.
    model : torch.nn.Module
        Whose parts give the names: ``""`` is what no part of it saves.

    Returns
    -------
    list of SavedTensor
        In the order in which they were first saved.
    """
    parameter_addresses = {W.untyped_storage().data_ptr() for W in model.parameters()}
    enclosing_parts, saved = [""], {}

    def entering_hook(part_name: str):
        return lambda *_: enclosing_parts.append(part_name)

    def leave_part(*_) -> None:
        enclosing_parts.pop()

    def note_saved_tensor(x: torch.Tensor) -> torch.Tensor:
        storage = x.untyped_storage()
        if storage.data_ptr() not in parameter_addresses:
            tensor = SavedTensor(enclosing_parts[-1], tuple(x.shape), storage.nbytes())
            saved.setdefault(
                storage.data_ptr(), (tensor, x)
            )  # x, so that none is freed
        return x

    hooks = [
        hook
        for name, part in model.named_modules()
        if name
        for hook in (
            part.register_forward_pre_hook(entering_hook(name)),
            part.register_forward_hook(leave_part, always_call=True),
        )
    ]
    try:
        with torch.autograd.graph.saved_tensors_hooks(note_saved_tensor, lambda x: x):
            call()
    finally:
        for hook in hooks:
            hook.remove()
    return [tensor for tensor, _ in saved.values()]


def saved_bytes(call, model: torch.nn.Module) -> int:
    """Return how many bytes a call saves for its backward pass, but for parameters."""
    return sum(tensor.bytes for tensor in saved_tensors(call, model))


def numbers_saved_per_token_and_layer(
    d_model: int, d_ff: int, h: int, dropout=False
) -> int:
    """Count the numbers that an encoder's layer saves of each token for backward.

    Where each stands is the same in Pre-LN and in Post-LN: what the product for queries, keys and
    values reads; these three; attention's output, which the next product reads; for each head the
    logarithm of its softmax's sum; what the feed-forward network reads; its ReLU; and for each
    normalisation its input, a mean and a deviation. Dropout keeps a mask of each sub-layer's output.

    Parameters
    ----------
    d_model, d_ff, h : int
    dropout : bool
        Whether there is any.
    """
    attention = d_model + 3 * d_model + d_model + h
    feed_forward = d_model + d_ff
    normalisations = 2 * (d_model + 2)
    return attention + feed_forward + normalisations + (2 * d_model if dropout else 0)


def training_state_bytes(model, optimizer) -> dict[str, int]:
    """Return the bytes of the weights, of their gradients, and of an optimiser's averages of these.

    Parameters
    ----------
    model : torch.nn.Module
        With gradients: between ``backward`` and ``zero_grad``.
    optimizer : torch.optim.Optimizer
        That has taken a step. Its averages, in the shape of a parameter, are counted, and not its
        count of steps, which is one number for each tensor.
    """
    weights = list(model.parameters())
    averages = [
        x
        for W in weights
        for x in optimizer.state[W].values()
        if isinstance(x, torch.Tensor) and x.shape == W.shape
    ]
    gradients = [W.grad for W in weights if W.grad is not None]
    kinds = {"weights": weights, "gradients": gradients, "moments": averages}
    return {name: sum(x.nbytes for x in tensors) for name, tensors in kinds.items()}


def peak_bytes(call) -> int:
    """Return the most bytes that tensors created during a call occupied at one time.

    What an operator holds while it works is not seen, and ``nn.linear`` takes torch's product.
    So the number is the same on every machine.
    """
    with LiveMemory() as memory:
        result = call()
        del result
    return memory.peak


class LiveMemory(TorchDispatchMode):
    """Adds up the memory of the results of all operators while they are alive."""

    def __init__(self):
        super().__init__()
        self.sizes: dict[int, int] = {}
        self.current = self.peak = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        argument_addresses = {
            storage.data_ptr() for storage in _tensor_storages((args, kwargs))
        }
        result = func(*args, **kwargs or {})
        for storage in _tensor_storages(result):
            address = storage.data_ptr()
            # A view, or a change in place, takes no new memory.
            if address in argument_addresses or address in self.sizes:
                continue
            self.sizes[address] = storage.nbytes()
            self.current += storage.nbytes()
            weakref.finalize(storage, self._subtract_freed, address)
        self.peak = max(self.peak, self.current)
        return result

    def _subtract_freed(self, address: int) -> None:
        self.current -= self.sizes.pop(address)


def _tensor_storages(pytree) -> list[torch.UntypedStorage]:
    return [
        x.untyped_storage() for x in tree_leaves(pytree) if isinstance(x, torch.Tensor)
    ]
