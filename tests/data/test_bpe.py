"""BPE by hand learns and applies the merges that the ``tokenizers`` library does."""

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from transformer_book.data import DataError, bpe

TEXTS = {
    "Sennrich's words": "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3,
    "the book's sentence": "the black cat sat on the couch and the brown dog slept on the rug .",
    "every pair once": "a b c ab bc ca",
    "repeated letters": "aaaa aaa aa aaaaa banana bananas bananana",
    "accents and Chinese": "déjà vu déjà là 猫坐在沙发上 狗睡在地毯上 猫 狗 naïve café cafés",
}


def theirs(text, n_merges):
    """Train the library's BPE on the same words; return its tokeniser and its merges."""
    words = [word + bpe.END_OF_WORD for word in text.split()]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    size = len(set("".join(words))) + n_merges
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False)
    tokenizer.train_from_iterator([" ".join(words)], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return tokenizer, [tuple(pair) for pair in merges]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("n_merges", [0, 1, 10, 1_000])
def test_same_merges_and_pieces_as_the_library(name, n_merges):
    tokenizer, merges = theirs(TEXTS[name], n_merges)
    # The library counts vocabulary, not merges: two ways to one symbol count once there.
    assert bpe.learn(TEXTS[name], len(merges)) == merges
    for word in TEXTS[name].split():
        assert (
            bpe.encode(word, merges) == tokenizer.encode(word + bpe.END_OF_WORD).tokens
        )


@settings(max_examples=300)
@given(
    st.lists(st.text("abcdeß猫", min_size=1, max_size=9), min_size=1, max_size=30),
    st.integers(0, 40),
)
def test_same_on_any_text(words, n_merges):
    text = " ".join(words)
    tokenizer, merges = theirs(text, n_merges)
    assert bpe.learn(text, len(merges)) == merges
    for word in words:
        assert (
            bpe.encode(word, merges) == tokenizer.encode(word + bpe.END_OF_WORD).tokens
        )


def test_same_on_real_text():
    # The documentation of a well-known module: 5,000 words that every machine has.
    import argparse
    import inspect

    text = inspect.getsource(argparse).replace(bpe.END_OF_WORD, "")
    _, merges = theirs(text, 200)
    assert len(merges) >= 200
    assert bpe.learn(text, len(merges)) == merges


@given(
    st.lists(st.text("abc", min_size=1), min_size=1),
    st.integers(0, 20),
    st.text("abcx"),
)
def test_pieces_always_join_to_the_word(words, n_merges, end):
    merges = bpe.learn(" ".join(words), n_merges)
    new = [*words, words[0] + end]
    pieces = [piece for word in new for piece in bpe.encode(word, merges)]
    assert bpe.decode(pieces) == new


def test_encoding_a_known_word_replays_what_was_learned():
    merges = bpe.learn(TEXTS["Sennrich's words"], 1_000)
    for word in ("low", "lower", "newest", "widest"):
        assert bpe.encode(word, merges) == [word + bpe.END_OF_WORD]
    assert "".join(bpe.encode("lowest", merges)) == "lowest" + bpe.END_OF_WORD


def test_the_paper_s_new_word():
    # Learned from low, lowest, newer, wider, the paper cuts the new word "lower" in two (fig. 1).
    counts = {"low": 1, "lowest": 1, "newer": 1, "wider": 1}
    merges = [("r", "·"), ("l", "o"), ("lo", "w"), ("e", "r·")]
    assert bpe.encode("lower", merges) == ["low", "er·"]
    pairs = bpe.count_pairs({word: [*word, bpe.END_OF_WORD] for word in counts}, counts)
    assert pairs["r", "·"] == pairs["l", "o"] == max(pairs.values())


def test_counts_and_text_are_the_same():
    text = TEXTS["Sennrich's words"]
    assert bpe.learn(text, 20) == bpe.learn(Counter(text.split()), 20)


@pytest.mark.parametrize(
    "words, said",
    [
        ("", "the text is empty"),
        ("  ", "the text is empty"),
        ({}, "the text is empty"),
        ("a·b", "without '·'"),
        ({"a b": 1}, "'a b'; expected one word"),
        ({"": 1}, "expected one word"),
        ({"a": 0}, "count of 'a' is 0"),
        ({"a": 1.5}, "count of 'a' is 1.5"),
    ],
)
def test_bad_text(words, said):
    with pytest.raises(DataError, match=said):
        bpe.learn(words, 3)


def test_bad_number_of_merges():
    with pytest.raises(
        DataError, match="n_merges is -1; expected a whole number of at least 0"
    ):
        bpe.learn("a b", -1)


@pytest.mark.parametrize("word", ["", "two words", " a", "a·", None])
def test_bad_word(word):
    with pytest.raises(DataError, match="expected one word"):
        bpe.encode(word, [])
