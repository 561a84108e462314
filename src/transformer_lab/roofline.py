"""What a pass costs in arithmetic and in memory traffic, and what the machine at hand can do of each."""

import time
from typing import NamedTuple

import torch


class Work(NamedTuple):
    """Multiplications and additions, and bytes read, of one pass through one layer."""

    flops: int
    bytes: int

    @property
    def intensity(self):
        """Operations for each byte read."""
        return self.flops / self.bytes


def layer_work(m, n, d_model, d_ff, batch=1, each=4):
    """Count one pass of ``m`` new tokens of each text through a layer of multi-head attention.

    Of the bytes only weights and the cache count; the vectors between them are small, and are taken to stay
    in fast memory. Scores hidden by the causal mask count as computed, as in a plain matrix product.

    Parameters
    ----------
    m : int
        New tokens of each text.
    n : int
        Tokens of each text with those before, whose keys and values are read.
    d_model, d_ff : int
    batch : int
        Texts.
    each : int
        Bytes of a number.
    """
    weights = 4 * d_model**2 + 2 * d_model * d_ff
    products = 2 * batch * m * weights  # x @ W of all six matrices
    attention = 2 * batch * m * n * 2 * d_model  # Q @ K.T and A @ V of all heads
    cache = 2 * batch * n * d_model
    return Work(products + attention, each * (weights + cache))


def peak_flops(size=1024, seconds=0.5):
    """Measure the operations in a second of a square matrix product in float32."""
    a = torch.randn(size, size)
    return 2 * size**3 / fastest(lambda: a @ a, seconds)


def bandwidth(megabytes=256, seconds=0.5):
    """Measure the bytes in a second that a matrix times a vector reads, in float32.

    The matrix is larger than caches are, so it comes from memory each time.
    """
    W = torch.ones(megabytes * 2**20 // 4 // 4096, 4096)
    x = torch.ones(4096)
    return W.nbytes / fastest(lambda: W @ x, seconds)


def fastest(call, seconds):
    """Return the shortest time of a call in so many seconds of trying."""
    call()
    best, until = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < until:
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best
