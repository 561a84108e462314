"""Attention in tiles, with a backward pass that computes the weights again."""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from ..by_hand.flash import check_tiles
from ..shapes import checked
from .gradient import once_differentiable


@checked
def flash_attention(
    Q: Float[Tensor, "*batch m d_k"],
    K: Float[Tensor, "*batch n d_k"],
    V: Float[Tensor, "*batch n d_v"],
    *,
    causal: bool = False,
    rows: int = 256,
    columns: int = 512,
) -> tuple[Float[Tensor, "*batch m d_v"], Float[Tensor, "*batch m"]]:
    r"""As ``by_hand.flash_attention``, with gradients.

    Saved for the backward pass are Q, K, V, Z and L, and no weight. Each tile of weights A is computed
    again, by :math:`A_{ij} = e^{S_{ij} - L_i}`, and from it the gradient of the scores,
    :math:`dS_{ij} = A_{ij} (dZ_i \cdot V_j - D_i)`. Here dZ is what reaches Z from behind, and
    :math:`D_i = dZ_i \cdot Z_i`.

    Algorithm 4 of Dao et al. (2022), algorithm 2 of Dao (2024). The gradient of Z can be taken once; L is a
    constant to autograd. Of halves, float16 or bfloat16, scores and sums are computed in float32, under
    autocast too, and L stays so; Z and the gradients are rounded once.
    """
    check_tiles("flash_attention", Q.shape[-2], K.shape[-2], causal, rows, columns)
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    Q, K, V = (x.expand(*batch, *x.shape[-2:]) for x in (Q, K, V))
    with torch.autocast(Q.device.type, enabled=False):
        return _FlashAttention.apply(Q, K, V, causal, rows, columns)


def _tile_scores(
    Q_i: Tensor, K_j: Tensor, i: int, j: int, causal: bool
) -> Float[Tensor, "*batch rows columns"]:
    """Return the scores of the tile whose first query is i and whose first key is j."""
    S = Q_i @ K_j.transpose(-1, -2) / math.sqrt(Q_i.shape[-1])  # (..., rows, columns)
    if causal and j + S.shape[-1] > i + 1:  # the tile reaches into the future
        past = torch.ones(S.shape[-2:], dtype=torch.bool, device=S.device).tril(i - j)
        S = S.masked_fill(~past, -math.inf)
    return S


class _FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx, Q, K, V, causal: bool, rows: int, columns: int
    ) -> tuple[Tensor, Tensor]:
        n, inputs = K.shape[-2], (Q, K, V)
        Q, K, V = (x.to(torch.promote_types(x.dtype, torch.float32)) for x in inputs)
        Z = V.new_empty(*Q.shape[:-1], V.shape[-1])
        L = Q.new_empty(*Q.shape[:-1], 1)
        for i in range(0, Q.shape[-2], rows):
            Q_i, Z_i = Q[..., i : i + rows, :], Z[..., i : i + rows, :].zero_()
            largest = Q.new_full((*Q_i.shape[:-1], 1), -math.inf)
            total = torch.zeros_like(largest)
            for j in range(0, min(n, i + rows) if causal else n, columns):
                K_j, V_j = K[..., j : j + columns, :], V[..., j : j + columns, :]
                S = _tile_scores(Q_i, K_j, i, j, causal)
                larger = torch.maximum(largest, S.amax(dim=-1, keepdim=True))
                e, shrink = S.sub_(larger).exp_(), torch.exp(largest - larger)
                total.mul_(shrink).add_(e.sum(dim=-1, keepdim=True))
                Z_i.mul_(shrink).add_(e @ V_j)
                largest = larger
            Z_i.div_(total)
            L[..., i : i + rows, :] = largest + total.log()
        Z = Z.to(inputs[2].dtype)
        ctx.save_for_backward(*inputs, Z, L)
        ctx.tiles = causal, rows, columns
        L = L[..., 0]
        ctx.mark_non_differentiable(L)
        return Z, L

    @staticmethod
    @once_differentiable
    def backward(ctx, dZ, _) -> tuple:
        (*QKVZ, L), (causal, rows, columns) = ctx.saved_tensors, ctx.tiles
        Q, K, V, Z, dZ = (x.to(L.dtype) for x in (*QKVZ, dZ))  # halves become float32
        dQ, dK, dV = (torch.zeros_like(x) for x in (Q, K, V))
        D = (dZ * Z).sum(dim=-1, keepdim=True)  # (..., m, 1)
        for j in range(0, K.shape[-2], columns):
            K_j, V_j, dK_j, dV_j = (x[..., j : j + columns, :] for x in (K, V, dK, dV))
            for i in range(j // rows * rows if causal else 0, Q.shape[-2], rows):
                Q_i, dZ_i, dQ_i, D_i, L_i = (
                    x[..., i : i + rows, :] for x in (Q, dZ, dQ, D, L)
                )
                A = _tile_scores(Q_i, K_j, i, j, causal).sub_(L_i).exp_()
                dV_j += A.transpose(-1, -2) @ dZ_i
                dS = A.mul_(dZ_i @ V_j.transpose(-1, -2) - D_i)
                dS /= math.sqrt(Q.shape[-1])
                dQ_i += dS @ K_j
                dK_j += dS.transpose(-1, -2) @ Q_i
        return dQ, dK, dV, None, None, None
