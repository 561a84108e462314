"""The grammar's words as subwords: the same sentences, and cut anew only where that is asked."""

import pytest

from transformer_lab.translations import recut_words
from transformer_lab.translations.grammar_runs import book_settings
from transformer_lab.translator.recutting import Recutting


@pytest.fixture(scope="module")
def corpus(grammar_corpus):
    return recut_words.with_subwords(grammar_corpus, 200)


def test_the_subwords_spell_the_words_and_the_chinese_is_as_before(
    corpus, grammar_corpus
):
    for part in ("train", "validation", "test"):
        new, old = getattr(corpus, part)[:200], getattr(grammar_corpus, part)[:200]
        assert [chinese for _, chinese in new] == [chinese for _, chinese in old]
        for (pieces, _), (words, _) in zip(new, old, strict=True):
            assert corpus.subwords.join(pieces) == list(words)
    for new, old in zip(corpus.test[:20], grammar_corpus.test[:20], strict=True):
        assert corpus.references(new) == grammar_corpus.references(old)
    pieces = [piece for english, _ in corpus.train[:200] for piece in english]
    assert any(piece.endswith("@@") for piece in pieces)


def test_no_piece_of_a_held_out_sentence_is_unknown(corpus):
    for english, _ in [*corpus.validation, *corpus.test]:
        assert all(piece in corpus.source_vocabulary for piece in english)


def test_the_two_ways_differ_by_the_dropout_of_merges_alone():
    once, recut = (
        recut_words.settings_of(way, 90, 3, 0.1)
        for way in (recut_words.CUT_ONCE, recut_words.RECUT)
    )
    assert recut.changed(bpe_dropout=0.0) == once
    assert once.as_dict() == {
        **once.as_dict(),
        **book_settings(90, 3).as_dict(),
        "bpe_dropout": 0.0,
    }


def test_a_run_that_cuts_anew_reads_other_subwords_of_the_same_sentences(corpus):
    pairs = corpus.ids(corpus.train[:50])
    one, two = (Recutting(corpus, 0.1, 3, 60)(pairs)(epoch) for epoch in (0, 1))
    assert pairs != one != two
    assert [target for _, target in one] == [target for _, target in pairs]
    spell = lambda ids: corpus.subwords.join(  # noqa: E731
        [*corpus.source_vocabulary][i] for i in ids
    )
    for (was, _), (now, _) in zip(pairs, one, strict=True):
        assert spell(was) == spell(now)
