"""A trained model with a part taken away: heads, scale, mask, positions, residual connections."""

from contextlib import ExitStack, contextmanager

import torch

from transformer_book import nn
from transformer_book.nn.embedding import embed

SUB_LAYER_KINDS_BY_STACK = {
    "encoder": ("self_attention", "feed_forward"),
    "decoder": ("self_attention", "cross_attention", "feed_forward"),
}
SIDES = ["source", "target"]


@contextmanager
def model_without_parts(
    model,
    *,
    silenced=(),
    scale=True,
    causal=True,
    positions=True,
    residual=True,
):
    """Take parts out of a translator while the block runs; then it is as it was.

    Its weights stay those that were trained with every part in place. A decoder's cache must not be
    used where ``causal`` is False: its keys and values would not see the words written later.

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
    sides = _parts_to_remove("positions", positions, SIDES)
    subs = _parts_to_remove("residual", residual, sub_layer_names(model))
    _parts_to_remove("silenced", silenced, attention_heads(model))
    with ExitStack() as undo, torch.no_grad():
        for name, head in silenced:
            W_O = model.get_submodule(name).W_O
            rows = W_O.view(model.config.h, -1, W_O.shape[-1])[head]
            _replace_until_undone(undo, rows, torch.zeros_like(rows))
        if not scale:
            root = (model.config.d_model // model.config.h) ** 0.5
            for module in model.modules():
                if isinstance(module, nn.MultiHeadAttention):
                    _replace_until_undone(undo, module.W_Q, module.W_Q * root)
        if not causal:
            for layer in model.decoder:
                hook = layer.self_attention.register_forward_pre_hook(
                    _drop_causal_mask, with_kwargs=True
                )
                undo.callback(hook.remove)
        if sides:
            model._embed = _embedding_without_positions(model, sides)
            undo.callback(delattr, model, "_embed")
        for sub in subs:
            layer, kind = sub.rsplit(".", 1)
            k = 1 + SUB_LAYER_KINDS_BY_STACK[layer.split(".")[0]].index(kind)
            add_and_norm = model.get_submodule(f"{layer}.add_and_norm_{k}")
            add_and_norm.add_output = _drop_residual_input(add_and_norm.add_output)
            undo.callback(delattr, add_and_norm, "add_output")
        yield model


def sub_layer_names(model: nn.Transformer) -> list[str]:
    """Return the names of all sub-layers, the encoder's first, in the order they are passed."""
    return [
        f"{stack}.{i}.{kind}"
        for stack, kinds in SUB_LAYER_KINDS_BY_STACK.items()
        for i in range(model.config.N)
        for kind in kinds
    ]


def attention_heads(model: nn.Transformer) -> list[tuple[str, int]]:
    """Return all heads, ``(attention, head from 0)``, in the same order."""
    return [
        (name, i)
        for name in sub_layer_names(model)
        if name.endswith("attention")
        for i in range(model.config.h)
    ]


def _parts_to_remove(
    argument_name: str, choice: bool | list | tuple, all_parts: list
) -> list:
    """Return which parts are taken away, of those that there are."""
    if isinstance(choice, bool):
        return [] if choice else all_parts
    choice = [part if isinstance(part, str) else tuple(part) for part in choice]
    for part in choice:
        if part not in all_parts:
            examples = ", ".join(map(str, [*all_parts[:2], "...", all_parts[-1]]))
            raise ValueError(
                f"model_without_parts: {argument_name} has {part!r}; expected some of {examples}. Name a "
                "part of this model."
            )
    return choice


def _replace_until_undone(
    undo_stack: ExitStack, W: torch.Tensor, value: torch.Tensor
) -> None:
    before = W.detach().clone()
    undo_stack.callback(_copy_values, W, before)
    W.copy_(value)


@torch.no_grad()
def _copy_values(W: torch.Tensor, value: torch.Tensor) -> None:
    W.copy_(value)


def _embedding_without_positions(model: nn.Transformer, sides: list[str]):
    embed_with_positions = model._embed

    def embed_side(side: str, ids, E, start=0):
        if side not in sides:
            return embed_with_positions(side, ids, E, start)
        return model.dropout(embed("Transformer", side, ids, E, None, start))

    return embed_side


def _drop_causal_mask(_, args, kwargs) -> tuple:
    return args, kwargs | {"causal": False}


def _drop_residual_input(add_output):
    return lambda x, y: add_output(torch.zeros_like(x), y)
