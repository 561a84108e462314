"""What every gradient that is written by hand has in common."""

import functools

import torch


def once_differentiable(backward):
    """As torch's decorator of that name for the ``backward`` of a Function, in two points stricter.

    torch's refuses a second derivative only where the gradient that comes in depends on something. Where it
    is a constant, as that of a sum is, the second derivative would silently lack a part. And autocast, on
    at the time of ``backward``, rounds no product here, as it rounded none in ``forward``.
    """
    refusing = torch.autograd.function.once_differentiable(backward)

    @functools.wraps(backward)
    def call(ctx, *pulls):
        # Somebody may differentiate what is returned. What is compiled is looked at by torch.
        if torch.is_grad_enabled() and not torch.compiler.is_compiling():
            pulls = tuple(pull.detach().requires_grad_() for pull in pulls)
        with torch.autocast(pulls[0].device.type, enabled=False):
            return refusing(ctx, *pulls)

    return call
