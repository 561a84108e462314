"""The English under each Chinese word, for readers who read no Chinese."""

from collections.abc import Iterable
from functools import cache

from ..expect import expect
from .errors import DataError
from .lexicon import (
    ACTION_VERBS,
    ADVERBS,
    ANIMAL_ADJECTIVES,
    DETERMINERS,
    DRY_CLEANING_VERBS,
    MOOD_ADJECTIVES,
    NOUNS,
    PLURAL_PRONOUN,
    POSTURE_VERBS,
    PREPOSITIONS,
    PRONOUNS_BY_NOUN,
    THING_ADJECTIVES,
    TIME_PHRASES,
    TRANSITIVE_VERBS,
)

UNKNOWN_GLOSS = "?"
# What the grammar writes beside its words, and "small child", which would begin like 小孩.
OTHER_GLOSSES = {
    "在": "at",
    "的": "(of)",
    "和": "and",
    "，": "",
    "。": "",
    "小孩子": "small child",
}
# Parts of several words. A part of one word has that word's gloss, in brackets.
GLOSSES_OF_PARTS = {
    "我": "I",
    "孩": "child",
    "子": "(thing)",
    "地": "(-ly)",
    "了": "(done)",
    "着": "(-ing)",
    "们": "(plural)",
    "被": "(passive)",
    "高": "(happy)",
    "兴": "(happy)",
    "快": "(happy)",
    "乐": "(happy)",
    "静": "(quiet)",
    "昨": "(last)",
    "今": "(this)",
    "天": "day",
    "日": "day",
    "星": "(week)",
    "期": "(week)",
    "周": "(week)",
    "看": "look",
    "见": "see",
    "到": "reach",
    "下": "below",
    "面": "side",
    "边": "side",
    "早": "early",
    "晚": "late",
}


@cache
def grammar_glosses():
    """Return an English gloss for each Chinese word of the grammar, and each character of it.

    Returns
    -------
    dict of str to str
        Empty for punctuation; in brackets for what English has no word for.
    """
    gloss_of = dict(OTHER_GLOSSES)

    def add_gloss(chinese: str | Iterable[str], english: str):
        for word in [chinese] if isinstance(chinese, str) else chinese:
            gloss_of.setdefault(word.replace("{}", ""), english)

    add_gloss(DETERMINERS["a"], "a")
    for one, (_, measure, chinese) in NOUNS.items():
        add_gloss(chinese, one)
        add_gloss(measure, "(measure)")
    for pronoun, chinese in PRONOUNS_BY_NOUN.values():
        add_gloss(chinese, pronoun or "he")
        add_gloss(
            chinese + PLURAL_PRONOUN[1], f"{PLURAL_PRONOUN[0]} ({pronoun or 'he'})"
        )
    for table in (
        DETERMINERS,
        MOOD_ADJECTIVES,
        ANIMAL_ADJECTIVES,
        THING_ADJECTIVES,
        ADVERBS,
        TIME_PHRASES,
        DRY_CLEANING_VERBS,
    ):
        for english, chinese in table.items():
            add_gloss(chinese, english)
    for english, row in (
        PREPOSITIONS | POSTURE_VERBS | ACTION_VERBS | TRANSITIVE_VERBS
    ).items():
        for chinese in row[:-1]:
            add_gloss(chinese, english)
    gloss_of.pop("")  # "the"
    parts = {
        part: f"({gloss_of[word]})" for word in reversed(gloss_of) for part in word
    }
    return parts | GLOSSES_OF_PARTS | gloss_of


def gloss_words(chinese, glosses_by_word=None) -> list:
    """Put the English under each word of a Chinese text, right or wrong.

    At each place the longest known word is taken that the text goes on with. Of the grammar's
    words a part, as a wrong translation may have it, has the word's gloss in brackets, as in
    (couch). A character that nobody knows has "?".

    Parameters
    ----------
    chinese : str
    glosses_by_word : dict of str to str, optional
        English by Chinese word; without it that of :func:`grammar_glosses`.

    Returns
    -------
    list of (str, str)
        Chinese words, which together are the text, and their English; nothing for punctuation.

    Raises
    ------
    DataError
        If the text is not a string.
    """
    expect(
        isinstance(chinese, str),
        DataError,
        "gloss_words",
        f"chinese is a {type(chinese).__name__}",
        "a string",
        "Join a list of characters with ''.join(characters).",
    )
    glosses_by_word = grammar_glosses() if glosses_by_word is None else glosses_by_word
    longest_word = max(map(len, glosses_by_word), default=1)
    return [
        (word, glosses_by_word.get(word, UNKNOWN_GLOSS))
        for word in cut_known_words(chinese, glosses_by_word, longest_word)
    ]


def cut_known_words(chinese, glosses_by_word, max_word_length):
    """Cut a text into words: at each place the longest that is known, else one character.

    Parameters
    ----------
    chinese : str
    glosses_by_word : container of str
    max_word_length : int
        The characters of the longest word to look for.

    Returns
    -------
    list of str
    """
    words = []
    while chinese:
        starts = (chinese[:n] for n in range(max_word_length, 0, -1))
        words.append(
            next((start for start in starts if start in glosses_by_word), chinese[0])
        )
        chinese = chinese[len(words[-1]) :]
    return words
