"""The record of efficient training: what is trained, in which precision, and what the command writes."""

import json

import pytest
import torch

from transformer_book import data, train
from transformer_lab import records
from transformer_lab.language import efficient_training as lab
from transformer_lab.language.small_models import training_settings

SENTENCE = "the black cat sat on the couch and the brown dog slept on the rug"
WORDS = SENTENCE.split()


@pytest.fixture(scope="session")
def text():
    """A text so small that a model is trained on it in no time."""
    return data.Text.from_articles([WORDS] * 20, [WORDS] * 10, 50)


def model(text, seed=0):
    return train.fresh_language_model(text, seed, d_model=16, d_ff=16, h=2)


def learned(text, steps=4, **how):
    made = model(text)
    given = training_settings(steps).changed(tokens=128)
    skipped = lab.train_and_count_skipped_steps(
        made, torch.from_numpy(text.train), given, **how
    )
    return torch.cat([W.detach().flatten() for W in made.parameters()]), skipped


def test_in_float32_it_is_the_package_s_training(text):
    given = training_settings(4).changed(tokens=128)
    theirs = model(text)
    train.train_language_model(theirs, text, given, (lab.CONTEXT,))
    weights, skipped = learned(text)
    expected = torch.cat([W.detach().flatten() for W in theirs.parameters()])
    torch.testing.assert_close(weights, expected, atol=1e-6, rtol=0)
    assert skipped == 0


def test_a_power_of_two_changes_nothing_where_no_exponent_ends(text):
    for precision in ("float32", "bfloat16"):
        plain, _ = learned(text, precision=precision)
        scaled, _ = learned(text, precision=precision, loss_scale=2.0**-14)
        torch.testing.assert_close(scaled, plain, atol=1e-6, rtol=0)
    assert not torch.allclose(plain, learned(text)[0], atol=1e-4)


def test_in_float16_small_gradients_are_lost_and_large_ones_are_left_out(text):
    plain, _ = learned(text, precision="float16")
    small, _ = learned(text, precision="float16", loss_scale=2.0**-24)
    assert (small - plain).abs().max() > 1e-3
    start = torch.cat([W.detach().flatten() for W in model(text).parameters()])
    kept, skipped = learned(text, precision="float16", loss_scale=2.0**40)
    assert skipped == 4 and torch.equal(kept, start)


@pytest.mark.parametrize(
    "where, kind, number",
    [("in the gradient", torch.optim.Adam, 0.1), ("beside it", torch.optim.AdamW, 0.1)],
)
def test_a_decay_is_torch_s_and_for_matrices_alone(text, where, kind, number):
    optimiser = lab.adam_with_decay(model(text), where, number)
    assert type(optimiser) is kind
    matrices, others = optimiser.param_groups
    assert all(W.ndim == 2 for W in matrices["params"])
    assert matrices["weight_decay"] == number
    assert all(W.ndim == 1 for W in others["params"]) and others["weight_decay"] == 0


def test_sentences_are_lower_case_words_with_an_end(text):
    pairs = [(["The", "black", "cat", "sat", "."], ["x"]), (["The", "rug"], ["y"])]
    ids = lab.english_ids_with_eos(text, pairs).tolist()
    assert text.decode_text(ids) == "the black cat sat <eos> the rug <eos>"


def test_the_command_writes_every_way_of_every_seed(
    text, grammar_corpus, tmp_path, monkeypatch
):
    monkeypatch.setattr(lab, "translation_text", lambda: text)
    trained = model(text).eval(), text
    monkeypatch.setattr(lab.book_models, "language_model", lambda: trained)
    monkeypatch.setattr(data, "load_parallel", {"grammar": grammar_corpus}.get)
    monkeypatch.setattr(
        lab, "compare_with_compiled", lambda model, ids: {"losses": [len(ids)]}
    )
    options = "--rounded 1 --decayed 1 --short 100 --adapted 1 --seed 4 --seeds 2"
    lab.main(["--out", str(tmp_path / "made.json"), *options.split()])
    made = json.loads((tmp_path / "made.json").read_text("utf-8"))
    ways = [(row["precision"], row["scale"], row["seed"]) for row in made["precisions"]]
    assert ways == [
        (*way, seed) for seed in (4, 5) for way in lab.PRECISIONS_AND_LOSS_SCALES
    ]
    ways = [(row["where"], row["decay"], row["seed"]) for row in made["decays"]]
    assert ways == [(*way, seed) for seed in (4, 5) for way in lab.DECAYS]
    ranks = [row["rank"] for row in made["adaptations"]]
    assert ranks == [0, 1, 1, 2, 2, 4, 4, 8, 8, None, None] * 2
    learns = {row["rank"]: row["learns"] for row in made["adaptations"]}
    assert learns[0] == 0 and learns[None] == made["whole"]
    one = 2 * (16 + 48 + 3 * 32)
    assert [learns[r] for r in lab.LORA_RANKS] == [one * r for r in lab.LORA_RANKS]
    recorded = records.load("efficient_training")
    assert made.keys() == recorded.keys()
    for name in ("precisions", "decays", "adaptations"):
        assert made[name][0].keys() == recorded[name][0].keys()
