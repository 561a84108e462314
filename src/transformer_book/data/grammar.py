"""English sentences with their right translations into Chinese, drawn from a small grammar.

Its words are in ``lexicon``, its rules in ``rules``.
"""

import random
import re
from itertools import pairwise

from ..expect import expect_whole, refusal
from .errors import DataError
from .lexicon import CLEANED, NOUNS, PREPOSITIONS, TIMES
from .rules import SINGULAR, sentence

# Pairs of neighbours that training never sees; every test sentence has one or more.
# "brown dog" is held out, so "brown dogs" is, too.
HELD_OUT = {
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
LONGEST = 20  # words in an English sentence, its full stop counted
MOST = 1_000_000
ONCE = {*NOUNS, *SINGULAR, *(time.split()[-1] for time in TIMES)}
# What is one choice in English, though it may be several words.
SEVERAL = [unit for unit in (*PREPOSITIONS, *TIMES, *CLEANED) if " " in unit]
UNIT = re.compile("|".join([*SEVERAL, r"\S+"]))


def say(pick, chinese):
    """Write one of the right translations."""
    if isinstance(chinese, str):
        return chinese
    if isinstance(chinese, tuple):
        return "".join(say(pick, part) for part in chinese)
    ways = chinese.items() if isinstance(chinese, dict) else chinese
    drawn: list = []
    for way, times in ways:
        drawn += [way] * times
    return say(pick, pick(drawn))


def every(chinese):
    """Return all right translations, each with the probability that ``say`` writes it."""
    if isinstance(chinese, str):
        return {chinese: 1.0}
    found: dict[str, float] = {}
    if isinstance(chinese, tuple):
        found = {"": 1.0}
        for part in chinese:
            more = every(part)
            found = {a + b: p * q for a, p in found.items() for b, q in more.items()}
        return found
    ways = list(chinese.items() if isinstance(chinese, dict) else chinese)
    all_times = sum(times for _, times in ways)
    for way, times in ways:
        for text, p in every(way).items():
            found[text] = found.get(text, 0.0) + p * times / all_times
    return found


def translations(english):
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
        given, remedy = f"english is a {type(english).__name__}", "Give one sentence."
        expected = "a string, a sentence of the grammar"
        raise refusal(DataError, "translations", given, expected, remedy)
    inside = english[:1].lower() + english[1:].removesuffix(".")
    units = UNIT.findall(re.sub(r"\ban\b", "a", inside))
    left = [*units, "."]

    def pick(options):
        if left[0] in options:
            return left.pop(0)
        if None in options:
            return None
        raise no_sentence(options)

    def no_sentence(expected):
        said = " ".join(units[: len(units) + 1 - len(left)])
        after = f"after {said!r} it" if said else "it"
        words = ", ".join(map(repr, dict.fromkeys(expected)))
        return DataError(
            f"translations: {english!r} is no sentence of the grammar: {after} has "
            f"{left[0]!r}; expected one of: {words}."
        )

    made, chinese = sentence(pick)
    if left != ["."]:
        raise no_sentence(["."])
    if made != english:
        raise DataError(
            f"translations: {english!r} is no sentence of the grammar, but {made!r} is. "
            "Write it so."
        )
    if not fits(english):
        given, remedy = f"the grammar never draws {english!r}", "Write a shorter one."
        expected = (
            f"at most {LONGEST} words, full stop counted, and no noun or time twice"
        )
        raise refusal(DataError, "translations", given, expected, remedy)
    found = {text: round(p, 12) for text, p in every(chinese).items()}
    return dict(sorted(found.items(), key=lambda way: (-way[1], way[0])))


def held_out(english):
    """Find the neighbours in a sentence that training never sees.

    Parameters
    ----------
    english : str
        A sentence of the grammar.

    Returns
    -------
    list of (str, str)
        Pairs of ``HELD_OUT``, nouns in the singular.
    """
    said = [SINGULAR.get(word, word) for word in words(english)]
    return [(a, b) for a, b in pairwise(said) if b in HELD_OUT.get(a, "").split()]


def words(english):
    """Cut a sentence of the grammar, its full stop left out."""
    return english.removesuffix(".").split()


def fits(english):
    """Say whether a sentence is short and names no noun and no time twice."""
    said = words(english)
    nouns = [word for word in said if word in ONCE]
    return len(said) < LONGEST and len(nouns) == len(set(nouns))


def grammar_pairs(n, seed=0):
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
    expect_whole(DataError, "grammar_pairs", "n", n, least=0, most=MOST)
    pick = random.Random(seed).choice
    pairs = {}
    while len(pairs) < n:
        english, chinese = sentence(pick)
        if fits(english) and english not in pairs:
            pairs[english] = say(pick, chinese)
    return list(pairs.items())
