"""Sizes of published models, from which the bytes of their caches and weights follow."""

from typing import NamedTuple


class Sizes(NamedTuple):
    """What settles how much a model keeps and holds, from its published configuration.

    ``d_ff`` is the width of one expert where there are several. ``gates`` is 3 where the feed-forward
    network has a gate, and so three matrices, else 2.
    """

    name: str
    N: int
    d_model: int
    h: int
    g: int  # heads of keys, as many of values
    d_k: int
    d_ff: int
    words: int
    gates: int = 3
    tied: bool = False
    positions: int = 0
    biases: bool = False
    experts: int = 1
    active: int = 1  # experts that a token passes

    @property
    def parameters(self):
        """Parameters, counted matrix by matrix."""
        return self._count(self.experts)

    @property
    def active_parameters(self):
        """Parameters of all that a token passes."""
        return self._count(self.active)

    def _count(self, experts):
        d, width, shared = self.d_model, self.h * self.d_k, self.g * self.d_k
        norms = 2 * d * (2 if self.biases else 1)
        layer = 2 * d * width + 2 * d * shared + norms
        layer += experts * self.gates * d * self.d_ff
        if self.experts > 1:
            layer += d * self.experts  # the router
        if self.biases:
            layer += width + 2 * shared + d + self.d_ff + d
        ends = (1 if self.tied else 2) * self.words * d + self.positions * d
        return self.N * layer + ends + norms // 2

    def cache_bytes(self, tokens=1, each=2):
        """Bytes of the keys and values of so many tokens, ``each`` for a number."""
        return 2 * self.N * tokens * self.g * self.d_k * each


# Radford et al. (2019); Touvron et al. (2023); Yang et al. (2025); from the configurations published
# with the weights. Qwen3's normalised queries and keys, 2 * 128 parameters a layer, are not counted.
GPT2 = Sizes(
    "GPT-2", 12, 768, 12, 12, 64, 3072, 50257, 2, tied=True, positions=1024, biases=True
)
LLAMA_2_70B = Sizes("Llama-2-70B", 80, 8192, 64, 8, 128, 28672, 32000)
QWEN3_32B = Sizes("Qwen3-32B", 64, 5120, 64, 8, 128, 25600, 151936)
# Jiang et al. (2024); from the configuration published with the weights.
MIXTRAL_8X7B = Sizes(
    "Mixtral 8x7B", 32, 4096, 32, 8, 128, 14336, 32000, experts=8, active=2
)
PUBLISHED = (GPT2, LLAMA_2_70B, QWEN3_32B)
