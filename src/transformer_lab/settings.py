"""The settings of a run that only the laboratory knows, beside the book's."""

from dataclasses import dataclass

from transformer_book.train.settings import Settings, check, whole

from . import curriculum


@dataclass(frozen=True)
class RunSettings(Settings):
    """The book's settings, and how a run learns from both directions of its pairs.

    Parameters
    ----------
    bidirectional : int
        How many steps at the start learn each pair in both directions, as Ding, Wu and Tao
        (2021) do. Both languages need one vocabulary.
    back_beams : int
        With how many beams the model then translates each target back. The source it finds
        is a synthetic one to learn that target from as well. 0 leaves that out.

    Raises
    ------
    ConfigError
        Naming the setting, what was given and what is expected.
    """

    bidirectional: int = 0
    back_beams: int = 0

    def __post_init__(self):
        super().__post_init__()
        both, beams = self.bidirectional, self.back_beams
        check(whole(both, 0), "bidirectional", both, "a number of steps")
        check(whole(beams, 0), "back_beams", beams, "a number of beams")
        check(
            not beams or 0 < both < self.steps,
            "bidirectional",
            both,
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
