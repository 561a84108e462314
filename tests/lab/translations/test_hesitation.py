"""Counted by hand: right translations, both searches, entropies, and the grammar's own odds."""

import dataclasses
import math

import pytest
import torch

from tests.train import cases
from transformer_book import data, decode
from transformer_lab.translations import hesitation


@pytest.fixture
def corpus():
    pairs = [(("a", "b"), ("x", "y")), (("b",), ("y",)), (("a",), ("x",))]
    known = {
        "a b": {"x y": 0.5, "x x": 0.25, "y": 0.25},
        "b": {"y": 1.0},
        "a": {"x": 0.75, "y x": 0.25},
    }
    return data.ParallelCorpus.from_pairs(
        pairs,
        pairs,
        pairs,
        name="three",
        title="",
        terms="",
        source_language="en",
        target_language="en",
        all_translations_of=known.get,
    )


def test_right_translations_are_counted(corpus):
    assert hesitation.count_right_translations(
        corpus, corpus.test
    ) == hesitation.TranslationCounts(
        share=pytest.approx(2 / 3), mean=2, median=2, most=3
    )
    alone = dataclasses.replace(corpus, all_translations_of=None)
    assert hesitation.count_right_translations(alone, corpus.test).share == 0


def test_of_the_grammar_most_sentences_have_several(grammar_corpus):
    found = hesitation.count_right_translations(
        grammar_corpus, grammar_corpus.test[:200]
    )
    assert found.share > 0.8 and 2 < found.median < found.mean < found.most


@pytest.mark.parametrize("rows", [7, 100])
def test_both_searches_are_those_of_the_package(rows):
    corpus = cases.copying()
    model = cases.model(corpus, seed=3)
    found = hesitation.compare_beam_with_greedy(
        model, corpus, corpus.test, 3, batch_rows=rows
    )
    differ = higher = 0
    for i, (source, _) in enumerate(corpus.test):
        ids = torch.tensor([[*corpus.source_vocabulary.ids(source), data.EOS]])
        (by_greedy,) = decode.greedy(model, ids)
        ((best, *_),) = decode.beam_search(model, ids, 3, 0)
        assert (found.greedy[i], found.beam[i]) == (by_greedy, best.ids)
        (log_p,) = decode.log_probability(model, ids, [by_greedy])
        assert found.greedy_log_p[i].item() == pytest.approx(log_p.sum().item())
        differ += best.ids != by_greedy
        (log_p_beam,) = decode.log_probability(model, ids, [best.ids])
        higher += log_p_beam.sum() > log_p.sum() + 1e-6
    assert differ and higher
    assert found.differing_share == differ / len(corpus.test)
    assert found.share_beam_more_probable == higher / len(corpus.test)
    assert found.right_shares == (0, 0)  # it has learned nothing


def test_right_is_what_is_a_reference(corpus):
    searches = hesitation.SearchComparison(
        [[4], [5]],
        [[4], [4]],
        torch.zeros(2),
        torch.zeros(2),
        [True, True],
        [True, False],
    )
    assert searches.right_shares == (1, 0.5) and searches.differing_share == 0.5
    assert searches.share_beam_more_probable == 0


def test_entropy_by_hand():
    p = torch.tensor([[1.0, 0, 0, 0], [0.25] * 4, [0.5, 0.5, 0, 0]])
    expected = [0, math.log(4), math.log(2)]
    assert hesitation.entropy(p).tolist() == pytest.approx(expected)


def test_distributions_are_those_of_each_sentence_alone():
    corpus = cases.copying()
    model = cases.model(corpus, dropout=0.5).train()  # which must not matter
    found = hesitation.token_distributions(model, corpus, corpus.test, batch_rows=7)
    assert model.training
    for pair, p in zip(corpus.test, found):
        batch = data.collate(corpus.ids([pair]))
        with torch.no_grad():
            logits, _ = model.eval()(batch.source, batch.decoder_input)
        expected = torch.softmax(logits[0], dim=-1)
        assert p.shape == expected.shape
        assert torch.allclose(p, expected, atol=1e-6)


def test_what_may_come_next():
    ways = {"xy": 0.5, "xx": 0.25, "y": 0.25}
    assert hesitation.next_token_probabilities(ways, "") == {"x": 0.75, "y": 0.25}
    assert hesitation.next_token_probabilities(ways, ["x"]) == {
        "y": pytest.approx(2 / 3),
        "x": pytest.approx(1 / 3),
    }
    assert hesitation.next_token_probabilities(ways, "y") == {"<eos>": 1}
    assert hesitation.next_token_probabilities(ways, "yx") == {}
    english = data.parallel_corpus.FOLLOWED_PAIR[0]
    ways = hesitation.next_token_probabilities(data.translations(english), "黑猫")
    assert ways == {"坐": pytest.approx(0.7), "在": pytest.approx(0.3)}


def test_calibration_by_hand(corpus, monkeypatch):
    # Words have one character, so that a translation's characters are its tokens.
    known = {"a": {"x": 0.75, "yx": 0.25}, "b": {"y": 1.0}}
    corpus = dataclasses.replace(
        corpus, all_translations_of=known.get, target_language="zh"
    )
    pairs = [(("a",), ("y", "x")), (("b",), ("y",))]
    x, y = corpus.target_vocabulary.ids(["x", "y"])
    words = len(corpus.target_vocabulary)

    def reads(model, corpus, pairs):
        rows = [torch.zeros(len(target) + 1, words) for _, target in pairs]
        rows[0][0, x], rows[0][0, y], rows[0][0, 0] = 0.5, 0.3, 0.2
        rows[0][1, x] = rows[0][2, data.EOS] = 1
        rows[1][0, y] = rows[1][1, data.EOS] = 1
        return rows

    monkeypatch.setattr(hesitation, "token_distributions", reads)
    found = hesitation.calibration(None, corpus, pairs)
    assert (found.steps, found.all_steps) == (1, 5)
    assert found.grammar.tolist() == [0.75, 0.25]
    assert found.model.tolist() == pytest.approx([0.5, 0.3])
    assert found.distance == pytest.approx((0.25 + 0.05 + 0.2) / 2)
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert found.grammar_entropy == pytest.approx(entropy / 5)
    entropy = -sum(p * math.log(p) for p in (0.5, 0.3, 0.2))
    assert found.model_entropy == pytest.approx(entropy / 5)
