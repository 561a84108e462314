"""English sentences with their right translations into Chinese, drawn from a small grammar.

Its words are in ``lexicon``, its rules in ``rules``.
"""

import random
import re
from itertools import pairwise

from ..expect import expect_integer, refusal
from .errors import DataError
from .lexicon import DRY_CLEANING_VERBS, NOUNS, PREPOSITIONS, TIME_PHRASES
from .rules import SINGULAR_BY_PLURAL, build_sentence

# Pairs of neighbours that training never sees; every test sentence has one or more.
# "brown dog" is held out, so "brown dogs" is, too.
HELD_OUT_NEIGHBOURS_BY_WORD = {
    "big": "fox chair",
    "small": "cow bridge",
    "black": "horse umbrella",
    "white": "rabbit table",
    "brown": "dog",
    "grey": "duck",
    "red": "couch",
    "blue": "car",
    "green": "box",
    "new": "boat",
    "old": "pig bed",
    "happy": "girl",
    "tired": "sheep",
    "clever": "cat",
    "hungry": "cow",
    "sat": "comfortably",
    "slept": "quietly",
    "ate": "happily",
    "danced": "slowly",
    "waited": "quietly",
}
MAX_WORDS = 20  # words in an English sentence, its full stop counted
MAX_PAIRS = 1_000_000
WORDS_AT_MOST_ONCE = {
    *NOUNS,
    *SINGULAR_BY_PLURAL,
    *(time.split()[-1] for time in TIME_PHRASES),
}
# What is one choice in English, though it may be several words.
UNITS_OF_SEVERAL_WORDS = [
    unit for unit in (*PREPOSITIONS, *TIME_PHRASES, *DRY_CLEANING_VERBS) if " " in unit
]
UNIT_PATTERN = re.compile("|".join([*UNITS_OF_SEVERAL_WORDS, r"\S+"]))


def draw_translation(pick, chinese_choices):
    """Draw one of the right translations."""
    if isinstance(chinese_choices, str):
        return chinese_choices
    if isinstance(chinese_choices, tuple):
        return "".join(draw_translation(pick, part) for part in chinese_choices)
    ways = (
        chinese_choices.items()
        if isinstance(chinese_choices, dict)
        else chinese_choices
    )
    drawn: list = []
    for way, times in ways:
        drawn += [way] * times
    return draw_translation(pick, pick(drawn))


def translation_probabilities(chinese_choices) -> dict[str, float]:
    """Return all right translations, each with its probability in ``draw_translation``."""
    if isinstance(chinese_choices, str):
        return {chinese_choices: 1.0}
    probabilities: dict[str, float] = {}
    if isinstance(chinese_choices, tuple):
        probabilities = {"": 1.0}
        for part in chinese_choices:
            endings = translation_probabilities(part)
            probabilities = {
                beginning + ending: p * q
                for beginning, p in probabilities.items()
                for ending, q in endings.items()
            }
        return probabilities
    ways = list(
        chinese_choices.items()
        if isinstance(chinese_choices, dict)
        else chinese_choices
    )
    all_times = sum(times for _, times in ways)
    for way, times in ways:
        for text, p in translation_probabilities(way).items():
            share = p * times / all_times
            probabilities[text] = probabilities.get(text, 0.0) + share
    return probabilities


def translations(english) -> dict:
    """Return all right translations of a sentence of the grammar.

    Parameters
    ----------
    english : str

    Returns
    -------
    dict of str to float
        Chinese sentences, the likeliest first, with the probability that ``grammar_pairs``
        draws this one, from 0 to 1; together 1.

    Raises
    ------
    DataError
        If the grammar does not make this sentence; says up to which word it does.
    """
    if not isinstance(english, str):
        raise refusal(
            DataError,
            "translations",
            f"english is a {type(english).__name__}",
            "a string, a sentence of the grammar",
            "Give one sentence.",
        )
    inside = english[:1].lower() + english[1:].removesuffix(".")
    units = UNIT_PATTERN.findall(re.sub(r"\ban\b", "a", inside))
    left = [*units, "."]

    def pick(options):
        if left[0] in options:
            return left.pop(0)
        if None in options:
            return None
        raise no_sentence_error(options)

    def no_sentence_error(expected):
        beginning = " ".join(units[: len(units) + 1 - len(left)])
        after = f"after {beginning!r} it" if beginning else "it"
        words = ", ".join(map(repr, dict.fromkeys(expected)))
        return DataError(
            f"translations: {english!r} is no sentence of the grammar: {after} has "
            f"{left[0]!r}; expected one of: {words}."
        )

    grammatical, chinese = build_sentence(pick)
    if left != ["."]:
        raise no_sentence_error(["."])
    if grammatical != english:
        raise DataError(
            f"translations: {english!r} is no sentence of the grammar, but "
            f"{grammatical!r} is. Write it so."
        )
    if not fits_limits(english):
        raise refusal(
            DataError,
            "translations",
            f"the grammar never draws {english!r}",
            f"at most {MAX_WORDS} words, full stop counted, and no noun or time twice",
            "Write a shorter one.",
        )
    probabilities = {
        text: round(p, 12) for text, p in translation_probabilities(chinese).items()
    }
    return dict(sorted(probabilities.items(), key=lambda way: (-way[1], way[0])))


def held_out_neighbours(english) -> list:
    """Find the neighbours in a sentence that training never sees.

    Parameters
    ----------
    english : str
        A sentence of the grammar.

    Returns
    -------
    list of (str, str)
        Pairs of ``HELD_OUT_NEIGHBOURS_BY_WORD``, nouns in the singular.
    """
    singular = [SINGULAR_BY_PLURAL.get(word, word) for word in sentence_words(english)]
    return [
        (a, b)
        for a, b in pairwise(singular)
        if b in HELD_OUT_NEIGHBOURS_BY_WORD.get(a, "").split()
    ]


def sentence_words(english):
    """Cut a sentence of the grammar, its full stop left out."""
    return english.removesuffix(".").split()


def fits_limits(english):
    """Say whether a sentence is short and names no noun and no time twice."""
    all_words = sentence_words(english)
    at_most_once = [word for word in all_words if word in WORDS_AT_MOST_ONCE]
    return len(all_words) < MAX_WORDS and len(at_most_once) == len(set(at_most_once))


def grammar_pairs(n, seed=0) -> list:
    """Draw English sentences with their Chinese translations.

    Parameters
    ----------
    n : int
        How many pairs; all English sentences are different.
    seed : int
        The same seed gives the same pairs, and a smaller ``n`` the first of them.

    Returns
    -------
    list of (str, str)
        English, Chinese: one of the right ones, which ``translations`` lists.

    Raises
    ------
    DataError
        If ``n`` is not a whole number from 0 to 1,000,000.
    """
    who, remedy = "grammar_pairs", "Give the number of pairs to draw."
    expect_integer(DataError, who, "n", n, minimum=0, maximum=MAX_PAIRS, remedy=remedy)
    pick = random.Random(seed).choice
    pairs = {}
    while len(pairs) < n:
        english, chinese = build_sentence(pick)
        if fits_limits(english) and english not in pairs:
            pairs[english] = draw_translation(pick, chinese)
    return list(pairs.items())
