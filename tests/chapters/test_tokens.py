"""What FACTS says of tokens: couch.It, the missing Punkt data, and ids that another made (M27)."""

import nltk
import pytest
from tokenizers import normalizers, pre_tokenizers

from transformer_book import data

TEXT = "The cat slept on the couch.It was too tired to get up."
PRINTED_IDS = [
    1996,
    4937,
    7771,
    2006,
    1996,
    6411,
    1012,
    2009,
    2001,
    2205,
    5458,
    2000,
    2131,
    2039,
    1012,
]


def test_without_its_data_nltk_raises_and_preserve_line_needs_none(monkeypatch):
    monkeypatch.setattr(nltk.data, "path", [])
    with pytest.raises(LookupError, match="punkt"):
        nltk.word_tokenize(TEXT)
    assert "couch.It" in nltk.word_tokenize(TEXT, preserve_line=True)


def test_the_printed_ids_are_not_the_word_tokeniser_s():
    tokens = data.word_tokens(TEXT)
    vocabulary = data.Vocabulary(tokens)
    assert (len(tokens), len(PRINTED_IDS)) == (13, 15)
    with pytest.raises(data.DataError, match="no id 1996"):
        vocabulary.tokens(PRINTED_IDS)
    assert vocabulary.tokens(vocabulary.ids(tokens)) == tokens


def test_the_printed_ids_fit_the_way_bert_prepares_a_text():
    lower = normalizers.BertNormalizer(lowercase=True).normalize_str(TEXT)
    words = [
        word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(lower)
    ]
    assert words == [
        "the",
        "cat",
        "slept",
        "on",
        "the",
        "couch",
        ".",
        "it",
        "was",
        "too",
        "tired",
        "to",
        "get",
        "up",
        ".",
    ]
    first_word, first_id = {}, {}
    for word, i in zip(words, PRINTED_IDS, strict=True):
        assert (
            first_id.setdefault(word, i) == i and first_word.setdefault(i, word) == word
        )
