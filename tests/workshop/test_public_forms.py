"""Right functions in the forms of published packages: their masks, layouts, precisions and modules."""

import math

import numpy as np
import pytest
import torch
from torch.func import functional_call
from torch.nn import functional as F

from transformer_workshop.judge import judge
from transformer_workshop.tasks import tasks_by_name

RIGHT = []


def right(function):
    """Keep a function, to be judged by its name up to two underscores."""
    RIGHT.append(function)
    return function


def low_where_hidden(mask, dtype=torch.float32):
    """Return what is added to scores, so that the lowest number of a type hides a key."""
    return torch.where(mask, 0.0, torch.finfo(dtype).min)


@right
def softmax__in_single_precision(x):
    return torch.softmax(x.float(), -1).to(x.dtype)


@right
def merge_pair__in_a_tuple(pieces, pair):
    merged = []
    for piece in pieces:
        if merged and not merged[-1][1] and (merged[-1][0], piece) == pair:
            merged[-1] = ("".join(pair), True)
        else:
            merged.append((piece, False))
    return tuple(piece for piece, _ in merged)


@right
def embed__in_a_module(ids, E):
    words = torch.nn.Embedding(*E.shape)
    n, d_model = ids.shape[1], E.shape[1]
    rate = torch.exp(torch.arange(0, d_model, 2) * -(math.log(1e4) / d_model))
    angle = torch.arange(n)[:, None] * rate
    positions = torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
    return functional_call(words, {"weight": E}, ids) * math.sqrt(d_model) + positions


@right
def scaled_dot_product_attention__with_the_lowest_number(Q, K, V, mask=None):
    scores = torch.matmul(Q, K.transpose(-2, -1)) * Q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores + low_where_hidden(mask)
    weights = scores.softmax(-1, dtype=torch.float32).to(Q.dtype)
    return [weights @ V, weights]


@right
def multi_head_attention__with_words_in_front(
    queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None
):
    Q, K, V = (
        (x @ W).unflatten(-1, (h, -1))
        for x, W in ((queries, W_Q), (keys, W_K), (values, W_V))
    )
    scores = torch.einsum("...ihd,...jhd->...ijh", Q, K) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask[..., None] == 0, -math.inf)
    weights = scores.softmax(dim=-2)
    Z = torch.einsum("...ijh,...jhd->...ihd", weights, V).flatten(-2)
    return Z @ W_O, weights.movedim(-1, -3)


@right
def layer_norm__by_the_mean_of_squares(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x**2).mean(dim=-1, keepdim=True) - mean**2
    return gamma * ((x - mean) / torch.sqrt(variance + eps)) + beta


def names_in_pytorch(W):
    """Return the weights of a layer by the names of PyTorch's modules."""
    found, parts = {}, {"self": "self_attn", "cross": "multihead_attn"}
    for part, each in W.items():
        if "W_Q" in each:
            part = parts.get(part, "self_attn")
            matrices = [each[name].T for name in ("W_Q", "W_K", "W_V")]
            found[f"{part}.in_proj_weight"] = torch.cat(matrices)
            found[f"{part}.out_proj.weight"] = each["W_O"].T
        elif "W_1" in each:
            for i in "12":
                found[f"linear{i}.weight"] = each[f"W_{i}"].T
                found[f"linear{i}.bias"] = each[f"b_{i}"]
        else:
            norm = part.replace("_", "")
            found[f"{norm}.weight"] = each["gamma"]
            found[f"{norm}.bias"] = each["beta"]
    return found


def hidden(mask, x, keys, h):
    """Return the mask as PyTorch's modules take it: True hides, and each head has its own."""
    shape = len(x), x.shape[1], keys.shape[1]
    return None if mask is None else ~mask.expand(shape).repeat_interleave(h, 0)


def without_biases(kind, x, W, h):
    layer = kind(
        x.shape[-1], h, W["feed_forward"]["W_1"].shape[1], 0.0, batch_first=True
    )
    for name in ("self_attn", "multihead_attn"):
        if attention := getattr(layer, name, None):
            attention.in_proj_bias = attention.out_proj.bias = None
    return layer


@right
def encoder_layer__of_pytorch(x, W, h, mask=None):
    layer = without_biases(torch.nn.TransformerEncoderLayer, x, W, h)
    arguments = x, hidden(mask, x, x, h)
    return functional_call(layer, names_in_pytorch(W), arguments)


@right
def decoder_layer__of_pytorch(x, memory, W, h, memory_mask=None):
    layer = without_biases(torch.nn.TransformerDecoderLayer, x, W, h)
    causal = ~torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    arguments = x, memory, causal, hidden(memory_mask, x, memory, h)
    return functional_call(layer, names_in_pytorch(W), arguments)


