"""The record of the ladder: what is trained, for how long, and what the command writes."""

import json

import pytest
import torch

from transformer_book import data
from transformer_lab import records
from transformer_lab.costs.scaling_laws import parameter_counts
from transformer_lab.language import scaling_ladder

SENTENCE = "the black cat sat on the couch and the brown dog slept on the rug"
WORDS = SENTENCE.split(" ")


@pytest.fixture(scope="session")
def text():
    """A text so small that a model is trained on it in no time."""
    return data.Text.from_articles([WORDS] * 400, [WORDS] * 20, 20)


def test_the_text_has_words_of_a_to_z_only_and_holds_back_each_twentieth(monkeypatch):
    articles = [[*WORDS, "1984", "café", f"{'ab'[i % 2]}"] for i in range(40)]
    monkeypatch.setattr(data, "load", lambda name: articles)
    text = scaling_ladder.ladder_text()
    ends = [int((part == data.EOS).sum()) for part in (text.train, text.validation)]
    assert ends == [38, 2]
    assert text.decode_text(
        text.train[: len(text.ids(" ".join([*WORDS, "b"])))].tolist()
    ) == (" ".join([*WORDS, "b"]))


def test_every_size_is_larger_and_has_one_matrix_for_both_ends(text):
    models = [
        scaling_ladder.untrained_variant(width, text) for width in scaling_ladder.WIDTHS
    ]
    sizes = [parameter_counts(model.config) for model in models]
    assert sizes == sorted(sizes) and sizes[0][0] < 2_000 and sizes[-1][0] > 490_000
    assert all(model.output is model.embedding for model in models)
    again = scaling_ladder.untrained_variant(scaling_ladder.WIDTHS[0], text)
    for a, b in zip(models[0].parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize("width, times", [(8, 1.0), (144, 1.0), (40, 4.0)])
def test_the_rate_peaks_at_the_rule_and_ends_at_nothing(width, times):
    made = scaling_ladder.ladder_settings(200, width, rate_factor=times)
    rates = [made.learning_rate(step, width) for step in range(1, 201)]
    assert (
        max(rates)
        == rates[19]
        == pytest.approx(times * scaling_ladder.RATE_TIMES_WIDTH / width)
    )
    assert rates[-1] < max(rates) / 100


def test_a_plan_spends_its_budgets_and_leaves_out_what_is_too_short_or_too_long(
    text, monkeypatch
):
    monkeypatch.setattr(scaling_ladder, "FEWEST_STEPS", 5)
    C = 6e7
    plan = scaling_ladder.plan_runs(text, [C])
    assert 1 < len(plan) < len(scaling_ladder.WIDTHS)
    for budget, width, tokens in plan:
        N = parameter_counts(scaling_ladder.untrained_variant(width, text).config)[1]
        assert budget == C == pytest.approx(6 * N * tokens)
        assert 5 * 256 <= tokens <= 2 * len(text.train)
    assert scaling_ladder.plan_runs(text, [1.0, 1e20]) == []


def test_a_run_says_what_it_was(text):
    row = scaling_ladder.train_width(8, 1_000, text, seed=1)
    model = scaling_ladder.untrained_variant(8, text)
    assert row["N"] == sum(W.numel() for W in model.parameters())
    assert row["D"] == 1_024  # whole batches
    assert row["epochs"] == pytest.approx(1_024 / len(text.train), abs=1e-3)
    assert row["flops"] > 0 and row == {
        **scaling_ladder.train_width(8, 1_000, text, seed=1),
        "seconds": row["seconds"],
    }


def test_a_part_of_the_text_is_read_again_and_again(text, monkeypatch):
    seen = []
    train = scaling_ladder.train.train_language_model

    def watched(model, part, *rest):
        seen.append(len(part.train))
        return train(model, part, *rest)

    monkeypatch.setattr(scaling_ladder.train, "train_language_model", watched)
    row = scaling_ladder.train_width(8, 1_024, text, repeats=8)
    assert seen == [128] and row["epochs"] == 8


def test_the_command_writes_what_the_record_has(text, tmp_path, monkeypatch):
    monkeypatch.setattr(scaling_ladder, "ladder_text", lambda: text)
    monkeypatch.setattr(scaling_ladder, "WIDTHS", (8, 12, 16, 24, 40, 64))
    monkeypatch.setattr(scaling_ladder, "RATED_WIDTHS", (8,))
    monkeypatch.setattr(scaling_ladder, "BUDGETS_OF_EVERY_SEED", (6e7,))
    monkeypatch.setattr(scaling_ladder, "FEWEST_STEPS", 1)
    monkeypatch.setattr(scaling_ladder, "EPOCHS", 1)
    made = tmp_path / "made.json"
    options = ["--seed", "4", "--seeds", "2", "--tokens", "8192"]
    scaling_ladder.main(["--out", str(made), *options, "--budgets", "2e7", "6e7"])
    made, recorded = json.loads(made.read_text("utf-8")), records.load("scaling_laws")
    assert made.keys() == recorded.keys()
    for kind in ("equal_compute", "equal_tokens", "rates", "repeated"):
        assert made[kind][0].keys() == recorded[kind][0].keys()
    assert {(run["C"], run["seed"]) for run in made["equal_compute"]} == {
        (2e7, 4),
        (6e7, 4),
        (6e7, 5),
    }
    assert [(run["width"], run["seed"]) for run in made["equal_tokens"]] == [
        (width, seed) for seed in (4, 5) for width in scaling_ladder.WIDTHS
    ]
    assert [run["times"] for run in made["rates"]] == [0.25, 4.0]
    assert [run["epochs"] for run in made["repeated"]] == [4, 16, 64]
    assert " --budgets 20000000.0 60000000.0 --tokens 8192" in made["command"]


def test_the_record_is_of_this_ladder():
    made = records.load("scaling_laws")
    assert {run["width"] for run in made["equal_tokens"]} == set(scaling_ladder.WIDTHS)
    assert {run["C"] for run in made["equal_compute"]} == set(scaling_ladder.BUDGETS)
    for run in made["equal_compute"]:
        assert run["C"] == pytest.approx(6 * run["N"] * run["D"], rel=0.02)
