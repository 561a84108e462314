"""What every gradient that is written by hand has in common."""

import functools

import torch


def once_differentiable(backward):
    """As torch's decorator of that name for the ``backward`` of a Function, in two points stricter.

    That of torch refuses a second derivative only where the gradient that comes in depends on something.
    Where it is a constant, as that of a sum is, the second derivative would silently lack a part. And
    autocast, on at the time of ``backward``, rounds no product here, as it rounded none in ``forward``.
    """
    backward_once = torch.autograd.function.once_differentiable(backward)

    @functools.wraps(backward)
    def stricter_backward(ctx, *grad_outputs):
        # Somebody may differentiate what is returned. What is compiled is looked at by torch.
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            grad_outputs = tuple(g.detach().requires_grad_() for g in grad_outputs)
        with torch.autocast(grad_outputs[0].device.type, enabled=False):
            return backward_once(ctx, *grad_outputs)

    return stricter_backward
