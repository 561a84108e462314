"""A language model with positions of every kind, read at once, in pieces, and from blocks."""

import pytest
import torch

from tests.nn import models
from transformer_book import decode, nn
from transformer_book.config import POSITIONS, ConfigError
from transformer_book.serve import PagedCache
from transformer_book.shapes import ShapeError

IDS = torch.tensor([[4, 7, 7, 2, 9, 1, 3], [5, 1, 10, 3, 3, 8, 6]])
PIECES = [[7], [3, 4], [1] * 7, [2, 1, 3, 1]]


def made(kind, g=None, **changes):
    torch.manual_seed(0)
    config = models.config(d_model=16, h=4, norm="pre", g=g, positions=kind, **changes)
    model = nn.LanguageModel(config).double().eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "table" in name:  # T5's starts at 0
                p.normal_()
        model.output.mul_(3)
    return model.requires_grad_(False)


@pytest.fixture(params=POSITIONS)
def kind(request):
    return request.param


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("g", [None, 2, 1])
@pytest.mark.parametrize("make", [nn.KeyValueCache, lambda: nn.PreallocatedCache(9)])
def test_it_may_read_in_pieces(kind, pieces, g, make):
    model = made(kind, g)
    cache = nn.LanguageModelCache(model.config.N, make)
    found = [model(piece, cache=cache)[0] for piece in IDS.split(pieces, dim=1)]
    torch.testing.assert_close(torch.cat(found, dim=1), model(IDS)[0])


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("window", [1, 3, 6])
def test_a_window_is_a_band_in_the_mask(kind, pieces, window):
    model = made(kind)
    cache = nn.LanguageModelCache(4, lambda: nn.SlidingWindowCache(window))
    found = [model(piece, cache=cache)[0] for piece in IDS.split(pieces, dim=1)]
    x = model.embedding[IDS] * 4
    x = x if model.PE is None else x + model.PE[:7]
    i, j = torch.arange(7)[:, None], torch.arange(7)
    for layer in model.layers:
        x, _ = layer(x, ((j <= i) & (j > i - window))[None])
    torch.testing.assert_close(torch.cat(found, dim=1), model.logits(model.norm(x)))


@pytest.mark.parametrize("g", [None, 2])
@pytest.mark.parametrize("share", [True, False])
def test_texts_of_different_lengths_are_read_from_blocks(kind, share, g):
    model, cache = made(kind, g), PagedCache(4, 40, 2, share_prefixes=share)
    texts = {0: [4, 7, 7, 2, 9, 1, 3], 1: [5, 1, 10], 2: [4, 7, 7, 2, 6, 6]}
    for step in range(6):
        if step in texts and step not in cache:
            cache.add(step, texts[step])
        there = [request for request in texts if request in cache]
        view = cache.view(there)
        x, _ = model.vectors(view.ids, cache=view)
        for row, request in enumerate(there):
            alone = model.vectors(torch.tensor([texts[request]]))[0][0, -1]
            torch.testing.assert_close(x[row, view.new[row] - 1], alone)
            texts[request].append((request + step) % 11)
            cache.append(request, texts[request][-1])


@pytest.mark.parametrize("block_size", [1, 4])
def test_the_padding_of_a_view_is_no_text(kind, block_size):
    """23 of 24 positions beside 9 new tokens: 24 and 9 are read, and 32 by nobody."""
    model, cache = made(kind, max_length=24), PagedCache(4, 60, block_size)
    texts = {"long": IDS.flatten().tolist() + 9 * [5], "short": 9 * [6]}
    cache.add("long", texts["long"])
    view = cache.view(["long"])
    model.vectors(view.ids, cache=view)
    texts["long"].append(5)
    cache.append("long", 5)
    cache.add("short", texts["short"])
    view = cache.view([*texts])
    x, _ = model.vectors(view.ids, cache=view)
    for row, ids in zip(x[[0, 1], view.new - 1], texts.values()):
        alone = model.vectors(torch.tensor([ids]))[0][0, -1]
        torch.testing.assert_close(row, alone)
    cache.append("short", 6)
    cache.append("long", 6)  # the 25th
    view = cache.view([*texts])
    if kind in ("sinusoidal", "learned"):
        with pytest.raises(ShapeError, match="25 tokens; expected at most 24"):
            model.vectors(view.ids, cache=view)
    else:
        assert model.vectors(view.ids, cache=view)[0].isfinite().all()


def test_cropped_and_selected_rows_stay_where_they_were(kind):
    model, cache = made(kind), nn.LanguageModelCache(4)
    model(IDS, cache=cache)
    cache.crop(4)
    cache.select(torch.tensor([1, 1, 0]))
    found, _ = model(IDS[[1, 1, 0], 4:], cache=cache)
    torch.testing.assert_close(found, model(IDS[[1, 1, 0]])[0][:, 4:])


