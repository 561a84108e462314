"""The settings of a run that only the laboratory knows, beside the book's."""

from collections.abc import Callable
from dataclasses import dataclass

from transformer_book.expect import expect
from transformer_book.options import ConfigError, document_settings, integer, number
from transformer_book.train.settings import Settings

from . import curriculum
from .recutting import Recutting


@document_settings
@dataclass(frozen=True)
class RunSettings(Settings):
    """The book's settings, and how a run enlarges and cuts its pairs."""

    bidirectional: int = integer(
        "steps at the start that learn each pair in both directions, as Ding, Wu and Tao "
        "(2021) do; both languages need one vocabulary",
        0,
        0,
        "a number of steps",
    )
    back_beams: int = integer(
        "beams to translate each target back with after them, to a source that it is "
        "learned from as well; 0: none",
        0,
        0,
        "a number of beams",
    )
    bpe_dropout: float = number(
        "probability with which a merge of the subwords is skipped, as the training pairs are cut "
        "anew for each epoch (Provilkov, Emelianenko and Voita, 2020); theirs is 0.1",
        0.0,
        lambda x: 0 <= x <= 1,
        "a probability, from 0 to 1",
    )

    def __post_init__(self):
        super().__post_init__()
        bidirectional = self.bidirectional
        expect(
            not self.back_beams or 0 < bidirectional < self.steps,
            ConfigError,
            "Settings",
            f"bidirectional is {bidirectional!r}",
            "some of the steps, but not all, as back_beams is set: what is translated back after "
            "them is learned in those that are left",
            "Change it, or leave out back_beams.",
        )

    def remaining_batches(self, model, corpus, pairs, history):
        """Give the batches of a run: at first of both directions, and cut anew, if that is set.

        Raises
        ------
        ConfigError
            If both directions are to be learned, but each language has its own vocabulary; or
            words are to be cut anew, but the corpus has no subwords.
        """
        cut: Callable[[list], list] = list
        if self.bpe_dropout:
            longest = min(self.tokens, model.config.max_length)
            cut = Recutting(corpus, self.bpe_dropout, self.seed, longest)
        if not self.bidirectional:
            return super().remaining_batches(model, corpus, cut(pairs), history)
        swapped = curriculum.swapped_pairs(corpus, pairs)
        return curriculum.both_direction_batches(
            model, pairs, swapped, self, history, cut
        )
