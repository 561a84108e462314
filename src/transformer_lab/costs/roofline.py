"""What a pass costs in arithmetic and in memory traffic, and what the machine at hand can do of each."""

import time
from typing import NamedTuple

import torch


class PassCosts(NamedTuple):
    """Multiplications and additions, and bytes read, of one pass through one layer."""

    flops: int
    bytes: int

    @property
    def intensity(self) -> float:
        """Operations for each byte read."""
        return self.flops / self.bytes


def layer_work(m, n, d_model, d_ff, batch=1, bytes_per_number=4) -> PassCosts:
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
    bytes_per_number : int
    """
    weights = 4 * d_model**2 + 2 * d_model * d_ff
    products = 2 * batch * m * weights  # x @ W of all six matrices
    attention = 2 * batch * m * n * 2 * d_model  # Q @ K.T and A @ V of all heads
    cache = 2 * batch * n * d_model
    return PassCosts(products + attention, bytes_per_number * (weights + cache))


def square_product_call_and_flops(size: int = 1024) -> tuple:
    """Return a call that multiplies two square matrices in float32, and its operations."""
    a = torch.randn(size, size)
    return lambda: a @ a, 2 * size**3


def long_read_call_and_bytes(megabytes: int = 256) -> tuple:
    """Return a call that multiplies a matrix with a vector in float32, and the bytes it reads.

    The matrix is larger than caches are, so it comes from memory each time.
    """
    W = torch.ones(megabytes * 2**20 // 4 // 4096, 4096)
    x = torch.ones(4096)
    return lambda: W @ x, W.nbytes


def fastest(*calls, seconds: float) -> list[float]:
    """Return the shortest time of each call, tried turn by turn for so many seconds in all."""
    shortest = [float("inf")] * len(calls)
    for call in calls:
        call()
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline or shortest[-1] == float("inf"):
        for i, call in enumerate(calls):
            start = time.perf_counter()
            call()
            shortest[i] = min(shortest[i], time.perf_counter() - start)
    return shortest
