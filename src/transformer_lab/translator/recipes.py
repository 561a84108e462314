"""Named runs: a corpus, the sizes of its model, how it is trained, and how it then translates."""

from dataclasses import dataclass

from ..book_models.grammar_translator import BOOK_CHOICES, SETTINGS
from .run_settings import RunSettings


@dataclass(frozen=True)
class Recipe:
    """All that a run needs but its seed and its machine.

    Parameters
    ----------
    corpus : str
        A name that ``load_parallel`` knows.
    sizes : dict
        What ``translator`` takes: the preset, and what differs from it.
    settings : RunSettings
    beams : int
    length_penalty : float
        Of the beam search by which the trained model is scored.
    """

    corpus: str
    sizes: dict
    settings: RunSettings
    beams: int = 4
    length_penalty: float = 0.6


_REAL_CORPUS_MODEL_CHOICES = {
    "preset": "tiny",
    "d_model": 128,
    "d_ff": 256,
    "h": 4,
    "N": 4,
    "norm": "pre",
    "share": "all",
    "dropout": 0.3,
    "max_length": 128,
}
_LONG_RUN = RunSettings(
    steps=24_000,
    tokens=2_048,
    warmup=1_000,
    factor=1.8,
    cooldown=12_000,
    smoothing=0.1,
    validate_every=400,
    checkpoint_every=400,
    snapshots=10,
)
_BOTH_DIRECTIONS = _LONG_RUN.changed(bidirectional=12_000, back_beams=5)
_SHORTER_RUN = _LONG_RUN.changed(steps=8_000, cooldown=4_000)

RECIPES = {
    "grammar": Recipe("grammar", BOOK_CHOICES, RunSettings(**SETTINGS.as_dict())),
    "multi30k": Recipe(
        "multi30k",
        _REAL_CORPUS_MODEL_CHOICES,
        _BOTH_DIRECTIONS,
        beams=5,
        length_penalty=1.0,
    ),
    "tatoeba": Recipe(
        "tatoeba",
        _REAL_CORPUS_MODEL_CHOICES | {"d_ff": 512, "share": "target"},
        _SHORTER_RUN,
    ),
}
