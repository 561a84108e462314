"""How many numbers attention moves between slow memory and fast: a counted model, and a count of a run."""

import numpy as np

from transformer_book.by_hand import flash_attention
from transformer_book.by_hand.flash import check_tiles


class SlowArray(np.ndarray):
    """An array in slow memory. A slice of it is a plain array in fast memory, and counts as read."""

    read = 0

    def __getitem__(self, key):
        part = np.asarray(self)[key]
        self.read += part.size
        return part


def count_traffic(Q, K, V, **options) -> tuple[int, int]:
    """Run ``by_hand.flash_attention`` and return how many numbers it reads and writes.

    Parameters
    ----------
    Q, K, V : array
        In slow memory at the start; Z and L are there at the end.
    **options
        Of ``flash_attention``.

    Returns
    -------
    reads, writes : int
    """
    slow = [np.array(x).view(SlowArray) for x in (Q, K, V)]
    Z, L = flash_attention(*slow, **options)
    return sum(x.read for x in slow), Z.size + L.size


def explicit_traffic(
    n: int, d: int, *, causal=False, backward=False
) -> dict[str, tuple[int, int]]:
    """Return, step by step, what explicit self-attention of one head reads and writes.

    The model: every step is a separate pass. It reads its arguments from slow memory once, computes in fast
    memory, and writes its result to slow memory once.

    Parameters
    ----------
    n : int
        Queries, and as many keys.
    d : int
        Numbers in a query, a key, a value: d_k and d_v.
    causal : bool
        Whether a mask, computed on the fly, is laid on the scores.
    backward : bool
        Whether to count the gradients of Q, K and V, from saved weights, and not the output.

    Returns
    -------
    dict of str to (int, int)
        Reads and writes of each step, in numbers.
    """
    if backward:
        return {
            "dV = Aᵀ dZ": (n * n + n * d, n * d),
            "dA = dZ Vᵀ": (2 * n * d, n * n),
            "dS = A (dA − D)": (2 * n * n, n * n),
            "dQ = dS K": (n * n + n * d, n * d),
            "dK = dSᵀ Q": (n * n + n * d, n * d),
        }
    steps = {"S = Q Kᵀ": (2 * n * d, n * n)}
    if causal:
        steps["mask"] = (n * n, n * n)
    steps["A = softmax(S)"] = (n * n, n * n)
    steps["Z = A V"] = (n * n + n * d, n * d)
    return steps


def tile_shapes(n, rows: int, columns: int, causal=False) -> list[tuple[int, int]]:
    """Return how many queries and keys each tile has that is computed.

    Returns
    -------
    list of (int, int)

    Raises
    ------
    ShapeError
        If there is no query, or a tile has no row or no column.
    """
    check_tiles("tiles", n, n, causal, rows, columns)
    return [
        (min(rows, n - i), min(columns, n - j))
        for i in range(0, n, rows)
        for j in range(0, min(n, i + rows) if causal else n, columns)
    ]


def tiled_traffic(
    n, d, rows: int, columns: int, *, causal=False, backward=False
) -> tuple[int, int]:
    """Return what attention in tiles reads and writes, all steps together.

    The model: what one tile needs has room in fast memory. Forward, a tile of Q stays there while those of K
    and V come by. Backward, a tile of K and V stays with its gradients, and Q, dZ and dQ come by, with
    a number of L and one of D for each query.

    Parameters
    ----------
    n, d, causal, backward
        As in :func:`explicit_traffic`; backward, the weights are computed again.
    rows, columns : int
        Queries and keys in a tile.

    Returns
    -------
    reads, writes : int
    """
    visited = tile_shapes(n, rows, columns, causal)
    if backward:
        queries = sum(r for r, _ in visited)
        reads = (
            2 * n * d + 2 * n * d + queries * (3 * d + 2)
        )  # for D; K and V; each tile
        return reads, n + n * d + 2 * n * d + queries * d  # D; dQ = 0; dK and dV; dQ
    return n * d + 2 * d * sum(c for _, c in visited), n * d + n
