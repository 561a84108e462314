"""``by_hand`` attention beside SciPy written plainly and torch's kernel, on the same arrays."""

from functools import partial

import numpy as np
import scipy.special
import torch

from transformer_book.by_hand import scaled_dot_product_attention

from .timing import median_seconds_and_ratios

SEQUENCE_LENGTHS = (16, 64, 256, 1024)
HEAD_COUNT, D_K = 8, 64  # the paper's base model


def attention_by_scipy(Q, K, V) -> np.ndarray:
    scores = Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])
    return scipy.special.softmax(scores, axis=-1) @ V


def measure_rows() -> list[tuple[str, str, str]]:
    """Return one row per length: the time of ``by_hand`` and what the peers take beside it."""
    torch.set_num_threads(1)
    table_rows = []
    for n in SEQUENCE_LENGTHS:
        rng = np.random.default_rng(n)
        arrays = [
            rng.normal(size=(HEAD_COUNT, n, D_K)).astype(np.float32) for _ in range(3)
        ]
        Q, K, V = (torch.from_numpy(array)[None] for array in arrays)
        with torch.inference_mode():
            ours, *_ = outputs = (
                scaled_dot_product_attention(*arrays)[0],
                attention_by_scipy(*arrays),
                torch.nn.functional.scaled_dot_product_attention(Q, K, V)[0].numpy(),
            )
            for output in outputs[1:]:
                np.testing.assert_allclose(output, ours, atol=1e-5)
            seconds, scipy_ratio, torch_ratio = median_seconds_and_ratios(
                partial(scaled_dot_product_attention, *arrays),
                partial(attention_by_scipy, *arrays),
                partial(torch.nn.functional.scaled_dot_product_attention, Q, K, V),
            )
        table_rows.append(
            (
                f"`by_hand` attention, {HEAD_COUNT} heads, {n} words, d_k {D_K}",
                f"{seconds * 1e3:.2f} ms",
                f"takes {scipy_ratio:.2f} x as long as plain SciPy, {torch_ratio:.2f} x as torch's kernel",
            )
        )
    return table_rows
