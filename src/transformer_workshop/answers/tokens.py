"""The answers of part 1 that are about tokens."""

from collections import Counter

import numpy as np

from transformer_book.data import Vocabulary, bpe, word_tokens

from . import Answer

SENTENCE_WORDS = (
    "the black cat sat on the couch and the brown dog slept on the rug".split()
)


def ids_in_book_sentence_vocabulary(tokens: list[str]) -> list[int]:
    """Return the ids of some tokens in the vocabulary of the book's sentence."""
    sentence = " ".join(SENTENCE_WORDS).capitalize() + "."
    return Vocabulary(word_tokens(sentence)).ids(tokens)


def lesson_merges() -> list[tuple[str, str]]:
    """Return the eight merges of the lesson on tokens."""
    return bpe.learn(Counter(SENTENCE_WORDS), 8)


def cut_by_merges(word: str, merges: list[tuple[str, str]]) -> list[str]:
    pieces = [*word, bpe.END_OF_WORD]
    for pair in merges:
        pieces = bpe.merge(pieces, pair)
    return pieces


def words_with_merges() -> list[tuple[str, list]]:
    """Return words whose pieces depend on the merges and on their order."""
    return [
        (word, lesson_merges()) for word in ("the", "cat", "boat", "on", "then", "hat")
    ]


def merges_with_more_dogs() -> list[tuple[str, str]]:
    return bpe.learn(Counter(SENTENCE_WORDS) | Counter(dog=5), 3)


def cut_greedily(
    word: str, vocabulary: set[str], shortest_first: bool = False
) -> list[str]:
    rest, pieces = word + bpe.END_OF_WORD, []
    while rest:
        ends = sorted(range(1, len(rest) + 1), reverse=not shortest_first)
        end = next(e for e in ends if rest[:e] in vocabulary)
        pieces.append(rest[:end])
        rest = rest[end:]
    return pieces


def words_with_vocabulary() -> list[tuple[str, set[str]]]:
    vocabulary = {
        *"lowernst",
        bpe.END_OF_WORD,
        "lo",
        "low",
        "er",
        "est",
        f"est{bpe.END_OF_WORD}",
        "we",
    }
    return [
        (word, vocabulary)
        for word in ("low", "lower", "lowest", "newest", "we", "slow")
    ]


ANSWERS = {
    "ex-tokens-two": Answer(
        "the list of the three ids of “on the rug”",
        lambda: ids_in_book_sentence_vocabulary(["on", "the", "rug"]),
        (
            (
                lambda: ids_in_book_sentence_vocabulary(["on", "The", "rug"]),
                "*The* and *the* are two tokens with an id each",
            ),
            (
                lambda: ids_in_book_sentence_vocabulary(["The", "dog", "slept", "."]),
                "those are the ids of the other text",
            ),
        ),
    ),
    "ex-tokens-dogs": Answer(
        "the first pair that is joined, as a tuple of two symbols",
        lambda: merges_with_more_dogs()[0],
        (
            (
                ("t", "h"),
                "that pair is first in the original sentence, and *dog* now occurs five times",
            ),
            (
                ("d", "o"),
                "another pair of symbols occurs in *dog* and once more in another word",
            ),
            (
                ("o", "g"),
                "another pair of symbols occurs in *dog* and once more in another word",
            ),
        ),
    ),
    "ex-tokens-cut": Answer(
        "the function that cuts, with the word and the list of merges as its arguments (so that the "
        "check can use it with a list of its own)",
        bpe.encode,
        (
            (
                lambda word, some: [*word, bpe.END_OF_WORD],
                "it cuts into letters and applies no merge",
            ),
            (
                lambda word, some: cut_by_merges(word, some[::-1]),
                "you applied the merges in reversed order, the last one first",
            ),
            (
                lambda word, some: cut_by_merges(word, some[:1]),
                "you applied the first merge only",
            ),
            (
                lambda word, some: [word + bpe.END_OF_WORD],
                "it does not cut the word at all",
            ),
            (
                lambda word, some: "".join(bpe.encode(word, some)).removesuffix(
                    bpe.END_OF_WORD
                ),
                "it returns the word that was put together again; return the list of pieces",
            ),
        ),
        inputs=words_with_merges,
    ),
    "ex-tokens-anew": Answer(
        "a function of the table E and of `order` (at place i, the old id of the token whose new id is "
        "i) that returns the new table",
        lambda E, order: E[order],
        (
            (
                lambda E, order: E[np.argsort(order)],
                "you put the rows into the opposite order",
            ),
            (lambda E, order: E, "the table is still in its old order"),
            (
                lambda E, order: E[:, order],
                "you put the columns into the new order, not the rows",
            ),
        ),
        inputs=lambda: [
            (np.arange(16.0).reshape(4, 4), np.array([1, 2, 0, 3])),
            (np.arange(9.0).reshape(3, 3), np.array([2, 0, 1])),
        ],
    ),
    "ex-tokens-frequency": Answer(
        "the pair that is joined first, as a tuple of two symbols",
        lambda: bpe.learn({"low": 5, "lower": 12, "newest": 6, "widest": 3}, 1)[0],
        (
            (
                ("l", "o"),
                "the count of *lower* has changed, and *newest* has one of its pairs, too",
            ),
        ),
    ),
    "ex-tokens-longest": Answer(
        "the function, with the word (without “·”) and the set of tokens as its arguments",
        cut_greedily,
        (
            (
                lambda word, vocabulary: cut_greedily(
                    word, vocabulary, shortest_first=True
                ),
                "you took the shortest token each time",
            ),
        ),
        inputs=words_with_vocabulary,
    ),
    "ex-tokens-price": Answer(
        "two numbers: the tokens per character without any merges, for the English text and for the "
        "Chinese sentence",
        lambda: [len(text.encode()) / len(text) for text in ("cat", "猫")],
        (
            (
                [1, 1],
                "without merges, each byte is a token, and a Chinese character has several bytes",
            ),
            ([1, 2], "in UTF-8, a Chinese character has three bytes"),
        ),
    ),
    "ex-tokens-faster": Answer(
        "the new function, with a dictionary of counts and the number of merges as its arguments",
        bpe.learn,
        inputs=lambda: [
            ({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 10),
            (Counter(SENTENCE_WORDS), 8),
            ({"aaa": 1, "aa": 2}, 5),
        ],
    ),
}
