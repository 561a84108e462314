"""How many sentences are translated exactly."""

import dataclasses

import pytest

from tests.train import cases
from transformer_book import data
from transformer_lab.translations.exact_match import exact_match


@pytest.fixture
def corpus():
    pairs = [
        (("a", "b"), ("x", "y")),
        (("b",), ("y",)),
        (("a",), ("x",)),
        (("b", "a"), ("y", "x")),
    ]
    return data.ParallelCorpus.from_pairs(
        pairs,
        pairs,
        pairs,
        name="four",
        title="",
        terms="",
        source_language="en",
        target_language="en",
    )


@pytest.mark.parametrize("rows", [1, 3, 9])
def test_it_counts_whole_sentences(corpus, rows):
    right = {tuple(s): list(t) for s, t in corpus.ids(corpus.test)}

    def write(model, source):  # wrong in the last token of sentences of two
        written = []
        for row in source.tolist():
            ids = right[tuple(row[: row.index(data.EOS)])]
            written.append(ids if len(ids) == 1 else [ids[0], ids[0]])
        return written

    assert exact_match(cases.model(corpus), corpus, corpus.test, write, rows) == 0.5
    assert (
        exact_match(cases.model(corpus), corpus, corpus.test[1:3], write, rows) == 1.0
    )


def test_any_reference_counts(corpus):
    pairs = [(("a",), ("x",)), (("b",), ("y",))]
    known = {"a": ["x", "y"], "b": ["y", "x x"]}
    corpus = dataclasses.replace(corpus, all_translations_of=known.get)
    x, y = corpus.target_vocabulary.ids(["x", "y"])
    for written, share in [
        ([[x], [y]], 1),
        ([[y], [x, x]], 1),
        ([[y], [x]], 0.5),
        ([[], [x]], 0),
    ]:
        assert (
            exact_match(cases.model(corpus), corpus, pairs, lambda *_, w=written: w)
            == share
        )


def test_no_sentence_is_an_error(corpus):
    with pytest.raises(data.DataError, match="no pairs"):
        exact_match(cases.model(corpus), corpus, [])