@right
def smoothed_loss__with_shares_of_all_other_words(logits, labels, smoothing, pad_id):
    log_p, kept = logits.log_softmax(-1), labels != pad_id
    of_label = -log_p.gather(-1, labels[..., None])[..., 0]
    share = smoothing / logits.shape[-1]
    label = 1 - share * (logits.shape[-1] - 1)
    losses = (label - share) * of_label - share * log_p.sum(-1)
    return losses.masked_fill(~kept, 0.0).sum() / kept.sum()


@right
def learning_rate__rising_to_a_top(step, d_model, warmup):
    top = (d_model * warmup) ** -0.5
    return top * step / warmup if step < warmup else top * (warmup / step) ** 0.5


@right
def greedy__of_tensors(next_logits, bos, eos, longest):
    ids = torch.tensor([bos])
    for _ in range(longest):
        likeliest = torch.as_tensor(next_logits(ids)).argmax(-1, keepdim=True)
        if likeliest == eos:
            break
        ids = torch.cat([ids, likeliest])
    return ids[1:]


@right
def beam_search__with_twice_the_beams(next_logits, bos, eos, longest, beams):
    """What ends among the first beams is kept aside, and its place is filled again."""
    running, aside = [([bos], 0.0)], []
    for _ in range(longest):
        longer = []
        for ids, total in running:
            log_p = torch.as_tensor(next_logits(ids)).log_softmax(-1)
            longer += [([*ids, i], total + float(p)) for i, p in enumerate(log_p)]
        longer = sorted(longer, key=lambda pair: -pair[1])[: 2 * beams]
        aside += [pair for pair in longer[:beams] if pair[0][-1] == eos]
        running = [pair for pair in longer if pair[0][-1] != eos][:beams]
    best, _ = max(aside + running, key=lambda pair: pair[1])
    return [i for i in best[1:] if i != eos]


@right
def attend_with_cache__of_a_fixed_size(x, cache_K, cache_V, W_Q, W_K, W_V):
    batch, old, new = len(x), cache_K.shape[1], x.shape[1]
    K = x.new_zeros(batch, 20, W_K.shape[1])
    V = x.new_zeros(batch, 20, W_V.shape[1])
    K[:, :old], V[:, :old] = cache_K, cache_V
    K[:, old : old + new], V[:, old : old + new] = x @ W_K, x @ W_V
    seen = torch.ones(20, 20, dtype=torch.bool).tril()[old : old + new]
    output = F.scaled_dot_product_attention(x @ W_Q, K, V, seen)
    return output, K[:, : old + new], V[:, : old + new]


@right
def rotate__by_complex_numbers(x, positions, base=10_000.0):
    rate = 1.0 / base ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1])
    angle = torch.outer(positions.float(), rate)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    turned = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).flatten(-2).type_as(x)


@right
def rms_norm__in_single_precision(x, gamma, eps=1e-6):
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * gamma


@right
def grouped_query_attention__with_expanded_heads(
    x, W_Q, W_K, W_V, W_O, h, g, mask=None
):
    batch, n, _ = x.shape
    Q, K, V = (
        (x @ W).view(batch, n, count, -1) for W, count in ((W_Q, h), (W_K, g), (W_V, g))
    )
    K, V = (
        y[:, :, :, None].expand(*y.shape[:3], h // g, -1).flatten(2, 3) for y in (K, V)
    )
    scores = torch.einsum("bihd,bjhd->bhij", Q, K) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores + low_where_hidden(mask.reshape(-1, 1, n, n))
    weights = scores.softmax(-1)
    return torch.einsum("bhij,bjhd->bihd", weights, V).flatten(2) @ W_O, weights


@right
def merge_softmax_parts__by_logarithms(m_1, l_1, o_1, m_2, l_2, o_2):
    m = torch.maximum(m_1, m_2)
    together = torch.logaddexp(m_1 + l_1.log(), m_2 + l_2.log())
    o = o_1 * (m_1 - m).exp() + o_2 * (m_2 - m).exp()
    return m, (together - m).exp(), o


@right
def top_p__from_the_unlikely_end(logits, p):
    rising, order = logits.sort()
    remove = rising.softmax(-1).cumsum(-1) <= 1 - p
    remove[-1] = False
    remove = torch.zeros_like(remove).scatter(0, order, remove)
    return logits.masked_fill(remove, -math.inf).softmax(-1)


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_a_published_form_is_right(function):
    verdict = judge(tasks_by_name()[function.__name__.partition("__")[0]], function)
    assert verdict.state == "right", verdict


def test_no_input_has_a_total_of_exactly_p():
    """So a sampler that keeps one token more there, as a published one does, is right."""

    def keeps_at_the_edge(logits, p):
        e = np.exp(logits - logits.max())
        chance, order = e / e.sum(), np.argsort(-logits)
        total = np.cumsum(chance[order])
        kept = order[total - chance[order] <= p]
        result = np.zeros_like(chance)
        result[kept] = chance[kept] / chance[kept].sum()
        return result

    assert judge(tasks_by_name()["top_p"], keeps_at_the_edge).state == "right"
