"""The record of shared heads: what is trained, what is counted, and what the command writes."""

import json

import pytest
import torch

from transformer_book import nn
from transformer_lab import records
from transformer_lab.language import shared_heads


@pytest.mark.parametrize(
    "way, kept", [({"g": 4}, 512), ({"g": 2}, 256), ({"g": 1}, 128), ({"d_c": 64}, 128)]
)
def test_a_way_is_the_attention_it_says_and_keeps_so_much(text, way, kept):
    model = shared_heads.untrained_variant(way, text, seed=3)
    for layer in model.layers:
        for name, size in way.items():
            W = layer.self_attention.W_K if name == "g" else layer.self_attention.W_DKV
            assert W.shape[-1] == (32 * size if name == "g" else size)
    assert shared_heads.cached_numbers_per_token(model) == kept
    again = shared_heads.untrained_variant(way, text, seed=3)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_command_writes_every_way_and_every_conversion(text, tmp_path, monkeypatch):
    monkeypatch.setattr(shared_heads, "translation_text", lambda: text)
    pooled = []
    convert = nn.with_shared_heads
    monkeypatch.setattr(
        nn, "with_shared_heads", lambda model, g: pooled.append(g) or convert(model, g)
    )
    options = [
        "--steps",
        "2",
        "--on",
        "1",
        "--seed",
        "4",
        "--seeds",
        "2",
        "--threads",
        "1",
    ]
    shared_heads.main(["--out", str(tmp_path / "made.json"), *options])
    made = json.loads((tmp_path / "made.json").read_text("utf-8"))
    assert [(run["way"], run["seed"]) for run in made["runs"]] == [
        (way, seed) for seed in (4, 5) for way in shared_heads.WAYS
    ]
    assert pooled == [4, 2, 1] * 2
    for run, g in zip(made["conversions"], pooled, strict=True):
        assert run["way"] == {"g": g} and run["loss"] != run["pooled"]
    whole = made["runs"][0]["loss"]
    assert made["conversions"][0]["pooled"] == pytest.approx(whole, abs=1e-5)
    recorded = records.load("shared_heads")
    assert made.keys() == recorded.keys()
    assert made["runs"][0].keys() == recorded["runs"][0].keys()
