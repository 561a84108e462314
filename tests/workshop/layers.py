"""The workshop's weights of a layer, by the names that the book's and PyTorch's layers give them."""

import numpy as np
import torch

ATTENTIONS = {
    "attention": "self_attention",
    "self": "self_attention",
    "cross": "cross_attention",
}


def by_the_books_names(W):
    """Return the weights as by_hand's layers take them."""
    found = {}
    for part, each in W.items():
        if part in ATTENTIONS:
            together = [each[k] for k in ("W_Q", "W_K", "W_V")]
            found[f"{ATTENTIONS[part]}.W_QKV"] = np.concatenate(together, axis=1)
            found[f"{ATTENTIONS[part]}.W_O"] = each["W_O"]
            continue
        if part.startswith("norm"):
            part = f"add_and_{part}.layer_norm"
        found |= {f"{part}.{name}": array for name, array in each.items()}
    return found


def copy_into_pytorch(layer, W):
    """Put the weights into one of PyTorch's layers, whose matrices stand on the left."""

    def put(parameter, array):
        parameter.data.copy_(torch.as_tensor(array))

    for part, each in W.items():
        if part in ATTENTIONS:
            attention = layer.multihead_attn if part == "cross" else layer.self_attn
            together = [each[k].T for k in ("W_Q", "W_K", "W_V")]
            put(attention.in_proj_weight, np.concatenate(together))
            put(attention.out_proj.weight, each["W_O"].T)
            put(attention.in_proj_bias, np.zeros(3 * len(each["W_O"])))
            put(attention.out_proj.bias, np.zeros(len(each["W_O"])))
        elif part == "feed_forward":
            for i in (1, 2):
                linear = getattr(layer, f"linear{i}")
                put(linear.weight, each[f"W_{i}"].T)
                put(linear.bias, each[f"b_{i}"])
        else:
            norm = getattr(layer, part.replace("_", ""))
            put(norm.weight, each["gamma"])
            put(norm.bias, each["beta"])
