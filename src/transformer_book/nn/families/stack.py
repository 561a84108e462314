"""Layers one on top of the other, each with the choices of its architecture."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..heads import merge_heads, split_heads
from ..linear import linear
from ..relative import t5_buckets
from ..rotary import rotate
from ..shared_heads import attend_in_groups
from .parts import feed_forward_of, frequencies_of, norm_of


class Attention(torch.nn.Module):
    """Multi-head attention with every choice of an architecture: shared heads, biases, positions, norms.

    The projections of queries, keys and values stand side by side in one matrix.

    Parameters
    ----------
    architecture : Architecture
    """

    W_QKV: Float[Tensor, "d_model widths"]
    W_O: Float[Tensor, "h_d_k d_model"]
    norm_Q: Any
    norm_K: Any

    def __init__(self, architecture):
        super().__init__()
        self.architecture = a = architecture
        self.widths = [a.h * a.d_k, a.g * a.d_k, a.g * a.d_k]
        self.W_QKV = torch.nn.Parameter(torch.empty(a.d_model, sum(self.widths)))
        self.W_O = torch.nn.Parameter(torch.empty(self.widths[0], a.d_model))
        for W in (*self.W_QKV.split(self.widths, dim=-1), self.W_O):
            torch.nn.init.xavier_uniform_(W)
        self.b_QKV = self.b_O = None
        if a.attention_bias:
            self.b_QKV = torch.nn.Parameter(torch.zeros(sum(self.widths)))
            self.b_O = torch.nn.Parameter(torch.zeros(a.d_model))
        self.norm_Q = self.norm_K = None
        if a.qk_norm:
            self.norm_Q, self.norm_K = norm_of(a, a.d_k), norm_of(a, a.d_k)

    def forward(
        self,
        x,
        memory=None,
        mask=None,
        *,
        causal=False,
        bias=None,
        turn=None,
        need_weights=False,
    ):
        """Attend from x to itself, or to a memory; return what x takes home, and the weights.

        Parameters
        ----------
        x : tensor, (batch, m, d_model)
        memory : tensor, (batch, n, d_model), optional
        mask : boolean tensor, (batch, 1, n), optional
        causal : bool
        bias : tensor, (h, m, n), optional
            What is added to the scores.
        turn : callable, optional
            What turns queries and keys by their positions.
        need_weights : bool

        Returns
        -------
        output : tensor, (batch, m, d_model)
        weights : tensor, (batch, h, m, n), or None
        """
        a = self.architecture
        Q, K, V = self._project(x, memory)
        Q, K, V = split_heads(Q, a.h), split_heads(K, a.g), split_heads(V, a.g)
        if self.norm_Q is not None:
            Q, K = self.norm_Q(Q), self.norm_K(K)
        if turn is not None:
            Q, K = turn(Q), turn(K)
        if not a.scaled:
            Q = Q * a.d_k**0.5  # attention divides by it
        Z, weights = attend_in_groups(Q, K, V, mask, causal, 0.0, need_weights, bias)
        return linear(merge_heads(Z), self.W_O, self.b_O), weights

    def _project(self, x, memory):
        if memory is None:
            return linear(x, self.W_QKV, self.b_QKV).split(self.widths, dim=-1)
        parts = [self.widths[0], sum(self.widths[1:])]
        W_Q, W_KV = self.W_QKV.split(parts, dim=-1)
        b_Q, b_KV = (None, None) if self.b_QKV is None else self.b_QKV.split(parts)
        return linear(x, W_Q, b_Q), *linear(memory, W_KV, b_KV).chunk(2, dim=-1)


class Layer(torch.nn.Module):
    """One layer: self-attention, cross-attention if there is a memory to read, feed-forward network.

    Parameters
    ----------
    architecture : Architecture
    crosses : bool
        Whether it has cross-attention.
    """

    cross_attention: Any
    norm_2: Any

    def __init__(self, architecture, crosses=False):
        super().__init__()
        a = architecture
        self.pre = a.norm == "pre"
        self.self_attention, self.norm_1 = Attention(a), norm_of(a)
        self.cross_attention = Attention(a) if crosses else None
        self.norm_2 = norm_of(a) if crosses else None
        self.feed_forward, self.norm_3 = feed_forward_of(a), norm_of(a)

    def forward(self, x, mask, memory, memory_mask, **how):
        """Return what the layer makes of x, (batch, m, d_model), and the attention weights by name."""
        weights = {}

        def own(y):
            Z, weights["self_attention"] = self.self_attention(y, None, mask, **how)
            return Z

        def crossed(y):
            Z, weights["cross_attention"] = self.cross_attention(
                y, memory, memory_mask, need_weights=how["need_weights"]
            )
            return Z

        x = self._around(self.norm_1, own, x)
        if self.cross_attention is not None:
            x = self._around(self.norm_2, crossed, x)
        return self._around(self.norm_3, self.feed_forward, x), weights

    def _around(self, norm, f, x):
        return x + f(norm(x)) if self.pre else norm(x + f(x))


class Stack(torch.nn.Module):
    """An encoder or a decoder: which of the two, the mask says.

    Parameters
    ----------
    architecture : Architecture
    N : int
        Layers.
    causal : bool
        Whether nobody sees what comes later.
    crosses : bool
        Whether its layers read a memory.
    """

    buckets: Any  # (buckets, h), of T5

    def __init__(self, architecture, N, causal, crosses=False):
        super().__init__()
        self.architecture, self.causal = architecture, causal
        a = architecture
        self.layers = torch.nn.ModuleList(Layer(a, crosses) for _ in range(N))
        self.buckets = None
        if a.positions == "buckets":  # one table, read by all layers
            self.buckets = torch.nn.Parameter(torch.randn(a.buckets, a.h) * 0.02)
        # In Pre-LN nothing has normalised the sum that leaves the last layer.
        self.norm = norm_of(a) if a.norm == "pre" else torch.nn.Identity()

    def forward(
        self, x, mask=None, memory=None, memory_mask=None, *, need_weights=False
    ):
        """Return what the last layer makes of x, (batch, m, d_model), and the weights by name."""
        how = dict(causal=self.causal, need_weights=need_weights, **self._positions(x))
        seen = {}
        for i, layer in enumerate(self.layers):
            x, weights = layer(x, mask, memory, memory_mask, **how)
            if need_weights:
                seen |= {f"{i}.{name}": A for name, A in weights.items()}
        return self.norm(x), seen

    def _positions(self, x):
        """Return what attention needs to know of positions: what it adds, or what it turns by."""
        a, at = self.architecture, torch.arange(x.shape[1], device=x.device)
        if a.positions == "rotary":
            frequencies = frequencies_of(a).to(x.device)
            return {"turn": lambda X: rotate(X, at, frequencies, layout="half")}
        if a.positions == "buckets":
            distance = at[:, None] - at  # (m, n): how far a key stands before a query
            bucket = t5_buckets(
                distance, a.buckets, a.max_distance, both_sides=not self.causal
            )
            return {"bias": self.buckets[bucket].permute(2, 0, 1)}  # (h, m, n)
        return {}
