"""Beam search against counting every sentence there is, and against a beam kept in lists."""

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decode import cases
from transformer_book import decode
from transformer_book.data import EOS

source = cases.sentences()
seeds = st.integers(0, 10_000)
alphas = st.sampled_from([0, 0.6, 1.0, 2.0])


def lp(length, alpha):
    """Equation (14) of Wu et al. (2016), written with its own brackets."""
    return (5 + length) ** alpha / (5 + 1) ** alpha


def every_sentence(model, sentence, limit):
    """Log-probability of each sentence of at most ``limit`` tokens, and of each cut one."""
    words = [word for word in cases.possible(model) if word != EOS]
    ended, going = {}, {(): 0.0}
    for _ in range(limit):
        longer = {}
        for words_so_far, log_p in going.items():
            step = cases.next_log_p(model, sentence, words_so_far).tolist()
            ended[words_so_far] = log_p + step[EOS]
            longer |= {(*words_so_far, word): log_p + step[word] for word in words}
        going = longer
    return ended, going


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("alpha", [0, 0.6, 2.0])
def test_with_room_for_all_it_finds_the_best_sentence_there_is(alpha, use_cache):
    small, limit = cases.sentences(words=6)[:2], 4
    for seed in range(2):
        model = cases.lively(seed, words=6)
        everything = decode.beam_search(
            model, small, 4**limit, alpha, max_length=limit, use_cache=use_cache
        )
        for found, sentence in zip(everything, cases.alone(small)):
            ended, _ = every_sentence(model, sentence, limit)
            scores = {
                words: log_p / lp(len(words) + 1, alpha)
                for words, log_p in ended.items()
            }
            best = max(scores, key=scores.get)
            assert found[0].ids == list(best) and found[0].finished
            assert found[0].score == pytest.approx(scores[best], abs=1e-12)
            assert found[0].log_probability == pytest.approx(ended[best], abs=1e-12)
            for other in found:
                if other.finished:
                    assert other.score == pytest.approx(
                        scores[tuple(other.ids)], abs=1e-12
                    )


def test_where_none_can_end_the_best_of_the_cut_ones_comes_first(monkeypatch):
    model, sentence = cases.lively(3, words=6), cases.sentences(words=6)[:1]
    logits, eos = model.logits, torch.tensor([EOS])
    monkeypatch.setattr(
        model, "logits", lambda x: logits(x).index_fill(-1, eos, -torch.inf)
    )
    (found,) = decode.beam_search(model, sentence, 3**3, max_length=3)
    _, cut = every_sentence(model, cases.alone(sentence)[0], 3)
    expected = sorted(cut.items(), key=lambda item: -item[1])
    assert [tuple(one.ids) for one in found] == [words for words, _ in expected]
    for one, (_, log_p) in zip(found, expected):
        assert not one.finished and one.log_probability == pytest.approx(
            log_p, abs=1e-12
        )
        assert one.score == pytest.approx(log_p / lp(3, 0.6), abs=1e-12)


def beam_in_lists(model, sentence, beams, alpha, limit):
    """The same search, one sentence, no cache, and no stop before nothing is left to grow."""
    found, live = [], [(0.0, ())]
    for length in range(1, limit + 1):
        candidates = []
        for log_p, words in live:
            step = cases.next_log_p(model, sentence, words).tolist()
            candidates += [
                (log_p + step[word], (*words, word)) for word in cases.possible(model)
            ]
        best = sorted(candidates, reverse=True)[: beams - len(found)]
        live = [(log_p, words) for log_p, words in best if words[-1] != EOS]
        found += [
            (log_p / lp(length, alpha), w[:-1]) for log_p, w in best if w[-1] == EOS
        ]
    return (
        max(found)
        if found
        else max((log_p / lp(limit, alpha), words) for log_p, words in live)
    )


@settings(max_examples=12)
@given(seeds, st.integers(1, 5), alphas, st.sampled_from(cases.VARIANTS), st.booleans())
def test_it_is_the_search_in_lists_and_stopping_early_loses_nothing(
    seed, beams, alpha, variant, use_cache
):
    model = cases.lively(seed, *variant)
    results = decode.beam_search(
        model, source, beams, alpha, max_length=9, use_cache=use_cache
    )
    for found, sentence in zip(results, cases.alone(source)):
        score, words = beam_in_lists(model, sentence, beams, alpha, 9)
        assert found[0].ids == list(words)
        assert found[0].score == pytest.approx(score, abs=1e-10)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("norm, share", cases.VARIANTS)
