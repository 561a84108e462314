"""What a family chooses by name: a norm, an activation, a feed-forward network."""

import math
from functools import partial

import torch
from torch.nn import functional as F

from ..feed_forward import FeedForward, GatedFeedForward
from ..norm import LayerNorm, RMSNorm
from ..rotary import rope_frequencies

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


def frequencies_of(architecture):
    """Return how far each pair of a query turns from word to word, (d_k / 2,), stretched if asked for."""
    a = architecture
    frequencies = rope_frequencies(a.d_k, a.base)
    turns = a.trained * frequencies / (2 * math.pi)
    kept = ((turns - a.slow) / (a.fast - a.slow)).clamp(0, 1)  # 1 for a fast pair
    return frequencies * (kept + (1 - kept) / a.stretch)
