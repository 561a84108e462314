"""Word tokens are NLTK's, and bad input is named."""

import pytest

from transformer_book.data import DataError, word_tokens


def test_a_full_stop_inside_the_text_stays_with_its_word():
    text = "The cat slept on the couch.It was too tired to get up."
    assert word_tokens(text) == [
        "The", "cat", "slept", "on", "the", "couch.It", "was", "too", "tired", "to", "get", "up",
        ".",
    ]


def test_it_is_nltks_treebank_tokeniser():
    from nltk.tokenize import NLTKWordTokenizer

    text = "They'll say \"it isn't so\", won't they? (Perhaps.) It cost $3.88!"
    assert word_tokens(text) == NLTKWordTokenizer().tokenize(text)


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_text(text):
    with pytest.raises(DataError, match="empty text .* expected at least one word"):
        word_tokens(text)


@pytest.mark.parametrize("text", [None, ["a", "b"], 3])
def test_something_else_than_a_text(text):
    with pytest.raises(DataError, match=f"given {type(text).__name__}, expected a string"):
        word_tokens(text)
