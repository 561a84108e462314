"""The forward pass of ``flash_attention`` as one kernel in Triton, for a GPU or for Triton's interpreter."""

import functools
import math
from types import SimpleNamespace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from ..by_hand.flash import check_tiles
from ..shapes import ShapeError, checked

THREADS_PER_PROGRAM = 128  # of one program: four warps of 32, which share its tile
# Stands for triton.language until a kernel is wanted: the book itself needs no Triton.
tl: Any = SimpleNamespace(constexpr="constexpr")


def kernel(
    Q, K, V, Z, L, m, n, d_k, d_v, scale,
    CAUSAL: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    D_K: tl.constexpr, D_V: tl.constexpr,
):  # fmt: skip
    """Compute a tile of rows of Z, of one head: program (head, i) of the grid."""
    head, i = tl.program_id(0).to(tl.int64), tl.program_id(1) * ROWS
    Q, Z, L = Q + head * m * d_k, Z + head * m * d_v, L + head * m
    K, V = K + head * n * d_k, V + head * n * d_v
    row, of_k, of_v = i + tl.arange(0, ROWS), tl.arange(0, D_K), tl.arange(0, D_V)
    # Tiles are powers of 2: what lies beyond the array is read as 0.
    q_in = (row[:, None] < m) & (of_k[None, :] < d_k)
    Q_i = tl.load(Q + row[:, None] * d_k + of_k[None, :], mask=q_in, other=0.0)
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    Z_i = tl.zeros((ROWS, D_V), tl.float32)
    for j in range(0, tl.minimum(n, i + ROWS) if CAUSAL else n, COLUMNS):
        column = j + tl.arange(0, COLUMNS)
        k_in = (column[:, None] < n) & (of_k[None, :] < d_k)
        v_in = (column[:, None] < n) & (of_v[None, :] < d_v)
        K_j = tl.load(K + column[:, None] * d_k + of_k[None, :], mask=k_in, other=0.0)
        V_j = tl.load(V + column[:, None] * d_v + of_v[None, :], mask=v_in, other=0.0)
        S = tl.dot(Q_i, tl.trans(K_j), input_precision="ieee") * scale
        may = column[None, :] < n
        if CAUSAL:
            may = may & (column[None, :] <= row[:, None])
        S = tl.where(may, S, float("-inf"))
        larger = tl.maximum(largest, tl.max(S, axis=1))
        e, shrink = tl.exp(S - larger[:, None]), tl.exp(largest - larger)
        total = shrink * total + tl.sum(e, axis=1)
        Z_i = shrink[:, None] * Z_i
        Z_i += tl.dot(e.to(V_j.dtype), V_j, input_precision="ieee")
        largest = larger
    z_in = (row[:, None] < m) & (of_v[None, :] < d_v)
    Z_i = (Z_i / total[:, None]).to(Z.dtype.element_ty)
    tl.store(Z + row[:, None] * d_v + of_v[None, :], Z_i, mask=z_in)
    tl.store(L + row, largest + tl.log(total), mask=row < m)


@functools.cache
def _compile_kernel() -> Any:
    global tl
    try:
        import triton
    except ImportError as error:
        raise ImportError(
            "flash_kernel: Triton is not installed. Install it (pip install triton), or call "
            "nn.flash_attention, which needs none."
        ) from error
    tl = triton.language
    return triton.jit(kernel)


def program_grid(batch: int, h: int, m: int, rows: int) -> tuple[int, int]:
    """Return how many programs the kernel runs: for each head of the batch, one for each tile of queries."""
    return batch * h, -(-m // rows)


@checked
def flash_attention(
    Q: Float[Tensor, "batch h m d_k"],
    K: Float[Tensor, "batch h n d_k"],
    V: Float[Tensor, "batch h n d_v"],
    *,
    causal: bool = False,
    rows: int = 64,
    columns: int = 64,
) -> tuple[Float[Tensor, "batch h m d_v"], Float[Tensor, "batch h m"]]:
    """As ``by_hand.flash_attention``, in one kernel, without gradients.

    On a GPU it is compiled; on a processor it runs where the environment had ``TRITON_INTERPRET=1`` before
    Triton was loaded, slowly, for tests and for study.

    Parameters
    ----------
    rows, columns : int
        Powers of 2, at least 16: a GPU multiplies no smaller tiles.

    Raises
    ------
    ShapeError
        Also if a tile is no power of 2, or the floats are of a kind that the kernel does not compute with.
    ImportError
        If Triton is not installed.
    """
    (batch, h, m, d_k), (n, d_v) = Q.shape, V.shape[-2:]
    check_tiles("flash_attention", m, n, causal, rows, columns)
    _check_tile_sizes(rows=rows, columns=columns)
    _check_dtype(Q)
    Q, K, V = (x.contiguous() for x in (Q, K, V))
    Z = V.new_empty(batch, h, m, d_v)
    L = torch.empty(batch, h, m, dtype=torch.float32, device=Q.device)
    wide = [max(16, 1 << (d - 1).bit_length()) for d in (d_k, d_v)]
    sizes, scale = (m, n, d_k, d_v), 1 / math.sqrt(d_k)
    launch, warps = (
        _compile_kernel()[program_grid(batch, h, m, rows)],
        THREADS_PER_PROGRAM // 32,
    )
    launch(Q, K, V, Z, L, *sizes, scale, causal, rows, columns, *wide, num_warps=warps)
    return Z, L.to(Q.dtype)


def _check_tile_sizes(**tiles: int) -> None:
    for name, size in tiles.items():
        if size < 16 or size & (size - 1):
            raise ShapeError(
                f"flash_attention: {name} is {size}; expected a power of 2 of at least 16, "
                "which a GPU can multiply. Choose 16, 32, 64 or 128."
            )


def _check_dtype(Q: Tensor) -> None:
    kinds = [torch.float16, torch.float32]
    if Q.device.type != "cpu":
        kinds.append(torch.bfloat16)  # which Triton's interpreter gets wrong
    if Q.dtype not in kinds:
        raise ShapeError(
            f"flash_attention: Q holds {Q.dtype} on {Q.device}; expected one of "
            f"{', '.join(map(str, kinds))}. Convert Q, K and V first: Q.to({kinds[1]})."
        )
