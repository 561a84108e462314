"""The settings of a run that only the laboratory knows, beside the book's."""

from dataclasses import dataclass

from transformer_book.expect import expect
from transformer_book.options import ConfigError, documented, whole
from transformer_book.train.settings import Settings

from . import curriculum


@documented
@dataclass(frozen=True)
class RunSettings(Settings):
    """The book's settings, and how a run learns from both directions of its pairs."""

    bidirectional: int = whole(
        "steps at the start that learn each pair in both directions, as Ding, Wu and Tao "
        "(2021) do; both languages need one vocabulary",
        0,
        0,
        "a number of steps",
    )
    back_beams: int = whole(
        "beams to translate each target back with after them, to a source that it is "
        "learned from as well; 0: none",
        0,
        0,
        "a number of beams",
    )

    def __post_init__(self):
        super().__post_init__()
        both = self.bidirectional
        expect(
            not self.back_beams or 0 < both < self.steps,
            ConfigError,
            "Settings",
            f"bidirectional is {both!r}",
            "some of the steps, but not all, as back_beams is set: what is translated back after "
            "them is learned in those that are left",
        )

    def curriculum(self, model, corpus, pairs, history):
        """Give the batches of a run: at first of both directions, if that is set.

        Raises
        ------
        ConfigError
            If both directions are to be learned, but each language has its own vocabulary.
        """
        if not self.bidirectional:
            return super().curriculum(model, corpus, pairs, history)
        turned = curriculum.turned_around(corpus, pairs)
        return curriculum.both_directions(model, pairs, turned, self, history)