def test_generate_writes_the_same_with_and_without_a_cache(kind):
    model = made(kind)
    written = decode.generate(model, IDS[:, :3], 8)
    assert written == decode.generate(model, IDS[:, :3], 8, use_cache=False)


def test_only_where_positions_count_does_the_order(kind):
    """One layer, so that the last word meets the words before it as they are."""
    model, order = made(kind, N=1), [2, 0, 4, 1, 5, 3, 6]
    same = torch.allclose(model(IDS)[0][:, -1], model(IDS[:, order])[0][:, -1])
    assert same == (kind == "none")


def test_a_shift_changes_nothing_unless_positions_are_added(kind):
    """Seven words behind a first one that only it may see: all distances stay."""
    model, i = made(kind, N=1, max_length=40), torch.arange(27)
    own = (i[:, None] >= i) & ((i[:, None] < 20) == (i < 20))
    x = model.embedding[torch.cat([IDS[:, :1].expand(-1, 20), IDS], dim=1)] * 4
    x = x if model.PE is None else x + model.PE[:27]
    x, _ = model.layers[0](x, own[None])
    same = torch.allclose(model.logits(model.norm(x))[:, 20:], model(IDS)[0])
    assert same == (kind not in ("sinusoidal", "learned"))


def test_the_weights_are_those_that_were_used(kind):
    model = made(kind)
    logits, weights = model(IDS, need_weights=True)
    torch.testing.assert_close(logits, model(IDS)[0])
    assert not weights["layers.3.self_attention"].triu(1).any()


def test_all_that_learns_gets_a_gradient(kind):
    model = made(kind).requires_grad_()
    model(IDS)[0].square().mean().backward()
    used = {name: W.grad for name, W in model.named_parameters()}
    assert all(gradient is not None and gradient.any() for gradient in used.values())
    more = {"learned": 1, "shaw": 4, "t5": 1}.get(kind, 0)
    assert len(used) == len([*made("none").parameters()]) + more


def test_what_all_kinds_have_starts_the_same_unless_something_was_drawn_before():
    plain = dict(made("sinusoidal").named_parameters())
    for kind in ("none", "alibi", "rope", "t5"):
        other = dict(made(kind).named_parameters())
        assert all(torch.equal(W, other[name]) for name, W in plain.items())


def test_the_file_brings_the_same_model_back(kind, tmp_path):
    model = made(kind, g=2)
    nn.save_weights(tmp_path / "model.safetensors", model)
    again = nn.load_language_model(tmp_path / "model.safetensors")
    assert again.config == model.config
    torch.testing.assert_close(again(IDS)[0], model(IDS)[0])


def test_shared_heads_keep_the_positions(kind):
    model = made(kind)
    torch.testing.assert_close(nn.with_shared_heads(model, 4)(IDS)[0], model(IDS)[0])


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_it_runs_in_other_precisions_and_under_autocast(kind, dtype):
    model = made(kind)
    wanted = model(IDS)[0]
    for cached in (None, nn.LanguageModelCache(4)):
        found = model.to(dtype)(IDS, cache=cached)[0]
        assert found.dtype == dtype
        near = 0.3 if dtype == torch.bfloat16 else 1e-4
        torch.testing.assert_close(found.double(), wanted, atol=near, rtol=near)
    with torch.autocast("cpu", torch.bfloat16):
        found = made(kind).float()(IDS)[0]
    torch.testing.assert_close(found.double(), wanted, atol=0.3, rtol=0.1)


def test_a_table_ends_and_a_distance_does_not(kind):
    model, text = made(kind, max_length=6), torch.ones(1, 7).long()
    if kind in ("sinusoidal", "learned"):
        with pytest.raises(ShapeError, match="text has 7 tokens; expected at most 6"):
            model(text)
    else:
        assert model(text)[0].isfinite().all()


@pytest.mark.parametrize("kind", ["alibi", "shaw", "learned"])
def test_the_translator_refuses_positions_that_only_look_back(kind):
    said = f"Transformer: positions is '{kind}'; expected one of"
    with pytest.raises(ConfigError, match=said):
        nn.Transformer(models.config(positions=kind))


def test_pairs_need_an_even_width_and_a_kind_its_name():
    with pytest.raises(
        ConfigError,
        match="3 of the 3 dimensions of a head turn; expected .* turn in pairs",
    ):
        models.config(d_model=12, h=4, positions="rope")
    with pytest.raises(ConfigError, match="positions is 'rotary'; expected one of"):
        models.config(positions="rotary")
