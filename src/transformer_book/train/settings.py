"""How to train: every setting of a run in one record, and how its random numbers are seeded."""

from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real

import numpy as np

from ..config import ConfigError
from ..data.batches import bucketed
from .schedule import learning_rate

PRECISIONS = ("float32", "bf16")


@dataclass(frozen=True)
class Settings:
    """Everything that settles a training run but its model and its corpus.

    Parameters
    ----------
    steps : int
        How many batches to learn from.
    tokens : int
        The most tokens a batch may have on either side, padding counted.
    warmup : int
        How many steps the learning rate rises.
    factor : float
        Scales the learning rate of the paper, which has 1.
    cooldown : int
        Over how many steps at the end the learning rate falls to 0, in a straight line; the
        paper has none.
    smoothing : float
        How much of the probability the label shares with all words.
    clip : float, optional
        The longest gradient, as a norm over all weights, that is followed as it is.
    seed : int
        Decides the order of the sentences, and which numbers dropout sets to 0.
    precision : "float32" or "bf16"
        Of the matrix products; the weights stay float32.
    validate_every, checkpoint_every : int
        In steps. The last step does both.
    snapshots : int
        How many of the weights after the last validations the run's folder keeps, to be averaged.

    Raises
    ------
    ConfigError
        Naming the setting, what was given and what is expected.
    """

    steps: int = 1_000
    tokens: int = 2_000
    warmup: int = 200
    factor: float = 1.0
    cooldown: int = 0
    smoothing: float = 0.1
    clip: float | None = None
    seed: int = 0
    precision: str = "float32"
    validate_every: int = 200
    checkpoint_every: int = 200
    snapshots: int = 0

    def __post_init__(self):
        for name in ("steps", "tokens", "warmup", "validate_every", "checkpoint_every"):
            value = getattr(self, name)
            check(whole(value, 1), name, value, "a whole number of at least 1")
        for name in ("factor", "clip"):
            value = getattr(self, name)
            positive = isinstance(value, Real) and 0 < value < float("inf")
            none = name == "clip" and value is None
            check(positive or none, name, value, "a positive number")
        check(whole(self.cooldown, 0), "cooldown", self.cooldown, "a number of steps")
        within = self.cooldown <= self.steps
        check(
            within,
            "cooldown",
            self.cooldown,
            f"at most the {self.steps} steps of the run",
        )
        check(
            whole(self.snapshots, 0), "snapshots", self.snapshots, "a number of files"
        )
        share = isinstance(self.smoothing, Real) and 0 <= self.smoothing < 1
        check(share, "smoothing", self.smoothing, "a share from 0 to below 1")
        seed = whole(self.seed, 0)
        check(seed, "seed", self.seed, "a whole number of at least 0")
        known = self.precision in PRECISIONS
        check(known, "precision", self.precision, f"one of {PRECISIONS}")

    def learning_rate(self, step, d_model):
        """Return the learning rate of a step: the paper's, cooled at the end."""
        left = self.steps - step + 1
        rate = learning_rate(step, d_model, self.warmup, self.factor)
        return rate * min(1.0, left / self.cooldown) if self.cooldown else rate

    def curriculum(self, model, corpus, pairs, history):
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
        return self.batches(pairs, history.epoch, history.batch)

    def batches(self, pairs, epoch=0, done=0):
        """Give batches for ever, each epoch in an order of its own.

        Parameters
        ----------
        pairs : list of (list of int, list of int)
        epoch, done : int
            Where to begin: epochs completed, batches taken of the next.

        Yields
        ------
        epoch, done : int
            Where to begin in order to go on behind this batch.
        batch : Batch
        """
        while True:
            for batch in bucketed(pairs, self.tokens, seed_of(self.seed, epoch))[done:]:
                done += 1
                yield epoch, done, batch
            epoch, done = epoch + 1, 0

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


def seed_of(*numbers):
    """Mix whole numbers, such as the run's seed and an epoch, into one seed.

    Parameters
    ----------
    *numbers : int
        Each at least 0.

    Returns
    -------
    int
    """
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])


def whole(value, least):
    """Say whether a value is a whole number of at least so much."""
    return isinstance(value, Integral) and value >= least


def check(right, name, value, expected):
    """Raise ConfigError, naming the setting, unless its value is right."""
    if not right:
        raise ConfigError(f"Settings: {name} is {value!r}; expected {expected}.")
