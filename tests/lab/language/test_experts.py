"""The record of mixtures of experts: what is trained, what is counted, and what the command writes."""

import json

import pytest
import torch

from transformer_book import nn, train
from transformer_lab import records
from transformer_lab.language import experts


def test_the_ways_are_dense_ones_and_mixtures_balanced_and_not(text):
    ways = experts.networks_to_train()
    assert [balance for way, balance in ways if "d_ff" in way] == [0.0] * 3
    mixtures = [way for way in ways if "experts" in way[0]]
    assert len(mixtures) == 8 and {balance for _, balance in mixtures} == {0.0, 0.01}


@pytest.mark.parametrize(
    "way, once", [(way, b) for way, b in experts.networks_to_train() if not b]
)
def test_what_is_held_and_what_is_active_is_counted(text, way, once):
    model = train.fresh_language_model(text, 0, **way)
    held, active = experts.stored_and_active_feed_forward_parameters(model)
    networks = [layer.feed_forward for layer in model.layers]
    assert held == sum(p.numel() for net in networks for p in net.parameters())
    passed = []
    for net in networks:
        if "experts" in way:
            passed += [net.W_router.numel()]
            of = [sum(p.numel() for p in one.parameters()) for one in net.experts]
            passed += of[: way["active"]]
        else:
            passed += [sum(p.numel() for p in net.parameters())]
    assert active == sum(passed)


def test_shares_are_of_all_choices():
    weights = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.7, 0.3]])
    assert experts.expert_choice_shares(weights).tolist() == [0.25, 0.5, 0.25]


def test_what_a_capacity_drops_is_what_the_layer_drops():
    P = torch.rand(40, 4, generator=torch.Generator().manual_seed(0)).softmax(-1)
    for active, factor in ((1, 1.0), (2, 1.0), (2, 1.25)):
        capacity = round(factor * 20 * active / 4)
        lost = 0
        for some in P.split(20):
            weights, _ = nn.route(some.log(), torch.eye(4), active, capacity)
            lost += 20 * active - int((weights > 0).sum())
        assert experts.dropped_share(P, active, factor, 20) == lost / (40 * active)


def test_the_token_tells_where_it_goes_or_not():
    ids = torch.tensor([0, 1, 2] * 20)
    by_token = torch.nn.functional.one_hot(ids, 4).float()
    knowing, nothing = experts.first_expert_predicted_shares(by_token, ids)
    assert knowing == 1.0 and nothing == pytest.approx(1 / 3)
    draw = torch.Generator().manual_seed(0)
    drawn = torch.rand(60, 4, generator=draw)
    knowing, nothing = experts.first_expert_predicted_shares(drawn, ids)
    assert knowing < 0.6
    # A token of the second half alone is guessed to go where most of the first half go.
    late = torch.tensor([0] * 30 + [7] * 30)
    assert (
        experts.first_expert_predicted_shares(by_token * 0 + torch.eye(4)[0], late)[0]
        == 1.0
    )


def test_routes_are_those_of_each_layer_in_windows(text):
    model = train.fresh_language_model(text, 0, experts=4, active=2)
    ids = torch.from_numpy(text.validation[:70])
    weights, P = experts.route_text(model, ids, context=32)
    assert weights.shape == P.shape == (2, 64, 4)
    with nn.record_routes(model) as found, torch.no_grad():
        model(ids[32:64][None])
    for layer, (w, _) in enumerate(found):
        torch.testing.assert_close(weights[layer, 32:], w[0])


def test_the_command_writes_every_way(text, tmp_path, monkeypatch):
    monkeypatch.setattr(experts.book_models, "wikipedia_text", lambda: text)
    options = ["--steps", "2", "--seed", "4", "--seeds", "2"]
    experts.main(["--out", str(tmp_path / "made.json"), *options])
    made = json.loads((tmp_path / "made.json").read_text("utf-8"))
    assert [(run["way"], run["balance"], run["seed"]) for run in made["runs"]] == [
        (way, balance, seed)
        for seed in (4, 5)
        for way, balance in experts.networks_to_train()
    ]
    recorded = records.load("experts")
    assert made.keys() == recorded.keys()
    for mine, theirs in zip(made["runs"], recorded["runs"]):
        assert mine.keys() == theirs.keys() and mine["way"] == theirs["way"]
        for layer in mine.get("layers", ()):
            assert layer.keys() == theirs["layers"][0].keys()
            assert sum(layer["shares"]) == pytest.approx(1, abs=1e-3)
