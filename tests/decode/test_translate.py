"""From a sentence to a sentence, and what is said when that cannot be."""

import pytest
import torch

from tests.decode import cases
from transformer_book import decode
from transformer_book.data import EOS, DataError, ParallelCorpus
from transformer_book.shapes import ShapeError

pairs = (
    (["The", "black", "cat", "sat", "."], list("黑猫坐。")),
    (["A", "dog", "sat", "."], list("狗坐。")),
)
corpus = ParallelCorpus.from_pairs(
    train=pairs, validation=(), test=(), name="two", title="", terms="",
    source_language="en", target_language="zh",
)  # fmt: skip


def made():
    source, target = len(corpus.source_vocabulary), len(corpus.target_vocabulary)
    return cases.lively(3, share="target", words=source, target_words=target)


@pytest.mark.parametrize("beams", [1, 4])
def test_it_goes_from_words_to_ids_and_back(beams):
    model = made()
    ids = torch.tensor(
        [[*corpus.source_vocabulary.ids(["The", "black", "dog", "sat", "."]), EOS]]
    )
    ((best, *_),) = decode.beam_search(model, ids, beams)
    expected = "".join(corpus.target_vocabulary.tokens(best.ids))
    assert expected
    assert decode.translate(model, corpus, "The black dog sat.", beams) == expected


def test_what_cannot_be_translated_is_named():
    model = made()
    with pytest.raises(DataError, match="'bat' .nearest: 'sat'.*'dug' .nearest: 'dog'"):
        decode.translate(model, corpus, "The bat dug.")
    with pytest.raises(DataError, match="empty"):
        decode.translate(model, corpus, "  ")
    with pytest.raises(ShapeError, match="source has 26 tokens; expected at most 24"):
        decode.translate(model, corpus, "cat " * 25)
    with pytest.raises(decode.DecodeError, match="beams is 0"):
        decode.translate(model, corpus, "A cat sat.", beams=0)


def test_a_model_of_other_vocabularies_is_refused():
    message = r"model is made for \(12, 12\) source and target words; expected one for \(11, 9\)"
    with pytest.raises(decode.DecodeError, match=message):
        decode.translate(cases.lively(), corpus, "A cat sat.")
