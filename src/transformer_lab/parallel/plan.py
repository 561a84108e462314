"""A training run on paper: what each GPU keeps, computes and sends in a step."""

from dataclasses import dataclass
from typing import NamedTuple

from transformer_book.options import ConfigError

from ..costs.published_models import LLAMA_2_70B, ModelSizes

# Bytes of a parameter in mixed precision, Rajbhandari et al. (2020): weight and gradient in 16
# bits; for Adam a weight and two moments in 32 bits.
WEIGHT_BYTES, GRADIENT_BYTES, ADAM_BYTES = 2, 2, 12
KEEP_CHOICES = ("all", "moments split", "all split")


class Machine(NamedTuple):
    """A GPU and its lines; rates in one second, bytes one way."""

    flops: float
    memory: float
    inside: float  # bytes a second to another GPU of the same machine
    between: float  # and to one of another machine
    gpus: int = 8  # of a machine


# NVIDIA (2020): 312 TFLOP/s in 16 bits, NVLink with 600 GB/s for both ways together. Touvron et al.
# (2023): 80 GB, and end-points of 200 Gbit/s. One end-point for each GPU is our assumption.
A100 = Machine(312e12, 80e9, 300e9, 25e9)


@dataclass(frozen=True)
class Plan:
    """How many ways texts, matrices and layers are split; ``keep`` is one of ``KEEP_CHOICES``.

    GPUs that share matrices are neighbours, in one machine as far as it has room; next come those
    that hold the same part for other texts. A group makes as many rings as it has GPUs, and so
    lines, in a machine. Of the bytes a step sends, those of vectors and weights count, two to a
    number, as a ring sends them; the time that a round takes to begin does not. Heads of keys are
    taken to be split as finely as those of queries, even where there are fewer.
    """

    texts: int = 1
    matrices: int = 1
    layers: int = 1
    keep: str = "all"
    model: ModelSizes = LLAMA_2_70B
    tokens: int = 2**22  # of a batch
    n: int = 4096  # of a text
    machine: Machine = A100

    def __post_init__(self):
        if self.model.h % self.matrices or self.model.N % self.layers:
            raise ConfigError(
                f"Plan: matrices is {self.matrices} and layers is {self.layers}; expected numbers "
                f"that divide the {self.model.h} heads and the {self.model.N} layers."
            )
        if self.keep not in KEEP_CHOICES:
            raise ConfigError(
                f"Plan: keep is {self.keep!r}; expected one of {KEEP_CHOICES}."
            )

    @property
    def gpus(self) -> int:
        """GPUs in all."""
        return self.texts * self.matrices * self.layers

    @property
    def parameters_per_gpu(self) -> float:
        """Parameters of the part that a GPU works on."""
        return self.model.parameters / (self.matrices * self.layers)

    @property
    def state_bytes(self) -> float:
        """Bytes that a GPU keeps between steps; what a pass saves for the way back comes on top."""
        moment_shards = 1 if self.keep == "all" else self.texts
        shards = self.texts if self.keep == "all split" else 1
        return self.parameters_per_gpu * (
            (WEIGHT_BYTES + GRADIENT_BYTES) / shards + ADAM_BYTES / moment_shards
        )

    @property
    def compute_seconds(self) -> float:
        """Seconds of a step at the peak, at six operations for each parameter and token."""
        work = 6 * self.model.parameters * self.tokens
        return work / (self.gpus * self.machine.flops)

    @property
    def text_send_seconds(self) -> float:
        """Seconds to send gradients and weights, twice the weights or, if all is split, three times."""
        times = 3 if self.keep == "all split" else 2
        size = times * 2 * self.parameters_per_gpu * (self.texts - 1) / self.texts
        return size / self._ring_bandwidth(self.texts, distance=self.matrices)

    @property
    def matrix_send_seconds(self) -> float:
        """Seconds to send partial sums, in four all-reduces of each layer."""
        size = 2 * self.model.d_model * self.tokens / self.texts
        ring = 2 * (self.matrices - 1) / self.matrices * size
        return (
            4 * self.model.N / self.layers * ring / self._ring_bandwidth(self.matrices)
        )

    @property
    def layer_send_seconds(self) -> float:
        """Seconds to send vectors to the stage behind, and their gradients to the one before."""
        size = 2 * self.model.d_model * self.tokens / self.texts
        # Each GPU sends to one other, over one line.
        alone = self.gpus <= self.machine.gpus
        line = self.machine.inside if alone else self.machine.between
        return 2 * size / line if self.layers > 1 else 0.0

    @property
    def bubble_share(self) -> float:
        """Share of the time that a stage rests, if each text is one part."""
        parts = self.tokens // self.n // self.texts
        return (self.layers - 1) / (parts + self.layers - 1)

    def _ring_bandwidth(self, member_count: int, distance=1) -> float:
        """Bytes a second of all rings of a group, each member so many GPUs ``distance`` from the next."""
        if member_count * distance <= self.machine.gpus:
            return self.machine.inside
        together = max(1, self.machine.gpus // distance)  # members in a machine
        return min(together * self.machine.between, self.machine.inside)
