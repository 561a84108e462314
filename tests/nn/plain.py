"""Language model and translator out of torch's own functions, in one pass with nothing kept.

Only the weights are ours, so their gradients can be taken too.
"""

import math

import torch
from torch.nn import functional as F


def language_model(model, ids, window=None):
    """Return the logits, (batch, n, words), where a token sees the ``window`` tokens up to itself."""
    c, i = model.config, torch.arange(ids.shape[1])
    distance = i[:, None] - i
    seen = (distance >= 0) & (distance < (window or len(i)))
    x = _embedded(ids, model.embedding, model.PE)
    for layer in model.layers:
        x = _encoder_layer(layer, x, seen, c.positions, distance)
    return _normed(x, model.norm) @ model.output.T


def translator(model, source, target):
    """Return the logits, (batch, m, target_words)."""
    real = (source != 0)[:, None, None]  # (batch, 1, 1, n)
    memory = _embedded(source, model.source_embedding, model.PE)
    for layer in model.encoder:
        memory = _encoder_layer(layer, memory, real)
    memory = _normed(memory, model.encoder_norm)
    past = torch.ones(target.shape[1], target.shape[1]).tril().bool()
    x = _embedded(target, model.target_embedding, model.PE)
    for layer in model.decoder:
        x = _decoder_layer(layer, x, memory, past, real)
    return _normed(x, model.decoder_norm) @ model.output.T


def _embedded(ids, E, PE):
    x = F.embedding(ids, E) * math.sqrt(E.shape[-1])
    return x if PE is None else x + PE[: ids.shape[1]].to(x.dtype)


def _encoder_layer(layer, x, seen, positions="sinusoidal", distance=None):
    attention, network = layer.self_attention, layer.feed_forward
    x = _added(
        x,
        layer.add_and_norm_1,
        lambda y: _attention(attention, y, y, seen, positions, distance),
    )
    return _added(x, layer.add_and_norm_2, lambda y: _network(network, y))


def _decoder_layer(layer, x, memory, past, real):
    own, crossed = layer.self_attention, layer.cross_attention
    x = _added(x, layer.add_and_norm_1, lambda y: _attention(own, y, y, past))
    x = _added(x, layer.add_and_norm_2, lambda y: _attention(crossed, y, memory, real))
    return _added(x, layer.add_and_norm_3, lambda y: _network(layer.feed_forward, y))


def _added(x, around, f):
    if around.norm == "pre":
        return x + f(_normed(x, around.layer_norm))
    return _normed(x + f(x), around.layer_norm)


def _normed(x, norm):
    if isinstance(norm, torch.nn.Identity):
        return x
    if hasattr(norm, "beta"):
        return F.layer_norm(x, x.shape[-1:], norm.gamma, norm.beta, 1e-5)
    return F.rms_norm(x, x.shape[-1:], norm.gamma, 1e-6)


def _attention(attention, x, y, seen, positions="sinusoidal", distance=None):
    """Let x ask y; (batch, m, d_model)."""
    if hasattr(attention, "W_DKV"):
        c = y @ attention.W_DKV
        Q, K, V = x @ attention.W_Q, c @ attention.W_UK, c @ attention.W_UV
    else:
        Q, K, V = x @ attention.W_Q, y @ attention.W_K, y @ attention.W_V
    d_k = Q.shape[-1] // attention.h
    Q, K, V = (z.unflatten(-1, (-1, d_k)).transpose(1, 2) for z in (Q, K, V))
    if getattr(attention, "q_norm", None) is not None:
        Q, K = _normed(Q, attention.q_norm), _normed(K, attention.k_norm)
    bias = torch.zeros((), dtype=Q.dtype)
    if positions == "rope":
        Q, K = _turned(Q), _turned(K)
    elif positions == "alibi":
        slopes = 2.0 ** (-8 * torch.arange(1, attention.h + 1) / attention.h)
        bias = -slopes[:, None, None] * distance
    elif positions == "t5":  # up to 16 every distance has a bucket of its own
        bias = attention.positions.table[distance.clamp(min=0)].movedim(-1, 0)
    elif positions == "shaw":
        a = attention.positions.table[distance + attention.positions.farthest]
        bias = torch.einsum("bhid,ijd->bhij", Q, a) / math.sqrt(d_k)
    bias = torch.where(seen, bias.to(Q.dtype), -math.inf)
    Z = F.scaled_dot_product_attention(Q, K, V, bias, enable_gqa=True)
    return Z.transpose(1, 2).flatten(-2) @ attention.W_O


def _turned(x):
    """Turn dimensions 2p and 2p + 1 of row i, as a complex number, by the angle i / 10000^(2p / d_k)."""
    n, d_k = x.shape[-2:]
    slower = 10_000.0 ** (-torch.arange(0, d_k, 2, dtype=torch.float64) / d_k)
    angle = torch.arange(n)[:, None] * slower
    turn = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2).to(x.dtype)


def _network(network, x):
    if hasattr(network, "experts"):  # all of them on all words; most weigh 0
        P = (x @ network.W_router).softmax(-1)
        best, chosen = P.topk(network.active)
        weights = torch.zeros_like(P).scatter(-1, chosen, best / best.sum(-1, True))
        made = [_network(expert, x) for expert in network.experts]
        return (torch.stack(made, -1) @ weights.unsqueeze(-1)).squeeze(-1)
    if hasattr(network, "W_gate"):
        inside = network.activation(x @ network.W_gate) * (x @ network.W_1)
        return inside @ network.W_2
    b_1, b_2 = (0 if b is None else b for b in (network.b_1, network.b_2))
    return network.activation(x @ network.W_1 + b_1) @ network.W_2 + b_2
