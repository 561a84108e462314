"""The whole model of ``nn`` against ``by_hand`` and ``torch.nn.Transformer``, and its wiring."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nn.cases import close, gradients
from tests.nn.models import PRESETS, config, ids, model, sentences
from transformer_book import by_hand, nn
from transformer_book.nn.embedding import embed
from transformer_book.shapes import ShapeError
from transformer_lab.torch_transformer import TorchTransformer

NORMS, SHARES = ("post", "pre"), ("all", "target", "none")
every = pytest.mark.parametrize("norm", NORMS)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.safetensors"


@every
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "dtype, tolerance", [(torch.float32, 1e-4), (torch.float64, 1e-9)]
)
def test_both_floors_give_the_same_on_the_same_file(
    file, preset, norm, dtype, tolerance
):
    made = model(config(preset, norm), dtype=dtype)
    nn.save_weights(file, made)
    source, target = ids(11, [7, 4], 1), ids(11, [3, 9], 2)
    logits, weights = nn.load_weights(file)(source, target, need_weights=True)
    theirs, W = by_hand.load_weights(file)
    expected, seen = by_hand.transformer(source.numpy(), target.numpy(), W, theirs)
    assert expected.dtype == logits.detach().numpy().dtype
    torch.testing.assert_close(
        logits, torch.from_numpy(expected), atol=tolerance, rtol=0
    )
    assert list(weights) == list(seen) and len(seen) == 3 * made.config.N
    for name, A in weights.items():
        close(A, seen[name], tolerance)


@given(st.data(), st.sampled_from(NORMS), st.sampled_from(SHARES))
@settings(max_examples=50)
def test_the_model_equals_torch_forward_and_backward(data, norm, share):
    words = (11, 11) if share == "all" else (11, 7)
    made = model(config("tiny", norm, share, words, N=2), data.draw(st.integers(0, 99)))
    source, target = data.draw(sentences(words))
    reference = TorchTransformer(
        made
    ).train()  # dropout is 0; training avoids torch's fast path
    logits, _ = made(source, target)
    expected = reference(source, target)
    close(logits, expected, 1e-9)
    names = ("source_embedding", "output")
    mine = gradients(logits, [getattr(made, name) for name in names], 3)
    theirs = gradients(expected, [getattr(reference, name) for name in names], 3)
    for gradient, other in zip(mine, theirs):
        close(gradient, other, 1e-9)


@every
@pytest.mark.parametrize("preset", PRESETS)
def test_float32_equals_torch_within_a_hundred_thousandth(preset, norm):
    made = model(config(preset, norm), dtype=torch.float32)
    source, target = ids(11, [7, 4], 1), ids(11, [3, 9], 2)
    with torch.no_grad():
        expected = TorchTransformer(made).train()(source, target)
        close(made(source, target)[0], expected, 1e-5)


def test_the_extra_norms_of_torch_make_another_model():
    made = model(config())
    source, target = ids(11, [7, 4], 1), ids(11, [3, 9], 2)
    reference = TorchTransformer(made).train()
    expected = reference(source, target)
    fresh = torch.nn.Transformer(
        16, 4, 4, 4, 32, 0.0, batch_first=True, dtype=torch.float64
    )
    reference.stacks.encoder.norm, reference.stacks.decoder.norm = (
        fresh.encoder.norm,
        fresh.decoder.norm,
    )
    assert (reference(source, target) - expected).abs().max() > 0.1
    # where gamma is 1 and beta 0, a norm after a norm changes nothing but epsilon's share
    plain = nn.Transformer(config()).double().eval()
    reference = TorchTransformer(plain).train()
    expected = reference(source, target)
    reference.stacks.encoder.norm, reference.stacks.decoder.norm = (
        fresh.encoder.norm,
        fresh.decoder.norm,
    )
    assert 0 < (reference(source, target) - expected).abs().max() < 1e-3


@every
def test_no_position_knows_a_later_word(norm):
    made = model(config("tiny", norm, N=2))
    source, target = ids(11, [7], 1), ids(11, [8], 2)
    logits, _ = made(source, target)
    for j in range(8):
        other = target.clone()
        other[0, j] = target[0, j] % 10 + 1
        changed = (made(source, other)[0] - logits).abs().amax(-1)[0] > 1e-12
        assert not changed[:j].any() and changed[j:].all()


@every
def test_padding_changes_nothing(norm):
    made = model(config("tiny", norm, N=2))
    source, target = ids(11, [5], 1), ids(11, [4], 2)
    alone, _ = made(source, target)
    padded, _ = made(ids(11, [5], 1, longest=None), target)
    wider = (
        torch.nn.functional.pad(source, (0, 3)),
        torch.nn.functional.pad(target, (0, 2)),
    )
    close(padded, alone, 0)
    close(made(*wider)[0][:, :4], alone, 1e-12)


@every
@pytest.mark.parametrize("first", [1, 3])
def test_the_cache_changes_nothing(norm, first):
    made = model(config("tiny", norm, N=2))
    source, target = ids(11, [7, 4, 6], 1), ids(11, [9, 9, 9], 2)
    logits, whole = made(source, target, need_weights=True)
    memory, _ = made.encode(source)
    mask, cache = nn.padding_mask(source, 0), nn.DecoderCache(2)
    pieces = [target[:, :first], *target[:, first:].split(1, dim=1)]
    for piece in [*pieces[:3], torch.cat(pieces[3:], dim=1)]:
        start = len(cache)
        x, seen = made.decode(piece, memory, mask, cache=cache, need_weights=True)
        close(made.logits(x), logits[:, start : len(cache)], 1e-12)
        for name, A in seen.items():
            close(A, whole[name][:, :, start : len(cache), : A.shape[-1]], 1e-12)
    assert len(cache) == 9


def test_a_cache_follows_the_rows_that_are_selected():
    made = model(config("tiny", N=2))
    source, target = ids(11, [7, 4, 6], 1), ids(11, [5, 5, 5], 2)
    rows = torch.tensor([2, 0, 0])
    logits, _ = made(source[rows], torch.cat([target[rows, :4], target[:, 4:]], dim=1))
    memory, _ = made.encode(source)
    cache = nn.DecoderCache(2)
    made.decode(target[:, :4], memory, nn.padding_mask(source, 0), cache=cache)
    cache.select(rows)
    mask = nn.padding_mask(source[rows], 0)
    x, _ = made.decode(target[:, 4:], memory[rows], mask, cache=cache)
    close(made.logits(x), logits[:, 4:], 1e-12)


def test_words_in_a_cache_leave_no_place_for_a_mask_of_the_new_ones():
    attention, cache = nn.GeneralAttention(8, 2), nn.KeyValueCache()
    x, mask = torch.zeros(1, 3, 8), torch.ones(3, 3, dtype=torch.bool)
    attention(x, mask=mask, cache=cache)
    with pytest.raises(ShapeError, match="3 words in the cache .* expected no mask"):
        attention(x, mask=mask, causal=True, cache=cache)


def test_gradients_are_those_of_finite_differences():
    made = model(config("tiny", N=1, d_model=4, d_ff=6, h=2))
    source, target = ids(11, [3, 2], 1), ids(11, [2, 3], 2)

    def logits(*_):
        return made(source, target)[0]

    assert torch.autograd.gradcheck(logits, tuple(made.parameters()))


@pytest.mark.parametrize("share", SHARES)
def test_its_state_is_what_it_has_learned_and_no_table_of_positions(share):
    made = nn.Transformer(config(share=share))
    learned = {name for name, _ in made.named_parameters(remove_duplicate=False)}
    assert made.state_dict().keys() == learned
    assert made.PE.shape == (24, 16)


@pytest.mark.parametrize("share, matrices", [("all", 1), ("target", 2), ("none", 3)])
def test_shared_matrices_are_one(share, matrices):
    made = nn.Transformer(config(share=share))
    held = {id(made.source_embedding), id(made.target_embedding), id(made.output)}
    assert len(held) == matrices
    small = nn.Transformer(config(share="all"))
    more = sum(p.numel() for p in made.parameters()) - sum(
        p.numel() for p in small.parameters()
    )
    assert more == (matrices - 1) * 11 * 16


@pytest.mark.parametrize(
    "preset, count, table", [("base", 63_045_632, 65), ("big", 214_171_648, 213)]
)
def test_the_paper_s_models_have_so_many_parameters(preset, count, table):
    with torch.device("meta"):
        made = nn.Transformer(getattr(nn.TransformerConfig, preset)())
    parameters = sum(p.numel() for p in made.parameters())
    assert parameters == count
    assert abs(parameters / 1e6 - table) < 2  # table 3 of the paper, in millions
    attentions = 3 * made.config.N
    with_biases = parameters + attentions * 4 * made.config.d_model
    if preset == "base":
        assert round(with_biases / 1e6, 1) == 63.1  # FACTS


def test_dropout_only_while_training():
    made = model(config(dropout=0.5))
    source, target = ids(11, [7], 1), ids(11, [8], 2)
    assert torch.equal(made(source, target)[0], made(source, target)[0])
    made.train()
    assert not torch.equal(made(source, target)[0], made(source, target)[0])


@pytest.mark.parametrize(
    "source, target, message",
    [
        ([[1] * 25], [[1]], "the source has 25 tokens; expected at most 24"),
        ([[1]], [[1] * 25], "the target has 25 tokens; expected at most 24"),
        ([[11]], [[1]], "the source has ids from 11 to 11; expected 0 to 10"),
        ([[1]], [[-1, 2]], "the target has ids from -1 to 2; expected 0 to 10"),
        ([1, 2], [[1]], "source has shape"),
        ([[1.0]], [[1]], "source holds float32; expected int"),
    ],
)
def test_wrong_input_gets_one_clear_error(source, target, message):
    with pytest.raises(ShapeError, match=message):
        nn.Transformer(config())(torch.tensor(source), torch.tensor(target))


@pytest.mark.parametrize("wrong", [[[1.0, 4.7]], [[True, False]], [[11]], [[-1]]])
def test_only_ids_of_the_vocabulary_are_looked_up(wrong):
    E = torch.randn(11, 16)
    for look_up in (
        lambda: embed("Model", "text", torch.tensor(wrong), E, None),
        lambda: by_hand.embed(np.array(wrong), E.numpy(), config()),
    ):
        with pytest.raises(ShapeError, match="expected .*0 to 10"):
            look_up()


@pytest.mark.parametrize("dtype", [torch.int8, torch.int16, torch.int32])
def test_ids_may_be_short_whole_numbers(dtype):
    made, source, target = model(config()), ids(11, [7, 4], 1), ids(11, [3, 9], 2)
    given = made(source.to(dtype), target.to(dtype))[0]
    close(given, made(source, target)[0], 0)


def test_a_cache_knows_when_the_positions_end():
    made, cache = nn.Transformer(config()), nn.DecoderCache(4)
    memory = torch.zeros(1, 2, 16)
    made.decode(torch.ones(1, 24, dtype=torch.long), memory, cache=cache)
    with pytest.raises(
        ShapeError, match="the target has 25 tokens; expected at most 24"
    ):
        made.decode(torch.ones(1, 1, dtype=torch.long), memory, cache=cache)
