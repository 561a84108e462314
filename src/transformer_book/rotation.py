"""How rotary positions turn: what published models choose differently about them."""

from dataclasses import dataclass

from .expect import expect
from .options import (
    ConfigError,
    check_and_convert_options,
    choice,
    document_settings,
    integer,
    number,
)

LAYOUTS = ("interleaved", "half")
SCALINGS = ("none", "linear", "slow pairs")


@document_settings
@dataclass(frozen=True)
class Rotation:
    """How rotary positions turn queries and keys."""

    base: float = number(
        "of the angles: from pair to pair they fall from 1 to about 1 / base",
        10_000.0,
        lambda b: b > 1,
        "more than 1",
    )
    part: float = number(
        "of a head's dimensions, the first ones, which turn",
        1.0,
        lambda p: 0 < p <= 1,
        "a part, above 0 and at most 1",
    )
    layout: str = choice(
        "which dimensions are a pair: two neighbours, or one of each half",
        "interleaved",
        LAYOUTS,
    )
    scaling: str = choice(
        "what is changed for texts longer than those of training; linear: all pairs turn "
        "``factor`` times slower; slow pairs: only those that turn seldom in ``trained`` words",
        "none",
        SCALINGS,
    )
    factor: float = number(
        "how much slower they turn", 1.0, lambda x: x >= 1, "a number of at least 1"
    )
    slow: float = number(
        "turns in ``trained`` words up to which a pair is slow",
        1.0,
        lambda x: x > 0,
        "a number above 0",
    )
    fast: float = number(
        "turns from which on a pair keeps its speed; in between it is slowed in part",
        4.0,
        lambda x: x > 0,
        "a number above 0",
    )
    trained: int = integer("words of the texts of training", 8192)

    def __post_init__(self):
        check_and_convert_options(self, "Rotation")
        actual = f"fast is {self.fast!r}"
        expected = f"more than slow, which is {self.slow}"
        remedy = "Raise fast, or lower slow."
        expect(self.slow < self.fast, ConfigError, "Rotation", actual, expected, remedy)

    def turning_dimensions(self, head_width: int) -> int:
        """Return how many of a head's dimensions turn, of the ``head_width`` that it has."""
        return int(head_width * self.part)
