"""The record of norms and activations: what is trained, what is measured, what the command writes."""

import json

import pytest
import torch

from transformer_book import data, nn, train
from transformer_book.nn import attention
from transformer_lab import records
from transformer_lab.language import norms


def of(way, text, seed=0):
    return train.fresh_language_model(text, seed, **norms.WAYS[way])


def test_as_large_means_as_many_parameters(text):
    counts = {
        way: sum(W.numel() for W in of(way, text).layers[0].parameters())
        for way in norms.WAYS
    }
    paper = counts["as in the paper"]
    assert counts["SwiGLU, as large"] == pytest.approx(paper, rel=0.005)
    own = nn.FeedForward(128, 256)
    network = sum(W.numel() for W in own.parameters())
    gate = counts["SwiGLU, half as large again"] - (paper - network)
    assert gate / network == pytest.approx(1.5, rel=0.01)
    assert counts["GELU"] == paper
    assert counts["RMSNorm, no biases"] == counts["no biases"]
    assert counts["QK-norm"] == paper + 2 * 32
    assert counts["RMSNorm"] == paper - 2 * 128
    assert counts["no biases"] == paper - 2 * 128 - 256 - 128


@pytest.mark.parametrize("way", ["as in the paper", "QK-norm"])
def test_the_largest_score_is_that_of_the_weights_of_attention(way, text):
    model, ids = (
        of(way, text, seed=2),
        torch.from_numpy(text.validation[:30]).view(2, 15),
    )
    with torch.no_grad():
        for layer in model.layers:
            layer.self_attention.W_QKV.mul_(3)
    found, seen = norms.largest_attention_score(model, ids), []
    softmax = attention.softmax

    def spy(scores):
        seen.append(scores[scores.isfinite()].abs().max().item())
        return softmax(scores)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attention, "softmax", spy)
        with torch.no_grad():
            model(ids, need_weights=True)
    assert len(seen) == 2 and found == pytest.approx(max(seen), rel=1e-5)
    assert not any(layer.self_attention._forward_pre_hooks for layer in model.layers)


def test_with_qk_norm_no_score_is_beyond_the_root_of_d_k(text):
    model, ids = of("QK-norm", text), torch.from_numpy(text.validation[:30]).view(2, 15)
    with torch.no_grad():
        for layer in model.layers:
            layer.self_attention.W_QKV.mul_(1000)
    assert 1 < norms.largest_attention_score(model, ids) < 32**0.5 * 1.0001


def test_the_command_writes_every_way_at_every_rate(text, tmp_path, monkeypatch):
    other = data.Text.from_articles([["a", "b", "a", "c"]] * 40, [["a", "b"]] * 40, 5)
    monkeypatch.setattr(norms, "translation_text", lambda: text)
    monkeypatch.setattr(norms, "wikipedia_text", lambda: other)
    read, learn = [], train.train_language_model
    monkeypatch.setattr(
        train,
        "train_language_model",
        lambda model, text, *rest: read.append(text) or learn(model, text, *rest),
    )
    peaks = []
    settings = norms.training_settings
    monkeypatch.setattr(
        norms,
        "training_settings",
        lambda steps, seed, peak: peaks.append(peak) or settings(steps, seed, peak),
    )
    options = ["--steps", "2", "--seed", "4", "--seeds", "2", "--threads", "1"]
    norms.main(["--out", str(tmp_path / "made.json"), *options])
    made = json.loads((tmp_path / "made.json").read_text("utf-8"))
    wanted = [(*run, seed) for seed in (4, 5) for run in norms.RUNS]
    keys = "text", "peak", "way", "seed"
    assert [tuple(run[key] for key in keys) for run in made["runs"]] == wanted
    assert peaks == [peak for _, peak, _, _ in wanted]
    named = {"translations": text, "Wikipedia": other}
    assert all(a is named[run[0]] for a, run in zip(read, wanted, strict=True))
    recorded = records.load("norms")
    assert made.keys() == recorded.keys()
    assert made["runs"][0].keys() == recorded["runs"][0].keys()
    assert [tuple(run[key] for key in keys) for run in recorded["runs"]] == [
        (*run, seed) for seed in (0, 1, 2) for run in norms.RUNS
    ]
