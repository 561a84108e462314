"""English sentences of the grammar as ids, and what is one of them."""

import pytest
import torch

from transformer_lab.language.sentences import Sentences, is_grammar_sentence


@pytest.fixture(scope="session")
def sentences():
    """Few sentences, of which a model learns in no time."""
    return Sentences(learn=200, held_out=6)


def test_sentences_stand_between_their_marks(sentences):
    text = "the black cat sat on the couch ."
    ids = sentences.padded_ids([text.split()])
    assert ids[0, 0] == 2 and ids[0, -1] == 3 and ids.shape == (1, 10)
    assert sentences.decode_text(ids[0].tolist()) == text
    assert torch.equal(sentences.prompt_ids(text), ids[:, :-1])
    assert sentences.decode_text([sentences.mask]) == "<mask>"
    assert len(sentences.train) == 200 and len(sentences.held_out) == 6


def test_they_are_the_first_of_the_grammar_english_alone(sentences, grammar_corpus):
    for rows, pairs in (
        (sentences.train, grammar_corpus.train[:200]),
        (sentences.held_out, grammar_corpus.test[:6]),
    ):
        english = [" ".join(source).lower() for source, _ in pairs]
        assert [sentences.decode_text(row) for row in rows.tolist()] == english


def test_the_grammar_accepts_its_own_sentences_and_no_others():
    assert is_grammar_sentence("the cat sat on the couch on monday .")
    assert is_grammar_sentence(
        "the black cat sat on the couch and the brown dog slept on the rug ."
    )
    assert not is_grammar_sentence("the cat couch sat on the .")
    assert not is_grammar_sentence("")
