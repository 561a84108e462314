"""Tokens get the same ids every time, and unknown ones are named."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.data import DataError, Vocabulary

SENTENCE = [
    "the",
    "black",
    "cat",
    "sat",
    "on",
    "the",
    "couch",
    "and",
    "the",
    "brown",
    "dog",
    "slept",
    "on",
    "the",
    "rug",
    ".",
]


def test_the_most_frequent_come_first_then_the_alphabet():
    vocabulary = Vocabulary(SENTENCE)
    assert list(vocabulary)[:7] == [
        "<pad>",
        "<unk>",
        "<bos>",
        "<eos>",
        "the",
        "on",
        ".",
    ]
    assert list(vocabulary)[7:] == sorted(set(SENTENCE) - {"the", "on", "."})
    assert vocabulary.ids(["the", "on", "<pad>"]) == [4, 5, 0]


@given(st.lists(st.text("abcd", min_size=1, max_size=2), min_size=1))
def test_ids_are_those_of_the_tokenizers_library(tokens):
    from tokenizers import Tokenizer, models, trainers

    specials = ["<pad>", "<unk>"]
    tokenizer = Tokenizer(models.WordLevel(unk_token="<unk>"))
    trainer = trainers.WordLevelTrainer(special_tokens=specials, show_progress=False)
    tokenizer.train_from_iterator(tokens, trainer)
    vocabulary = Vocabulary(tokens, specials=specials)
    assert {token: i for i, token in enumerate(vocabulary)} == tokenizer.get_vocab()


@given(st.lists(st.text(min_size=1), min_size=1))
def test_there_and_back(tokens):
    vocabulary = Vocabulary(tokens)
    assert vocabulary.tokens(vocabulary.ids(tokens)) == tokens
    assert len(vocabulary) == len(set(tokens) | {"<pad>", "<unk>", "<bos>", "<eos>"})
    assert all(token in vocabulary for token in tokens)
    assert len(set(vocabulary.ids(vocabulary))) == len(vocabulary)


def test_a_special_token_in_the_text_keeps_its_id():
    assert Vocabulary(["a", "<unk>", "<unk>"]).ids(["<unk>", "a"]) == [1, 4]


def test_an_unknown_word_is_named_with_its_nearest():
    with pytest.raises(
        DataError,
        match="no token 'blck'; expected one of its 16 .*'black' is the nearest",
    ):
        Vocabulary(SENTENCE).ids(["the", "blck"])


def test_an_unknown_word_can_stand_as_unk():
    vocabulary = Vocabulary(SENTENCE)
    assert vocabulary.ids(["the", "blck"], unknown="<unk>") == [4, 1]
    with pytest.raises(DataError, match="'<what>'"):
        vocabulary.ids(["the"], unknown="<what>")


@pytest.mark.parametrize("wrong", [16, -1])
def test_an_unknown_id(wrong):
    with pytest.raises(DataError, match=f"no id {wrong}; expected 0 to 15"):
        Vocabulary(SENTENCE).tokens([wrong])


@pytest.mark.parametrize("kind", [list, iter, np.array, torch.tensor])
def test_ids_may_be_any_whole_numbers(kind):
    assert Vocabulary(SENTENCE).tokens(kind([4, 5])) == ["the", "on"]
    assert Vocabulary(SENTENCE).tokens([*np.array([4]), torch.tensor(5)]) == [
        "the",
        "on",
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        [4.5],
        [4.0],
        [True],
        [np.True_],
        torch.tensor([True]),
        [torch.tensor(True)],
        np.array([4.0]),
        ["4"],
        [None],
        [[4]],
        4,
    ],
)
def test_ids_are_neither_fractions_nor_truth_values(wrong):
    with pytest.raises(
        DataError, match="ids is .*; expected whole numbers from 0 to 15"
    ):
        Vocabulary(SENTENCE).tokens(wrong)


def test_an_empty_text():
    with pytest.raises(DataError, match="the text is empty"):
        Vocabulary([])


def test_a_string_is_not_a_list_of_tokens():
    with pytest.raises(DataError, match="the string 'the cat'; expected a list"):
        Vocabulary("the cat")
    with pytest.raises(DataError, match="the string 'the'; expected a list"):
        Vocabulary(SENTENCE).ids("the")
