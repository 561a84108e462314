"""Weights of eight bits are torch's own, and every floor reads the same numbers from the file."""

import json

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from tests.nn.models import config, ids, model
from transformer_book import by_hand, nn, storage
from transformer_book.storage import StorageError


def torchs(W):
    """Round a matrix by torch's own kernel, and return it as float32."""
    scale, zeros = W.abs().amax(1) / 127, torch.zeros(len(W), dtype=torch.int32)
    return torch.fake_quantize_per_channel_affine(W, scale, zeros, 0, -127, 127)


@pytest.fixture
def made():
    return model(config(share="target", norm="pre"), dtype=torch.float32)


@pytest.fixture
def path(tmp_path, made):
    nn.save_weights(tmp_path / "model.safetensors", made, torch.int8)
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (64, 7), (2, 300)])
def test_the_numbers_are_torch_s(shape):
    W = torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 3
    W[0] *= 100  # a row of large numbers leaves the others as they are
    numbers, scale = nn.quantise(W)
    assert numbers.dtype == torch.int8 and scale.shape == (len(W),)
    assert torch.equal(numbers * scale[:, None], torchs(W))
    assert (numbers.abs().amax(1) == 127).all()


def test_a_row_of_zeros_stays_one():
    numbers, scale = nn.quantise(torch.tensor([[0.0, 0.0], [-2.0, 1.0]]))
    assert numbers.tolist() == [[0, 0], [-127, 64]] and scale[0] == 1


def test_what_is_read_is_what_torch_dequantises_and_the_rest_is_untouched(path, made):
    again = dict(nn.load_weights(path).named_parameters())
    _, W = by_hand.load_weights(path)
    assert again.keys() == W.keys() == dict(made.named_parameters()).keys()
    for name, p in made.named_parameters():
        expected = torchs(p.detach()) if p.dim() == 2 else p
        assert torch.equal(again[name], expected), name
        assert torch.equal(torch.from_numpy(W[name]), expected), name
        assert again[name].dtype == torch.float32


def test_both_floors_compute_the_same_with_it(path):
    source, target = ids(11, [5, 3], 1), ids(11, [4, 2], 2)
    logits, _ = nn.load_weights(path)(source, target)
    made, W = by_hand.load_weights(path)
    theirs, _ = by_hand.transformer(source.numpy(), target.numpy(), W, made)
    torch.testing.assert_close(
        logits, torch.from_numpy(theirs).to(logits), rtol=0, atol=1e-5
    )


def test_the_file_has_a_byte_for_each_number_of_a_matrix(path, made):
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    assert json.loads(metadata["config"]) == made.config.as_dict()
    tensors = load_file(path)
    for name, p in made.named_parameters():
        one = tensors[name]
        assert one.dtype == (torch.int8 if p.dim() == 2 else torch.float32), name
        if p.dim() == 2:
            assert tensors[name + ".scale"].shape == p.shape[:1]
    numbers = sum(t.numel() * t.element_size() for t in tensors.values())
    matrices = [p for p in made.parameters() if p.dim() == 2]
    others = sum(4 * p.numel() for p in made.parameters() if p.dim() != 2)
    assert numbers == others + sum(p.numel() + 4 * len(p) for p in matrices)


NAME = "encoder.0.feed_forward.W_1"


def without_scale(tensors):
    del tensors[f"{NAME}.scale"]


def scale_of_columns(tensors):
    tensors[f"{NAME}.scale"] = torch.ones(tensors[NAME].shape[1])


def a_vector(tensors):
    tensors[NAME] = tensors[NAME][0].clone()


@pytest.mark.parametrize(
    "spoil, message",
    [
        (without_scale, rf"{NAME} holds .*int8; .*for {NAME}.scale there is no such"),
        (scale_of_columns, rf"{NAME} holds .*for {NAME}.scale there is \(32,\)"),
        (a_vector, rf"{NAME} holds .*int8; expected .* Its shape is \(32,\)"),
    ],
)
@pytest.mark.parametrize("load", [nn.load_weights, by_hand.load_weights])
def test_numbers_and_scales_that_do_not_fit_are_named(path, load, spoil, message):
    tensors = load_file(path)
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    spoil(tensors)
    save_file(tensors, path, metadata)
    with pytest.raises(StorageError, match=message):
        load(path)


def test_a_scale_of_nothing_is_not_of_this_model(path):
    tensors = load_file(path) | {"decoder.0.scale": torch.ones(3)}
    with safe_open(path, "pt") as file:
        save_file(tensors, path, file.metadata())
    with pytest.raises(StorageError, match=r"decoder\.0\.scale is not of this model"):
        nn.load_weights(path)


@pytest.mark.parametrize("keep", [100, 0.5, 0.999])
def test_a_truncated_file_is_refused(path, keep):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(keep * len(whole)) if keep < 1 else keep])
    with pytest.raises(StorageError, match="is not a whole safetensors file"):
        storage.read_tensors_as_floats(path)


def test_the_same_model_is_the_same_file(path, made, tmp_path):
    # Two keys of metadata would stand in any order.
    for i in range(20):
        nn.save_weights(tmp_path / "again", made, torch.int8)
        assert (tmp_path / "again").read_bytes() == path.read_bytes(), i
