"""The runs with two passes differ from that with one in what they say, and in nothing else."""

import pytest

from transformer_book import data
from transformer_lab.translations import consistency, grammar_runs


def test_half_the_steps_take_as_many_passes_and_the_same_shares():
    one, half, equal = (
        consistency.settings_of(way, 900, 3, 1.0)
        for way in (
            consistency.ONE_PASS,
            consistency.HALF_THE_STEPS,
            consistency.EQUAL_STEPS,
        )
    )
    assert one == grammar_runs.SETTINGS.changed(seed=3, validate_every=50)
    assert equal == one.changed(consistency=1.0)
    assert half == equal.changed(steps=450, warmup=100, cooldown=250)


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_run_trains_the_model_and_scores_it(weight, monkeypatch, grammar_corpus):
    few = grammar_corpus.train[:60]
    small = data.ParallelCorpus.from_pairs(
        few,
        few[:5],
        few[:5],
        name="grammar",
        title="",
        terms="",
        source_language="en",
        target_language="zh",
    )
    monkeypatch.setattr(
        grammar_runs,
        "BOOK_CHOICES",
        {"preset": "tiny", "N": 1, "d_model": 8, "d_ff": 8},
    )
    settings = grammar_runs.book_settings(18, 0, consistency=weight)
    run = grammar_runs.train_and_score(small, settings)
    assert run["steps"] == 18 and run["seed"] == 0
    assert 0 <= run["exact"] <= 1 and run["validation"][-1][0] == 18
