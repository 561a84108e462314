"""What a layer may have in the place of the paper's parts: everything that a configuration can choose."""

from collections.abc import Callable
from functools import partial

import torch
from torch.nn import functional as F

from ..config import ConfigError, TransformerConfig
from .experts import MixtureOfExperts
from .feed_forward import FeedForward, GatedFeedForward
from .general_attention import GeneralAttention
from .layers import EncoderLayer
from .linear import linear
from .norm import EPSILON, RMS_EPSILON, AddAndNorm, LayerNorm, RMSNorm
from .relative import relative_positions_of_layers

ACTIVATIONS: dict[str, Callable] = {
    "relu": torch.relu,
    "gelu": F.gelu,
    "gelu_tanh": partial(F.gelu, approximate="tanh"),
    "silu": F.silu,
}


class OutputNorm(AddAndNorm):
    """x + norm(f(x)): what the sub-layer makes is normalised, and with "both" also what it reads.

    Team OLMo (2024); Gemma Team (2024).

    Parameters
    ----------
    d_model, dropout
        As in :class:`AddAndNorm`.
    norm : "output" or "both"
    """

    def __init__(self, d_model: int, dropout: float = 0.0, norm: str = "output"):
        super().__init__(d_model, dropout, norm)
        self.output_norm = LayerNorm(d_model)
        if norm == "output":
            self.register_module("layer_norm", None)

    def sub_layer_input(self, x):
        """Return what the sub-layer reads: x, or x normalised."""
        return x if self.layer_norm is None else self.layer_norm(x)

    def add_output(self, x, y):
        """Normalise the sub-layer's output y, and add it to its input x."""
        return super().add_output(x, self.output_norm(y))


class ParallelLayer(EncoderLayer):
    """A layer whose two sub-layers read the same x: x + attention(norm x) + network(norm x).

    Wang and Komatsuzaki (2021); Black et al. (2022).
    """

    def forward(
        self, x, mask=None, *, causal=False, cache=None, need_weights=False
    ) -> tuple[torch.Tensor, dict]:
        """As of an :class:`EncoderLayer`."""
        Z, A = self.self_attention(
            self.add_and_norm_1.sub_layer_input(x),
            mask=mask,
            causal=causal,
            cache=cache,
            need_weights=need_weights,
        )
        y = self.feed_forward(self.add_and_norm_2.sub_layer_input(x))
        x = self.add_and_norm_1.add_output(x, Z)  # (batch, n, d_model)
        return self.add_and_norm_2.add_output(x, y), {"self_attention": A}


def make_layers(
    config: TransformerConfig,
    N: int,
    layer_class=EncoderLayer,
    bidirectional: bool = False,
) -> torch.nn.ModuleList:
    """Return the N fresh layers of a stack.

    Parameters
    ----------
    config : TransformerConfig
    N : int
    layer_class : type
        EncoderLayer or DecoderLayer.
    bidirectional : bool
        Whether a word sees those after it: t5's positions then tell them from those before.
    """
    c = config
    norm = "post" if c.norm == "post" else "pre"
    sizes = (c.d_model, c.h, c.d_ff, c.dropout, norm)
    layer_class = ParallelLayer if c.parallel else layer_class
    layers = [layer_class(*sizes) for _ in range(N)]
    for number, layer in enumerate(layers):
        configure_layer(layer, c, number)
    for layer, positions in zip(
        layers, relative_positions_of_layers(c, N, bidirectional)
    ):
        layer.self_attention.positions = positions
    return torch.nn.ModuleList(layers)


def final_norm(config: TransformerConfig) -> torch.nn.Module:
    """Return the norm behind the last layer, or the identity if that layer ends with one."""
    return torch.nn.Identity() if config.norm == "post" else make_norm(config)


