"""A decoder-only Transformer: equal to torch's stack, and blind to what comes after."""

import pytest
import torch

from tests.nn import models
from transformer_book import nn
from transformer_book.config import ConfigError
from transformer_book.nn import LanguageModel, LanguageModelCache
from transformer_book.shapes import ShapeError
from transformer_book.storage import StorageError
from transformer_lab.torch_transformer import TorchLanguageModel

WIRINGS = [("pre", "all"), ("pre", "none"), ("post", "all")]


def made(norm="pre", share="all", dtype=torch.float64, **changes):
    config = models.config(norm=norm, share=share, **changes)
    torch.manual_seed(0)
    model = LanguageModel(config).to(dtype).eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.ndim == 1:  # away from 1 and 0, as after training
                p.add_(0.3 * torch.randn_like(p))
    return model


IDS = torch.tensor([[4, 7, 7, 2, 9, 1, 3], [5, 1, 10, 3, 3, 8, 6]])


@pytest.mark.parametrize("norm, share", WIRINGS)
def test_it_is_torch_s_encoder_with_a_causal_mask(norm, share):
    model = made(norm, share)
    logits, weights = model(IDS)
    assert weights == {} and logits.std() > 0.5
    torch.testing.assert_close(logits, TorchLanguageModel(model)(IDS))


def test_its_gradients_are_torch_s():
    model = made()
    theirs = TorchLanguageModel(model)
    wanted = torch.autograd.grad(
        theirs(IDS).square().mean(), theirs.stack.layers[0].linear1.weight
    )[0]
    model(IDS)[0].square().mean().backward()
    torch.testing.assert_close(model.layers[0].feed_forward.W_1.grad, wanted.T)


@pytest.mark.parametrize("norm, share", WIRINGS)
def test_what_comes_after_changes_nothing(norm, share):
    model = made(norm, share)
    other = IDS.clone()
    other[:, 4:] = torch.tensor([1, 2, 3])
    before, after = model(IDS)[0], model(other)[0]
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 0.1


@pytest.mark.parametrize("pieces", [[7], [3, 4], [1] * 7, [2, 1, 3, 1]])
def test_with_a_cache_it_may_read_in_pieces(pieces):
    model, cache = made(), LanguageModelCache(4)
    found = [model(piece, cache=cache)[0] for piece in IDS.split(pieces, dim=1)]
    assert len(cache) == 7
    torch.testing.assert_close(torch.cat(found, dim=1), model(IDS)[0])


def test_a_cache_can_be_given_other_rows():
    model, cache = made(), LanguageModelCache(4)
    model(IDS[:, :5], cache=cache)
    cache.select(torch.tensor([1, 1, 0]))
    rows = IDS[[1, 1, 0]]
    found, _ = model(rows[:, 5:], cache=cache)
    torch.testing.assert_close(found, model(rows)[0][:, 5:])


def test_a_cache_can_be_cut_back():
    model, cache = made(), LanguageModelCache(4)
    model(IDS, cache=cache)  # all seven, and three of them taken back
    cache.crop(4)
    assert len(cache) == cache.next_position == 4
    found, _ = model(IDS[:, 4:], cache=cache)
    torch.testing.assert_close(found, model(IDS)[0][:, 4:])


def test_the_weights_of_attention_have_names():
    _, weights = made()(IDS, need_weights=True)
    assert [*weights] == [f"layers.{i}.self_attention" for i in range(4)]
    for A in weights.values():
        assert A.shape == (2, 4, 7, 7)
        assert not A.triu(1).any()
        torch.testing.assert_close(A.sum(dim=-1), torch.ones_like(A[..., 0]))


def test_the_file_brings_the_same_model_back(tmp_path):
    model = made(dtype=torch.float32)
    nn.save_weights(tmp_path / "model.safetensors", model)
    again = nn.load_language_model(tmp_path / "model.safetensors")
    assert again.config == model.config and not again.training
    assert torch.equal(again(IDS)[0], model(IDS)[0])
    with pytest.raises(StorageError, match="does not fit the model"):
        nn.load_weights(tmp_path / "model.safetensors")


def test_two_vocabularies_are_one_too_many():
    config = models.config(words=(11, 12), share="target")
    with pytest.raises(ConfigError, match="source_words is 11 and target_words is 12"):
        LanguageModel(config)


@pytest.mark.parametrize(
    "ids, said",
    [
        (torch.ones(1, 25).long(), "text has 25 tokens; expected at most 24"),
        (torch.tensor([[3, 11]]), "ids from 3 to 11; expected 0 to 10"),
        (torch.ones(3).long(), r"ids has shape \(3,\); expected \(batch, n\)"),
    ],
)
def test_bad_input_is_one_clear_error(ids, said):
    with pytest.raises(ShapeError, match=said):
        made()(ids)


def test_a_cache_that_is_full_is_one_clear_error():
    model, cache = made(), LanguageModelCache(4)
    model(torch.ones(1, 24).long(), cache=cache)
    with pytest.raises(ShapeError, match="text has 25 tokens; expected at most 24"):
        model(torch.ones(1, 1).long(), cache=cache)
