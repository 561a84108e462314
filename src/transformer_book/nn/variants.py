"""What a layer of a language model may have in the place of the paper's parts."""

from functools import partial

import torch
from torch.nn import functional as F

from ..config import ConfigError, TransformerConfig
from .experts import MixtureOfExperts
from .feed_forward import FeedForward, GatedFeedForward
from .norm import LayerNorm, RMSNorm
from .shared_heads import GroupedQueryAttention

ACTIVATIONS = {"relu": torch.relu, "gelu": F.gelu, "silu": F.silu}


def vary(layer, config):
    """Change, in place, those parts of a fresh layer that its configuration wants otherwise.

    Weights are drawn only for attention that shares heads, for a network with a gate and for experts.
    So models of one seed that differ in other settings begin with the same weights.

    Parameters
    ----------
    layer : EncoderLayer
    config : TransformerConfig
    """
    c = config
    if c.g is not None:
        layer.self_attention = GroupedQueryAttention(c.d_model, c.h, c.g)
    if c.qk_norm:
        attention, d_k = layer.self_attention, c.d_model // c.h
        attention.q_norm, attention.k_norm = RMSNorm(d_k), RMSNorm(d_k)
    layer.feed_forward.activation = ACTIVATIONS[c.activation]
    if c.experts is not None:
        sizes = (c.d_model, c.d_ff, c.experts, c.active)
        layer.feed_forward = MixtureOfExperts(*sizes, expert=partial(_network, c))
    elif c.gated:
        layer.feed_forward = _network(c, c.d_model, c.d_ff)
    elif not c.bias:
        layer.feed_forward.b_1 = layer.feed_forward.b_2 = None
    if c.normalise != "layer" or not c.bias:
        for around in (layer.add_and_norm_1, layer.add_and_norm_2):
            around.layer_norm = norm_of(c)


def check_attention(layers, config):
    """Raise ConfigError where attention that was put in later lacks what the configuration says."""
    c, added = config, ("sinusoidal", "learned", "none")
    for setting, part, wanted, other in (
        ("positions", "positions", c.positions not in added, "sinusoidal"),
        ("qk_norm", "q_norm", c.qk_norm, False),
        ("g", "g", c.g is not None, None),
    ):
        for i, layer in enumerate(layers if wanted else ()):
            if not hasattr(attention := layer.self_attention, part):
                raise ConfigError(
                    f"LanguageModel: {setting} is {getattr(c, setting)!r}, and layers.{i}."
                    f"self_attention is a {type(attention).__name__}, which has no {part}; "
                    f"expected {other!r}. Make the model so, or keep its own attention."
                )


def _network(config, d_model, d_ff):
    bend = ACTIVATIONS[config.activation]
    if config.gated:
        return GatedFeedForward(d_model, d_ff, bend)
    return FeedForward(d_model, d_ff, bend, bias=config.bias)


def norm_of(config: TransformerConfig) -> torch.nn.Module:
    """Return a new normalisation of the kind and width that a configuration names."""
    if config.normalise == "rms":
        return RMSNorm(config.d_model)
    return LayerNorm(config.d_model, bias=config.bias)