def configure_layer(layer, config, layer_number: int = 0) -> None:
    """Change, in place, those parts of a fresh layer that its configuration wants otherwise.

    Weights are drawn only for attention that shares heads or whose d_k is set, for a network with
    a gate and for experts. So models of one seed that differ in other settings begin with the same weights.

    Parameters
    ----------
    layer : EncoderLayer or DecoderLayer
    config : TransformerConfig
    layer_number : int
        Of the layer in its stack, from 0.
    """
    c = config
    for name, part in list(layer.named_children()):
        if isinstance(part, GeneralAttention):
            setattr(layer, name, _configured_attention(part, c, name, layer_number))
        elif isinstance(part, AddAndNorm):
            setattr(layer, name, _configured_add_and_norm(part, c))
    layer.feed_forward.activation = ACTIVATIONS[c.activation]
    if c.experts is not None:
        sizes = (c.d_model, c.d_ff, c.experts, c.active)
        layer.feed_forward = MixtureOfExperts(
            *sizes, expert=partial(_make_feed_forward, c)
        )
    elif c.gated:
        layer.feed_forward = _make_feed_forward(c, c.d_model, c.d_ff)
    elif not c.bias:
        layer.feed_forward.b_1 = layer.feed_forward.b_2 = None


def _configured_attention(
    attention: GeneralAttention,
    config: TransformerConfig,
    attention_name: str,
    layer_number: int,
) -> GeneralAttention:
    c = config
    if c.g is not None or c.d_k is not None:
        attention = GeneralAttention(c.d_model, c.h, g=c.g, d_k=c.d_k)
    attention.add_projection_biases(c.attention_bias)
    if c.qk_norm:
        heads = (c.h, c.g or c.h) if c.qk_norm_of_all else (1, 1)
        attention.q_norm, attention.k_norm = (
            RMSNorm(k * c.head_width, c.epsilon or RMS_EPSILON) for k in heads
        )
    attention.scale, attention.cap = c.score_scale, c.score_cap
    if attention_name == "self_attention" and layer_number not in c.global_layers:
        attention.window = c.window
    return attention


def _configured_add_and_norm(add_and_norm, config: TransformerConfig) -> AddAndNorm:
    c = config
    if c.norm in ("output", "both"):
        add_and_norm = OutputNorm(c.d_model, c.dropout, c.norm)
        add_and_norm.output_norm = make_norm(c)
    if c.norm != "output" and (c.normalise != "layer" or not c.bias or c.epsilon):
        add_and_norm.layer_norm = make_norm(c)
    return add_and_norm


def check_attention_has_settings(
    layers: torch.nn.ModuleList, config: TransformerConfig
) -> None:
    """Raise ConfigError where attention that was put in later lacks what the configuration says."""
    c, outside = config, ("sinusoidal", "learned", "none")
    for setting, attribute, is_set, unset in (
        ("positions", "positions", c.positions not in outside, "sinusoidal"),
        ("qk_norm", "q_norm", c.qk_norm, False),
        ("g", "g", c.g is not None, None),
        ("window", "window", c.window is not None, None),
        ("score_cap", "cap", c.score_cap is not None, None),
        ("score_scale", "scale", c.score_scale is not None, None),
        ("attention_bias", "b_QKV", c.attention_bias != "none", "none"),
    ):
        for i, layer in enumerate(layers if is_set else ()):
            if not hasattr(attention := layer.self_attention, attribute):
                raise ConfigError(
                    f"LanguageModel: {setting} is {getattr(c, setting)!r}, and layers.{i}."
                    f"self_attention is a {type(attention).__name__}, which has no {attribute}; "
                    f"expected {unset!r}. Make the model so, or keep its own attention."
                )


def _make_feed_forward(
    config: TransformerConfig, d_model: int, d_ff: int
) -> torch.nn.Module:
    activation = ACTIVATIONS[config.activation]
    if config.gated:
        return GatedFeedForward(d_model, d_ff, activation)
    return FeedForward(d_model, d_ff, activation, bias=config.bias)


def make_norm(config: TransformerConfig, width: int | None = None) -> torch.nn.Module:
    """Return a new normalisation of the kind that a configuration names, by default d_model wide."""
    c, width = config, config.d_model if width is None else width
    if c.normalise == "rms":
        return RMSNorm(width, c.epsilon or RMS_EPSILON)
    return LayerNorm(width, c.epsilon or EPSILON, c.bias)


def logits_of(x, E, b, config: TransformerConfig) -> torch.Tensor:
    """Return the logits, (..., words), of vectors, (..., d_model): the output layer.

    Parameters
    ----------
    x : tensor, (..., d_model)
    E : tensor, (words, d_model)
    b : tensor, (words,), or None
    config : TransformerConfig
    """
    if config.output_scaled:
        x = x * config.d_model**-0.5
    logits, cap = linear(x, E.T, b), config.logit_cap
    return logits if cap is None else cap * torch.tanh(logits / cap)
