"""A trained model with a part taken away: heads, scale, mask, positions, residual connections."""

from contextlib import ExitStack, contextmanager

import torch

from transformer_book import nn
from transformer_book.nn.embedding import embed

SUB_LAYERS = {
    "encoder": ("self_attention", "feed_forward"),
    "decoder": ("self_attention", "cross_attention", "feed_forward"),
}
SIDES = ["source", "target"]


@contextmanager
def changed(
    model, *, silenced=(), scale=True, causal=True, positions=True, residual=True
):
    """Take parts out of a translator while the block runs; then it is as it was.

    Its weights stay those that were trained with every part in place. A decoder's cache must not be
    used where ``causal`` is False: what it keeps would not see the words written later.

    Parameters
    ----------
    model : Transformer
    silenced : sequence of (str, int)
        Heads, from 0, that give nothing: ``("encoder.0.self_attention", 2)``.
    scale : bool
        If not, no score is divided by the root of d_k.
    causal : bool
        If not, each word of the decoder sees all that is written, later words too.
    positions : bool or sequence of "source" and "target"
        False, or the sides where no positions are added.
    residual : bool or sequence of str
        False, or the sub-layers whose input is not added to their output, such as
        ``"decoder.1.cross_attention"``.

    Yields
    ------
    Transformer
        The same model.

    Raises
    ------
    ValueError
        If the model has no such head, side or sub-layer.
    """
    sides = _chosen("positions", positions, SIDES)
    subs = _chosen("residual", residual, sub_layers(model))
    _chosen("silenced", silenced, heads(model))
    with ExitStack() as undo, torch.no_grad():
        for name, head in silenced:
            W_O = model.get_submodule(name).W_O
            rows = W_O.view(model.config.h, -1, W_O.shape[-1])[head]
            _set(undo, rows, torch.zeros_like(rows))
        if not scale:
            root = (model.config.d_model // model.config.h) ** 0.5
            for one in model.modules():
                if isinstance(one, nn.MultiHeadAttention):
                    _set(undo, one.W_Q, one.W_Q * root)
        if not causal:
            for layer in model.decoder:
                hook = layer.self_attention.register_forward_pre_hook(
                    _without_mask, with_kwargs=True
                )
                undo.callback(hook.remove)
        if sides:
            model._embed = _without_positions(model, sides)
            undo.callback(delattr, model, "_embed")
        for sub in subs:
            layer, kind = sub.rsplit(".", 1)
            k = 1 + SUB_LAYERS[layer.split(".")[0]].index(kind)
            around = model.get_submodule(f"{layer}.add_and_norm_{k}")
            around.after = _without_input(around.after)
            undo.callback(delattr, around, "after")
        yield model


def sub_layers(model):
    """Return the names of all sub-layers, the encoder's first, in the order they are passed."""
    return [
        f"{stack}.{i}.{kind}"
        for stack, kinds in SUB_LAYERS.items()
        for i in range(model.config.N)
        for kind in kinds
    ]


def heads(model):
    """Return all heads, ``(attention, head from 0)``, in the same order."""
    return [
        (name, i)
        for name in sub_layers(model)
        if name.endswith("attention")
        for i in range(model.config.h)
    ]


def _chosen(name, given, known):
    """Return which parts are taken away, of those that there are."""
    if isinstance(given, bool):
        return [] if given else known
    given = [one if isinstance(one, str) else tuple(one) for one in given]
    for one in given:
        if one not in known:
            few = ", ".join(map(str, [*known[:2], "...", known[-1]]))
            raise ValueError(
                f"changed: {name} has {one!r}; expected some of {few}. Name a part of this model."
            )
    return given


def _set(undo, W, value):
    kept = W.detach().clone()
    undo.callback(_copy, W, kept)
    W.copy_(value)


@torch.no_grad()
def _copy(W, value):
    W.copy_(value)


def _without_positions(model, sides):
    whole = model._embed

    def embedded(side, ids, E, start=0):
        if side not in sides:
            return whole(side, ids, E, start)
        return model.dropout(embed("Transformer", side, ids, E, None, start))

    return embedded


def _without_mask(_, given, how):
    return given, how | {"causal": False}


def _without_input(after):
    return lambda x, y: after(torch.zeros_like(x), y)
