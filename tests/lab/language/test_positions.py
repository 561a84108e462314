"""The record of positions: what is trained, what is asked for, and what the command writes."""

import json

import pytest
import torch

from tests.lab.conftest import WORDS
from transformer_book import data, nn, train
from transformer_lab import records
from transformer_lab.language import positions


@pytest.fixture(scope="session")
def text():
    """A text that is learned in no time, of which enough is held back for windows of all lengths."""
    return data.Text.from_articles([WORDS] * 40, [WORDS] * 80, 50)


@pytest.mark.parametrize("way", positions.WAYS)
def test_a_way_is_told_positions_as_it_says(text, way):
    model = positions.untrained_variant(way, text, seed=3)
    kinds = [layer.self_attention.positions for layer in model.layers]
    if way in ("rope", "alibi", "t5", "shaw", "rope in the first layer"):
        assert kinds[0] is not None
        assert (kinds[1] is None) == (way == "rope in the first layer")
    assert model.config.positions == way.split(" ")[0]
    again = positions.untrained_variant(way, text, seed=3)
    for a, b in zip(model.parameters(), again.parameters(), strict=True):
        assert torch.equal(a, b)


def test_sinusoids_in_every_layer_are_added_before_each(text):
    model = positions.untrained_variant("sinusoidal in every layer", text).eval()
    ids = torch.from_numpy(text.validation[:30])[None]
    x = model.embedding[ids] * 8
    for layer in model.layers:
        x = nn.EncoderLayer.forward(layer, x + model.PE[:30].float(), causal=True)[0]
    torch.testing.assert_close(model(ids)[0], model.logits(model.norm(x)))


def test_slowed_down_it_turns_by_other_angles(text):
    model = positions.untrained_variant("rope", text).eval()
    ids = torch.from_numpy(text.validation[:30])[None]
    before, shown = model(ids)[0], {}
    for name, how in positions.rope_scalings(16, 8.0).items():
        shown[name] = positions.set_rope_frequencies(model, *how)(ids)[0]
        assert not torch.allclose(shown[name], before)
    assert not torch.allclose(shown["linear"], shown["YaRN"])
    plain = positions.set_rope_frequencies(model, nn.rope_frequencies(16))
    torch.testing.assert_close(plain(ids)[0], before)


def test_every_block_of_places_is_asked_for_the_same_tokens(text):
    """A model that knows nothing of the tokens before has one loss at all places."""
    model = positions.untrained_variant("none", text).eval()
    for layer in model.layers:
        layer.self_attention = _Blind()
    losses = positions.losses_by_position_block(model, text, 128, 32)
    assert len(losses) == 4 and max(losses) - min(losses) < 1e-5
    unseen = torch.from_numpy(text.validation)
    starts = (len(unseen) - 128 + 31) // 32
    stretch = unseen[96 : starts * 32 + 1]
    logits, _ = model(stretch[None, :-1])
    wanted = torch.nn.functional.cross_entropy(logits[0], stretch[1:]).item()
    assert losses[0] == pytest.approx(wanted, abs=1e-5)


class _Blind(torch.nn.Module):
    def forward(self, queries, *rest, **how):
        return torch.zeros_like(queries), None


def test_the_first_block_is_the_loss_of_short_windows(text):
    model = positions.untrained_variant("rope", text).eval()
    unseen = torch.from_numpy(text.validation)
    starts = (len(unseen) - 512 + 63) // 64
    short = train.token_losses(model, unseen[448 : starts * 64 + 1], 64, 64)
    assert positions.losses_by_position_block(model, text)[0] == pytest.approx(
        short.mean().item(), 1e-5
    )


def test_the_command_writes_every_way_and_every_scaling(text, tmp_path, monkeypatch):
    monkeypatch.setattr(positions, "translation_text", lambda **sizes: text)
    options = [
        "--steps",
        "2",
        "--on",
        "1",
        "--seed",
        "4",
        "--seeds",
        "1",
        "--threads",
        "1",
    ]
    positions.main(["--out", str(tmp_path / "made.json"), *options])
    made = json.loads((tmp_path / "made.json").read_text("utf-8"))
    assert [run["way"] for run in made["runs"]] == [*positions.WAYS]
    for run in made["runs"]:
        assert len(run["losses"]) == (1 if run["way"] == "learned" else 8)
    plain, *others = made["scalings"]
    rope = next(run for run in made["runs"] if run["way"] == "rope")
    assert plain["losses"] == pytest.approx(rope["losses"], 1e-5)
    assert [(row["scaling"], row["factor"]) for row in others] == [
        (name, factor)
        for factor in positions.ROPE_FACTORS
        for name in ("linear", "NTK-aware", "YaRN")
    ]
    assert all(
        ("trained on" in row) == (row["factor"] != 2) for row in made["scalings"]
    )
    recorded = records.load("positions")
    assert made.keys() == recorded.keys()
    assert made["runs"][0].keys() == recorded["runs"][0].keys()
    assert [row.keys() for row in made["scalings"]] == [
        row.keys() for row in recorded["scalings"][: len(made["scalings"])]
    ]
