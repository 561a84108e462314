"""Everything that PyTorch's Transformer makes of one sentence on the way, by the names of trace.js."""

import contextlib
import math
from unittest import mock

import torch

from transformer_book import nn


def traced(model, source, target):
    """What forward hooks see, and products of what they see; heads first, no batch.

    Parameters
    ----------
    model : nn.Transformer
    source, target : list of int
        EOS ends the source, BOS begins the target.

    Returns
    -------
    dict
        Tensors by name; what a module itself does not hand on, such as the scores, is computed here
        from its parameters and from what it reads.
    """
    seen, hooks = {}, []
    for name, module in model.named_modules():
        if isinstance(module, (nn.MultiHeadAttention, nn.FeedForward, nn.LayerNorm)):
            hooks.append(
                module.register_forward_hook(
                    lambda module, given, made, name=name: seen.update(
                        {name: (module, given, made)}
                    )
                )
            )
    with torch.inference_mode():
        ids = [torch.tensor([one]) for one in (source, target)]
        logits, _ = model(*ids, need_weights=True)
        found = {}
        for side, these in zip(("source", "target"), ids):
            E = getattr(model, f"{side}_embedding")[these[0]]
            PE = model.PE[: these.shape[1]].to(E.dtype)
            E = E * math.sqrt(model.config.d_model)
            found |= {f"{side}.embedding": E, f"{side}.positions": PE}
            found[f"{side}.sum"] = E + PE
        for name, what in seen.items():
            found |= parts(name, *what)
    for hook in hooks:
        hook.remove()
    return found | {
        "logits": logits[0],
        "probabilities": logits[0].softmax(-1),
    }


def parts(name, module, given, made):
    """What one module reads and makes, by name."""
    if isinstance(module, nn.LayerNorm):
        name, own = name.removesuffix(".layer_norm"), {"normalised": made[0]}
        if "add_and_norm" not in name:  # the norm at the end of a stack of Pre-LN
            return {f"{name.removesuffix('_norm')}.output": made[0]}
        own["reads"] = given[0][0]  # the sum, in Post-LN
        return {f"{name}.{what}": it for what, it in own.items()}
    if isinstance(module, nn.FeedForward):
        hidden = given[0][0] @ module.W_1 + module.b_1
        own = {"hidden": hidden, "relu": hidden.relu(), "output": made[0]}
        return {f"{name}.{what}": it for what, it in own.items()}
    queries, memory = given[0][0], given[-1 if len(given) < 2 else 1][0]
    Q, K, V = (
        nn.split_heads(x @ W, module.h)
        for x, W in (
            (queries, module.W_Q),
            (memory, module.W_K),
            (memory, module.W_V),
        )
    )
    output, weights = made[0][0], made[1][0]
    own = {
        "Q": Q,
        "K": K,
        "V": V,
        "scores": Q @ K.mT / math.sqrt(Q.shape[-1]),
        "weights": weights,
        "Z": weights @ V,
        "output": output,
    }
    return {f"{name}.{what}": it for what, it in own.items()}


@contextlib.contextmanager
def changed(model, silenced=(), scale=True, causal=True, positions=True, residual=True):
    """The same model with what trace.js calls changes, made on its weights and modules."""
    with torch.no_grad(), contextlib.ExitStack() as undo:
        for name, head in silenced:
            rows = model.get_submodule(name).W_O.unflatten(0, (model.config.h, -1))
            before = rows[head].clone()
            rows[head] = 0  # what W_O does not read is as good as zero
            undo.callback(rows[head].copy_, before)
        for name, module in model.named_modules():
            if isinstance(module, nn.MultiHeadAttention):
                if not scale:
                    root = math.sqrt(module.W_O.shape[0] / module.h)
                    before = module.W_Q.clone()
                    module.W_Q.mul_(root)
                    undo.callback(module.W_Q.copy_, before)
                if not causal:
                    undo.enter_context(
                        mock.patch.object(module, "forward", open_(module))
                    )
            if isinstance(module, nn.AddAndNorm):
                sub = sub_layer(name)
                if residual is False or (residual is not True and sub in residual):
                    undo.enter_context(
                        mock.patch.object(module, "add_output", alone(module))
                    )
        if not positions:
            before = model.PE.clone()
            model.PE.zero_()
            undo.callback(model.PE.copy_, before)
        yield model


def open_(module):
    """Attention that hides nothing that comes later."""
    forward = module.forward
    return lambda *given, causal=False, **others: forward(*given, **others)


def alone(module):
    """Add & Norm that does not add what went in."""
    return lambda x, y: module.layer_norm(y) if module.norm == "post" else y


def sub_layer(name):
    """encoder.0.add_and_norm_2 stands around encoder.0.feed_forward."""
    layer, norm = name.rsplit(".", 1)
    order = ["self_attention", "cross_attention", "feed_forward"]
    if layer.startswith("encoder"):
        del order[1]
    return f"{layer}.{order[int(norm[-1]) - 1]}"
