"""A text for a language model: cut as the library cuts it, and back again."""

import json

import numpy as np
import pytest

from transformer_book import data
from transformer_book.data import DataError, Text

READ = """the cat sat on the mat and the cat slept
a dog sat on the rug where the dog slept"""
HELD_BACK = """the cat sat on a rug
the pig slept"""
TRAIN = [line.split() for line in READ.splitlines()] * 3
UNSEEN = [line.split() for line in HELD_BACK.splitlines()]


@pytest.fixture(scope="session")
def text():
    return Text.from_articles(TRAIN, UNSEEN, n_merges=20)


def test_each_article_is_its_words_and_an_end(text):
    parts = np.split(text.train, np.flatnonzero(text.train == data.EOS) + 1)
    assert [text.decode_text(ids[:-1]) for ids in parts[:-1]] == [
        " ".join(a) for a in TRAIN
    ]
    assert len(parts[-1]) == 0 and len(text.vocabulary) == text.train.max() + 1
    assert text.count_words(text.train) == sum(map(len, TRAIN)) + len(TRAIN)


def test_the_pieces_are_those_of_the_subwords(text):
    learned = data.Subwords.learn([w for a in TRAIN for w in a], 20)
    assert text.subwords.merges == learned.merges
    ids = text.ids("the cat slept")
    assert text.pieces(ids) == learned.cut(["the", "cat", "slept"])
    assert text.decode_text(ids) == "the cat slept"


def test_what_training_has_not_is_unknown(text):
    assert data.UNK in text.validation and data.UNK not in text.train
    assert data.UNK in text.ids("pig") and "<unk>" in text.decode_text(text.ids("pig"))


def test_a_word_spelled_like_a_mark_is_a_word():
    """In training so often that it is one piece, held back, and in a text that is asked for."""
    spelled = [["<eos>", "hello", "<pad>", "<bos>"]] * 40
    text = Text.from_articles(spelled, spelled[:1], n_merges=60)
    assert text.subwords.cut(["<eos>"]) == ["<eos>"]  # one piece
    for part, articles in ((text.train, 40), (text.validation, 1)):
        assert (part == data.EOS).sum() == articles
        assert not np.isin(part, [data.PAD, data.BOS]).any()
    ids = text.ids("<eos> hello <pad> <bos>")
    assert not {data.PAD, data.BOS, data.EOS} & set(ids)
    assert text.decode_text(ids) == "<unk> hello <unk> <unk>"
    again = Text.from_dict(json.loads(json.dumps(text.as_dict())))
    assert again.ids("<eos> hello") == text.ids("<eos> hello")


@pytest.mark.parametrize("ids", [[True, False], [4.7], [-1], np.array([True])])
def test_only_ids_are_counted_as_words(text, ids):
    with pytest.raises(DataError, match="expected whole numbers|no id -1"):
        text.count_words(ids)


def test_it_comes_back_from_json(text):
    again = Text.from_dict(json.loads(json.dumps(text.as_dict())))
    assert list(again.vocabulary) == list(text.vocabulary)
    assert again.subwords.merges == text.subwords.merges
    for part in ("train", "validation"):
        np.testing.assert_array_equal(getattr(again, part), getattr(text, part))
    assert again.ids("the dog sat") == text.ids("the dog sat")


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda text: Text.from_articles([], UNSEEN, 5), "0 articles to learn from"),
        (lambda text: Text.from_articles(TRAIN, [], 5), "0 to hold back"),
        (lambda text: text.ids("  "), "the text is '  '; expected at least one word"),
    ],
)
def test_bad_input_is_one_clear_error(text, make, said):
    with pytest.raises(DataError, match=said):
        make(text)
