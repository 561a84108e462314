"""Forget in forward what backward can compute again: layers in segments, each from its input alone."""

from contextlib import contextmanager
from functools import partial

import torch
from torch.utils.checkpoint import checkpoint

from ..expect import expect_integer
from ..options import ConfigError


@contextmanager
def recomputing(model, every: int = 1):
    """Let the layers of a model keep less for backward, and compute it again there.

    Of every ``every`` layers, a segment, the forward pass keeps the input. When backward comes to a
    segment, it runs these layers again, with the random numbers of the first time, so the gradients
    are the same, dropout's too. Where nothing is learned, or there is a cache, nothing changes.
    Chen et al. (2016).

    Parameters
    ----------
    model : LanguageModel or Transformer
        Or another whose stacks are lists of layers that are called one after the other.
    every : int
        Layers of a segment. The last may have fewer.

    Yields
    ------
    model

    Raises
    ------
    ConfigError
        If the model has no stack of layers, or ``every`` is not a number of them.
    """
    what, remedy = "a number of layers", "Choose 1 for segments of a single layer."
    expect_integer(ConfigError, "recomputing", "every", every, what, remedy=remedy)
    stacks = {
        name: part
        for name, part in model.named_children()
        if isinstance(part, torch.nn.ModuleList) and len(part)
    }
    if not stacks:
        raise ConfigError(
            f"recomputing: {type(model).__name__} has no stack of layers; expected one in a "
            "torch.nn.ModuleList, as a LanguageModel has. Give the model that holds the layers."
        )
    try:
        for name, layers in stacks.items():
            plain = torch.nn.ModuleList.__iter__(layers)  # also of a stack in segments
            setattr(model, name, LayersInSegments(plain, every))
        yield model
    finally:
        for name, layers in stacks.items():
            setattr(model, name, layers)


class LayersInSegments(torch.nn.ModuleList):
    """A stack of the same layers; who goes through them to learn meets them in segments."""

    def __init__(self, layers=None, every=1):
        super().__init__(layers)
        self.every = every

    def __iter__(self):
        layers = list(super().__iter__())
        if not torch.is_grad_enabled():
            return iter(layers)
        firsts = range(0, len(layers), self.every)
        return (
            one for i in firsts for one in segment_layers(layers[i : i + self.every])
        )


def segment_layers(layers) -> list:
    """Give for each layer of a segment what is called in its place.

    The first runs all of them. The others pass on its vectors, each with the attention weights of its layer.
    """
    seen = []

    def call(i, x, *rest, cache=None, **how):
        if cache is not None:  # recomputing would extend it a second time
            return layers[i](x, *rest, cache=cache, **how)
        if i == 0:
            x, weights = run_keeping_only_input(layers, x, *rest, **how)
            seen.extend(weights)
        return x, seen.pop(0)

    return [
        LayerCalledOtherwise(layer, partial(call, i)) for i, layer in enumerate(layers)
    ]


class LayerCalledOtherwise:
    """A layer that is called otherwise; all its other attributes are the layer's."""

    def __init__(self, layer, call):
        self.__dict__.update(layer=layer, call=call)

    def __call__(self, x, *rest, **how):
        return self.call(x, *rest, **how)

    def __getattr__(self, name):
        return getattr(self.layer, name)

    def __setattr__(self, name, value):
        setattr(self.layer, name, value)


def run_keeping_only_input(layers, x, *rest, **how):
    """Run layers one after the other, and keep for backward what the first is given, no more."""

    def run(x, *rest, **how) -> tuple:
        weights = []
        for layer in layers:
            x, own = layer(x, *rest, **how)
            weights.append(own)
        return x, weights

    return checkpoint(run, x, *rest, use_reentrant=False, **how)