def test_one_beam_is_greedy(norm, share, dtype):
    for seed in range(4):
        model = cases.lively(seed, norm, share, dtype)
        ids = [
            [one.ids for one in found] for found in decode.beam_search(model, source, 1)
        ]
        assert ids == [[words] for words in decode.greedy(model, source)]


def test_beams_find_what_greedy_misses():
    better = 0
    for seed in range(5):
        model = cases.lively(seed)
        greedy = decode.greedy(model, source)
        ours = decode.beam_search(model, source, beams=8, length_penalty=0)
        for found, terms in zip(ours, decode.log_probability(model, source, greedy)):
            better += found[0].log_probability > float(terms.sum()) + 0.1
    assert better > 5


@settings(max_examples=10)
@given(seeds, st.integers(2, 5), alphas)
def test_hypotheses_are_few_sorted_different_and_scored_as_the_model_scores_them(
    seed, beams, alpha
):
    model = cases.lively(seed)
    for found, sentence in zip(
        decode.beam_search(model, source, beams, alpha), cases.alone(source)
    ):
        order = [(one.finished, one.score) for one in found]
        assert order == sorted(order, reverse=True) and 1 <= len(found) <= beams
        assert len({tuple(one.ids) for one in found}) == len(found)
        for one in found:
            (terms,) = decode.log_probability(model, sentence, [one.ids])
            tokens = len(one.ids) + one.finished
            assert one.log_probability == pytest.approx(
                float(terms[:tokens].sum()), abs=1e-10
            )
            expected = one.log_probability / lp(tokens, alpha)
            assert one.score == pytest.approx(expected, abs=1e-12)


def test_it_stops_once_the_best_cannot_be_beaten(monkeypatch):
    model = cases.lively(0)
    logits = model.logits
    surely = 40.0 * (torch.arange(cases.WORDS) == EOS)
    monkeypatch.setattr(model, "logits", lambda x: logits(x) + surely)
    shapes = cases.calls(monkeypatch, model)
    results = decode.beam_search(model, source)
    assert [found[0].ids for found in results] == [[], [], []]
    assert shapes == [(12, 1)]


@pytest.mark.parametrize(("short", "limit"), [(0.6, None), (0.635, 9)])
def test_a_long_sentence_may_still_beat_one_that_has_ended(short, limit, monkeypatch):
    """The second by its very last token: a limit of 8 tokens would leave it behind."""
    p = torch.full((9, cases.WORDS), 1e-9, dtype=torch.float64)
    p[0, EOS], p[0, 5], p[1:8, 5], p[8, EOS] = short, 1 - short, 1.0, 1.0
    model, steps = cases.lively(), iter(p.log())
    monkeypatch.setattr(model, "logits", lambda x: next(steps).expand(len(x), -1))
    ((best, other),) = decode.beam_search(model, source[:1], 2, 1.0, max_length=limit)
    assert best.ids == [5] * 8 and other.ids == []
    assert best.score == pytest.approx(math.log(1 - short) / lp(9, 1.0), abs=1e-6)
    assert other.score == pytest.approx(math.log(short) / lp(1, 1.0), abs=1e-6)
    if limit:
        assert math.log(1 - short) / lp(limit - 1, 1.0) < other.score


def test_the_penalty_is_one_for_one_token_two_for_seven_and_bare_without_alpha():
    assert decode.length_divisor(1, 0.6) == 1 and decode.length_divisor(7, 1) == 2
    assert {decode.length_divisor(length, 0) for length in (1, 9, 99)} == {1}
    for length, alpha in itertools.product((1, 4, 30), (0.2, 0.6, 1.5)):
        assert decode.length_divisor(length, alpha) == pytest.approx(
            lp(length, alpha), rel=1e-12
        )


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"beams": 0}, "beams is 0; expected a whole number of at least 1"),
        ({"beams": 1.5}, "beams is 1.5; expected a whole number of at least 1"),
        (
            {"length_penalty": -1},
            "length_penalty is -1; expected a finite number of at least 0",
        ),
        (
            {"length_penalty": float("nan")},
            "length_penalty is nan; expected a finite number",
        ),
        ({"length_penalty": "a"}, "length_penalty is 'a'; expected a finite number"),
    ],
)
def test_a_wrong_setting_is_named(wrong, message):
    with pytest.raises(decode.DecodeError, match=f"beam_search: {message}"):
        decode.beam_search(cases.lively(), source, **wrong)
