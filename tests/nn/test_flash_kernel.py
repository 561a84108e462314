"""The kernel in Triton: in its interpreter on a processor, compiled where there is a GPU."""

import os
import subprocess
import sys

import pytest
import torch

from tests.nn.cases import close, tensors
from transformer_book.nn import flash_kernel
from transformer_book.shapes import ShapeError

GPU = (
    torch.cuda.is_available()
)  # without one tests/conftest.py asks for the interpreter
DEVICE = "cuda" if GPU else "cpu"
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="Triton is made for Linux alone"
)
COMPILE = """
import triton
from triton.backends.compiler import GPUTarget
from transformer_book.nn import flash_kernel
kernel = flash_kernel._compile_kernel()
floats = dict.fromkeys("QKVZ", "*fp16") | {"L": "*fp32", "scale": "fp32"}
sizes = dict.fromkeys(("m", "n", "d_k", "d_v"), "i32")
fixed = {"CAUSAL": True, "ROWS": 64, "COLUMNS": 64, "D_K": 64, "D_V": 64}
kinds = floats | sizes | dict.fromkeys(fixed, "constexpr")
kinds = {name: kinds[name] for name in kernel.arg_names}
source = triton.compiler.ASTSource(kernel, kinds, constexprs=fixed)
made = triton.compile(source, target=GPUTarget("cuda", 90, 32),
                      options={"num_warps": flash_kernel.THREADS_PER_PROGRAM // 32})
print(made.metadata.num_warps * 32, made.metadata.shared, made.asm["ptx"].count("mma"))
"""


def inputs(m, n, d_k, d_v, dtype=torch.float32):
    shapes = (2, 2, m, d_k), (2, 2, n, d_k), (2, 2, n, d_v)
    return [x.detach().to(DEVICE) for x in tensors(m, *shapes, dtype=dtype)]


def reference(Q, K, V, causal):
    double = (x.double() for x in (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(*double, is_causal=causal)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "m, n, d_k, d_v, rows, columns",
    [
        (37, 37, 20, 12, 16, 16),
        (64, 64, 16, 16, 16, 32),
        (50, 50, 16, 40, 32, 16),
        (1, 1, 1, 1, 16, 16),
        (20, 41, 8, 8, 16, 16),
    ],
)
def test_it_is_attention(m, n, d_k, d_v, rows, columns, causal):
    n = m if causal else n
    Q, K, V = inputs(m, n, d_k, d_v)
    Z, L = flash_kernel.flash_attention(
        Q, K, V, causal=causal, rows=rows, columns=columns
    )
    close(Z.cpu(), reference(Q, K, V, causal).cpu(), 1e-5)
    S = Q.double() @ K.double().transpose(-1, -2) / d_k**0.5
    if causal:
        S = S.masked_fill(~torch.ones_like(S, dtype=torch.bool).tril(), -torch.inf)
    close(L.cpu(), S.logsumexp(dim=-1).cpu(), 1e-5)


def test_halves_are_summed_in_float32():
    Q, K, V = inputs(48, 48, 16, 16, torch.float16)
    Z, _ = flash_kernel.flash_attention(Q, K, V, rows=16, columns=16)
    assert Z.dtype == torch.float16
    close(Z.cpu(), reference(Q, K, V, False).cpu(), 1e-3)


def test_it_compiles_for_a_gpu_where_there_is_none():
    """128 threads, tensor cores, and less shared memory than an H100 gives a block, 227 KB."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    found = subprocess.run(
        [sys.executable, "-c", COMPILE],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert found.returncode == 0, found.stderr
    threads, shared, products = map(int, found.stdout.split())
    assert threads == flash_kernel.THREADS_PER_PROGRAM == 128
    assert shared < 227 * 2**10 and products > 0


def test_a_program_for_each_tile_of_each_head():
    assert flash_kernel.program_grid(2, 8, 4096, 64) == (16, 64)
    assert flash_kernel.program_grid(1, 1, 65, 64) == (1, 2)


@pytest.mark.parametrize("tile", [8, 24, 0])
def test_tiles_that_a_gpu_does_not_multiply_are_refused(tile):
    Q, K, V = inputs(4, 4, 4, 4)
    with pytest.raises(ShapeError, match=f"rows is {tile}"):
        flash_kernel.flash_attention(Q, K, V, rows=tile)


def test_kinds_that_it_would_get_wrong_are_refused():
    Q, K, V = inputs(4, 4, 4, 4, torch.float64)
    with pytest.raises(ShapeError, match=r"Q holds torch.float64 on .*; expected one"):
        flash_kernel.flash_attention(Q, K, V)


def test_without_triton_one_clear_error(monkeypatch):
    flash_kernel._compile_kernel.cache_clear()
    monkeypatch.setitem(sys.modules, "triton", None)
    with pytest.raises(ImportError, match="pip install triton"):
        flash_kernel.flash_attention(*inputs(4, 4, 4, 4))
