"""What a family chooses by name: a norm, an activation, a feed-forward network."""

from functools import partial

import torch
from torch.nn import functional as F

from ..feed_forward import FeedForward, GatedFeedForward
from ..norm import LayerNorm, RMSNorm

ACTIVATIONS = {
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}
NORMS = {"layer": LayerNorm, "rms": RMSNorm}


def norm_of(architecture, width=None):
    """Return a fresh norm of the kind that an architecture asks for, d_model wide."""
    a = architecture
    return NORMS[a.normalise](a.d_model if width is None else width, a.epsilon)


def feed_forward_of(architecture):
    """Return a fresh feed-forward network of the kind that an architecture asks for."""
    a = architecture
    activation = ACTIVATIONS[a.activation]
    if a.gated:
        return GatedFeedForward(a.d_model, a.d_ff, activation)
    return FeedForward(a.d_model, a.d_ff, activation, a.feed_forward_bias)
