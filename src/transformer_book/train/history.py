"""What a training run has done so far."""

from dataclasses import dataclass, field


@dataclass
class History:
    """The losses of a run, what it took, and where it stands.

    Parameters
    ----------
    losses : list of float
        Of each step: nats per token with label smoothing, before the step that learned from it. With
        consistency the mean of two passes, and the weighted divergence between them.
    validation : list of (int, float)
        A step, and after it nats per token of the validation sentences without label smoothing.
    tokens : int
        Target tokens learned from, padding apart.
    seconds : float
        Time in the loop, validation and checkpoints counted.
    epoch, batch : int
        Epochs completed, and batches taken of the one after.
    synthetic : list of list of int, optional
        Source sentences, as ids, that the run has generated and goes on learning from.
    """

    losses: list = field(default_factory=list)
    validation: list = field(default_factory=list)
    tokens: int = 0
    seconds: float = 0.0
    epoch: int = 0
    batch: int = 0
    synthetic: list | None = None

    @property
    def step_count(self):
        """How many steps have been taken."""
        return len(self.losses)

    @property
    def tokens_per_second(self):
        """Target tokens learned from in a second."""
        return self.tokens / self.seconds if self.seconds else 0.0

    @property
    def is_best_so_far(self):
        """Whether the last validation is the best so far."""
        return self.validation[-1][1] == min(loss for _, loss in self.validation)

    def __str__(self):
        progress = f"step {self.step_count:,}"
        if self.losses:
            progress += f": loss {self.losses[-1]:.3f}"
        if self.validation:
            progress += f", validation {self.validation[-1][1]:.4f}"
        return f"{progress}, {self.tokens_per_second:,.0f} tokens/s"

    def curve(self, point_count=200) -> list:
        """Return about so many (step, mean loss since the one before), for a plot or a record."""
        width = max(1, len(self.losses) // point_count)
        cuts = range(0, len(self.losses), width)
        parts = [(i, self.losses[i : i + width]) for i in cuts]
        return [(i + len(part), sum(part) / len(part)) for i, part in parts]
