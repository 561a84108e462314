"""How to train: every setting of a run in one record, and how its random numbers are seeded."""

from dataclasses import asdict, dataclass, replace

import numpy as np

from ..data.batches import bucketed_batches
from ..expect import expect, expect_integer
from ..options import (
    ConfigError,
    check_and_convert_options,
    choice,
    document_settings,
    integer,
    number,
)
from ..special_ids import PAD
from .schedule import learning_rate

PRECISIONS = ("float32", "bf16")


@document_settings
@dataclass(frozen=True)
class Settings:
    """Everything that settles a training run but its model and its corpus."""

    steps: int = integer("batches to learn from", 1_000)
    tokens: int = integer(
        "most tokens of a batch on either side, padding counted", 2_000
    )
    warmup: int = integer("steps while the learning rate rises", 200)
    factor: float = number(
        "scale of the learning rate; the paper's is 1",
        1.0,
        lambda x: x > 0,
        "a positive number",
    )
    cooldown: int = integer(
        "steps at the end while the learning rate falls to 0, in a straight line; the "
        "paper's is 0",
        0,
        0,
        "a number of steps",
    )
    smoothing: float = number(
        "share of the label's probability given to all words",
        0.1,
        lambda x: 0 <= x < 1,
        "a share from 0 to below 1",
    )
    consistency: float = number(
        "weight of the divergence between two passes of each batch with other dropout, alpha of "
        "R-Drop by Liang et al. (2021), where it is 5 for translation; 0: one pass",
        0.0,
        lambda x: x >= 0,
        "a number of at least 0",
    )
    clip: float | None = number(
        "longest gradient, as a norm over all weights, that is followed as it is",
        None,
        lambda x: x > 0,
        "a positive number",
    )
    seed: int = integer(
        "decides the weights, the order of sentences, and dropout", 0, 0
    )
    precision: str = choice(
        "of the matrix products; the weights stay float32", "float32", PRECISIONS
    )
    validate_every: int = integer("steps between validations; the last has one", 200)
    checkpoint_every: int = integer("steps between checkpoints; the last has one", 200)
    snapshots: int = integer(
        "last validated weights that the run's folder keeps, to be averaged; 0: none",
        0,
        0,
        "a number of files",
    )

    def __post_init__(self):
        check_and_convert_options(self, "Settings")
        expect(
            self.cooldown <= self.steps,
            ConfigError,
            "Settings",
            f"cooldown is {self.cooldown!r}",
            f"at most the {self.steps} steps of the run",
            "Lower cooldown, or raise steps.",
        )

    def learning_rate(self, step, d_model):
        """Return the learning rate of a step: the paper's, cooled at the end."""
        left = self.steps - step + 1
        rate = learning_rate(step, d_model, self.warmup, self.factor)
        return rate * min(1.0, left / self.cooldown) if self.cooldown else rate

    def remaining_batches(self, model, corpus, pairs, history):
        """Give the batches of a run, from where its history stands.

        Parameters
        ----------
        model : Transformer
            That learns.
        corpus : ParallelCorpus
        pairs : list of (list of int, list of int)
            Its training sentences, as ids.
        history : History

        Returns
        -------
        iterator of (int, int, Batch)
            As of ``batches``. Here all pairs in each epoch; a subclass may have other plans.
        """
        pad_id = model.config.pad_id
        return self.batches(pairs, history.epoch, history.batch, pad_id)

    def batches(self, pairs, epoch=0, batches_done=0, pad_id=PAD):
        """Give batches for ever, each epoch in another order.

        Parameters
        ----------
        pairs : list of (list of int, list of int), or callable
            What is learned in each epoch; or what gives, from an epoch, its pairs.
        epoch, batches_done : int
            Where to begin: epochs completed, batches taken of the next.
        pad_id : int
            As in :func:`data.collate`.

        Yields
        ------
        epoch, batches_done : int
            Where to begin in order to go on behind this batch.
        batch : Batch
        """
        while True:
            seed = mix_seed(self.seed, epoch)
            now = pairs(epoch) if callable(pairs) else pairs
            for batch in bucketed_batches(now, self.tokens, seed, pad_id)[
                batches_done:
            ]:
                batches_done += 1
                yield epoch, batches_done, batch
            epoch, batches_done = epoch + 1, 0

    def validates(self, step):
        """Say whether the model is validated after this step."""
        return step % self.validate_every == 0 or step == self.steps

    def saves(self, step):
        """Say whether a checkpoint is written after this step."""
        return step % self.checkpoint_every == 0 or step == self.steps

    def changed(self, **changes):
        """Return the same settings with some of them changed."""
        return replace(self, **changes)

    def as_dict(self):
        """Return the settings as a dictionary, for example to be saved in a checkpoint."""
        return asdict(self)


def mix_seed(*numbers):
    """Mix whole numbers, such as the run's seed and an epoch, into one seed.

    Parameters
    ----------
    *numbers : int
        Each at least 0.

    Returns
    -------
    int

    Raises
    ------
    ConfigError
        If one is no whole number of at least 0.
    """
    for one in numbers:
        who, remedy = "mix_seed", "Number runs and epochs from 0."
        expect_integer(ConfigError, who, "a number", one, minimum=0, remedy=remedy)
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
