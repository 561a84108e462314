"""A layer of the decoder: as the book's and PyTorch's, and other right and wrong ones."""

import numpy as np
import pytest
import torch

from transformer_book import by_hand
from transformer_workshop.judge import judge
from transformer_workshop.tasks.decoder_layer import TASK
from transformer_workshop.tasks.feed_forward import feed_forward
from transformer_workshop.tasks.layer_norm import layer_norm
from transformer_workshop.tasks.multi_head_attention import multi_head_attention

from ..layers import by_the_books_names, copy_into_pytorch


def inputs():
    for arguments in TASK.trial_arguments(np.random.default_rng(1)):
        yield (*arguments, None)[:5]


def test_the_reference_is_the_books():
    for x, memory, W, h, mask in inputs():
        ours = TASK.reference(x, memory, W, h, mask)
        theirs, _ = by_hand.decoder_layer(x, memory, by_the_books_names(W), h, mask)
        assert np.allclose(ours, theirs, atol=1e-4)


def test_the_reference_is_pytorchs():
    for x, memory, W, h, mask in inputs():
        if mask is not None and mask.shape[1] > 1:
            continue  # PyTorch wants such a mask once for each head
        sizes = x.shape[-1], h, len(W["feed_forward"]["b_1"])
        layer = torch.nn.TransformerDecoderLayer(*sizes, 0.0, batch_first=True).double()
        copy_into_pytorch(layer, W)
        theirs = layer(
            torch.tensor(x).double(),
            torch.tensor(memory).double(),
            tgt_mask=torch.ones(x.shape[1], x.shape[1]).triu(1).bool(),
            memory_key_padding_mask=None if mask is None else torch.tensor(~mask[:, 0]),
        )
        ours = TASK.reference(x, memory, W, h, mask)
        assert np.allclose(ours, theirs.detach(), atol=1e-4)


def in_pytorch(x, memory, W, h, memory_mask=None):
    def attend(x, read, W, **mask):
        Q, K, V = x @ W["W_Q"], read @ W["W_K"], read @ W["W_V"]
        Q, K, V = (y.unflatten(-1, (h, -1)).transpose(1, 2) for y in (Q, K, V))
        Z = torch.nn.functional.scaled_dot_product_attention(Q, K, V, **mask)
        return torch.flatten(Z.transpose(1, 2), -2) @ W["W_O"]

    def norm(x, i):
        gamma, beta = W[f"norm_{i}"].values()
        return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta)

    mask = memory_mask if memory_mask is None else memory_mask[:, None]
    x = norm(x + attend(x, x, W["self"], is_causal=True), 1)
    x = norm(x + attend(x, memory, W["cross"], attn_mask=mask), 2)
    F = W["feed_forward"]
    return norm(x + torch.relu(x @ F["W_1"] + F["b_1"]) @ F["W_2"] + F["b_2"], 3)


def word_by_word(x, memory, W, h, memory_mask=None):
    rows = []
    for i in range(x.shape[1]):
        word, past = x[:, i : i + 1], x[:, : i + 1]
        word = word + multi_head_attention(word, past, past, **W["self"], h=h)[0]
        word = layer_norm(word, **W["norm_1"])
        mask = memory_mask
        if mask is not None and mask.shape[1] > 1:
            mask = mask[:, i : i + 1]
        found, _ = multi_head_attention(
            word, memory, memory, **W["cross"], h=h, mask=mask
        )
        word = layer_norm(word + found, **W["norm_2"])
        word = word + feed_forward(word, **W["feed_forward"])
        rows.append(layer_norm(word, **W["norm_3"]))
    return np.concatenate(rows, axis=1)


def in_float32(x, memory, W, h, memory_mask=None):
    W = {k: {n: a.astype(np.float32) for n, a in part.items()} for k, part in W.items()}
    x, memory = x.astype(np.float32), memory.astype(np.float32)
    return TASK.solution(x, memory, W, h, memory_mask)


@pytest.mark.parametrize(
    "function", [in_pytorch, word_by_word, in_float32], ids=lambda f: f.__name__
)
def test_other_right_functions_are_right(function):
    assert judge(TASK, function).state == "right"


def layer(sources, sums=(1, 1, 1)):
    """Return a layer whose cross-attention reads from other places, or that lacks sums."""

    def layer(x, memory, W, h, memory_mask=None):
        mask = by_hand.causal_mask(x.shape[1])
        Z, _ = multi_head_attention(x, x, x, **W["self"], h=h, mask=mask)
        x = layer_norm(sums[0] * x + Z, **W["norm_1"])
        read = ({"x": x, "memory": memory}[name] for name in sources)
        Z, _ = multi_head_attention(*read, **W["cross"], h=h, mask=memory_mask)
        x = layer_norm(sums[1] * x + Z, **W["norm_2"])
        x = sums[2] * x + feed_forward(x, **W["feed_forward"])
        return layer_norm(x, **W["norm_3"])

    return layer


def test_the_layer_with_the_right_sources_is_right():
    assert judge(TASK, layer(("x", "memory", "memory"))).state == "right"


@pytest.mark.parametrize(
    "sources, name",
    [
        (("x", "x", "x"), "from x"),
        (("x", "x", "memory"), "keys from x"),
        (("x", "memory", "x"), "values from x"),
        (("memory", "x", "x"), "queries from memory"),
    ],
)
def test_other_sources_of_cross_attention_are_named(sources, name):
    slips = judge(TASK, layer(sources)).slips
    assert [slip.name for slip in slips] == [name]


def test_sums_that_subtract_are_told_by_a_property():
    verdict = judge(TASK, layer(("x", "memory", "memory"), sums=(-1, -1, -1)))
    assert not verdict.slips and "look at the sums (mistake M10)" in verdict.says[0]


def test_a_word_that_sees_the_next_one_is_told():
    def seen(x, memory, W, h, memory_mask=None):
        mask = np.tri(x.shape[1], k=1, dtype=bool)
        Z, _ = multi_head_attention(x, x, x, **W["self"], h=h, mask=mask)
        x = layer_norm(x + Z, **W["norm_1"])
        Z, _ = multi_head_attention(
            x, memory, memory, **W["cross"], h=h, mask=memory_mask
        )
        x = layer_norm(x + Z, **W["norm_2"])
        return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_3"])

    verdict = judge(TASK, seen)
    assert verdict.says[0].startswith("a later target word changes")


def test_all_parts_that_are_not_used_are_told_at_once():
    def short(x, memory, W, h, memory_mask=None):
        mask = np.tri(x.shape[1], dtype=bool)
        Z, _ = multi_head_attention(x, x, x, **W["self"], h=h, mask=mask)
        x = layer_norm(x + 2 * Z, **W["norm_1"])
        return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_2"])

    says = judge(TASK, short).says[0]
    assert says == 'W["cross"] and W["norm_3"] are not used'


def test_the_smallest_input_that_shows_other_keys_is_small():
    wrong = judge(TASK, layer(("x", "x", "memory"))).trial
    arrays = [a for part in wrong.arguments[2].values() for a in part.values()]
    assert sum(a.size for a in [*wrong.arguments[:2], *arrays]) < 70
