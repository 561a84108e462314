"""Weights on disk: whole or not at all, and one clear error for every file that is not one."""

import errno
import json
import os

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.nn.models import config, ids, model
from transformer_book import by_hand, nn, storage
from transformer_book.storage import StorageError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "runs" / "model.safetensors"


@pytest.fixture
def saved(path):
    nn.save_weights(path, model(config(), dtype=torch.float32))
    return path


@pytest.mark.parametrize(
    "share, absent",
    [("all", {"target_embedding", "output"}), ("target", {"output"}), ("none", set())],
)
def test_a_shared_matrix_is_written_once_and_any_reader_of_safetensors_can_read_it(
    path, share, absent
):
    made = model(config(share=share), dtype=torch.float32)
    nn.save_weights(path, made)
    tensors = load_file(path)
    names = {"source_embedding", "target_embedding", "output"}
    assert names - tensors.keys() == absent
    parameters = sum(p.numel() for p in made.parameters())
    assert sum(t.numel() for t in tensors.values()) == parameters
    again = nn.load_weights(path)
    assert again.config == made.config and not again.training
    source, target = ids(11, [5, 3], 1), ids(11, [4, 2], 2)
    assert torch.equal(again(source, target)[0], made(source, target)[0])
    W_O = made.encoder[0].self_attention.W_O
    assert torch.equal(tensors["encoder.0.self_attention.W_O"], W_O)


LOADERS = [nn.load_weights, by_hand.load_weights]
by_each_loader = pytest.mark.parametrize("load", LOADERS)


@by_each_loader
@pytest.mark.parametrize("keep", [0, 4, 100, 0.5, 0.999])
def test_a_truncated_file_is_refused(saved, load, keep):
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(keep * len(whole)) if keep < 1 else keep])
    said = "is not a whole safetensors file.*Delete it"
    with pytest.raises(StorageError, match=said):
        load(saved)


@by_each_loader
def test_another_kind_of_file_is_refused(path, load):
    path.parent.mkdir()
    torch.save({"a": torch.zeros(3)}, path)
    with pytest.raises(StorageError, match="is not a whole safetensors file"):
        load(path)
    with pytest.raises(StorageError, match="There is no file"):
        load(path.with_name("none"))
    save_file({"a": torch.zeros(3)}, path)
    with pytest.raises(StorageError, match="carries no configuration"):
        load(path)


def test_weights_of_another_configuration_are_refused_and_nothing_is_changed(saved):
    other = model(config(d_ff=48), dtype=torch.float32)
    before = [p.clone() for p in other.parameters()]
    tensors, _ = storage.read_tensors_as_floats(saved, "pt")
    said = r"decoder.0.feed_forward.W_1 has shape \(16, 32\), expected"
    with pytest.raises(StorageError, match=said):
        nn.set_weights(other, tensors, saved)
    del tensors["encoder.0.self_attention.W_O"]
    with pytest.raises(StorageError, match="encoder.0.self_attention.W_O is missing"):
        nn.set_weights(model(config(), dtype=torch.float32), tensors, saved)
    assert all(torch.equal(a, b) for a, b in zip(before, other.parameters()))


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(saved, monkeypatch, step):
    before = saved.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    said = "could not be written: No space left.*untouched"
    with pytest.raises(StorageError, match=said):
        nn.save_weights(saved, model(config(), seed=1, dtype=torch.float32))
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_folders_that_are_missing_are_made(tmp_path):
    path = tmp_path / "runs" / "first" / "model.safetensors"
    for data in (b"one", b"two"):
        storage.write_file(path, data)
        assert path.read_bytes() == data


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(StorageError, match="could not be written"):
        storage.write_file(tmp_path / "file" / "model.safetensors", b"data")


def test_a_file_may_be_read_by_whom_any_other_file_may(tmp_path):
    (tmp_path / "other").touch()
    storage.write_file(tmp_path / "weights", b"1")
    assert (tmp_path / "weights").stat().st_mode == (tmp_path / "other").stat().st_mode


UNFIT = [
    *(torch.int64, torch.int32, torch.int16, torch.uint8, torch.bool),
    *(torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64),
]


@pytest.mark.parametrize("dtype", UNFIT)
def test_what_no_loader_could_read_is_not_written_over_what_it_can(saved, dtype):
    before = saved.read_bytes()
    with pytest.raises(StorageError, match=f"written as {dtype}.*expected .*float32"):
        nn.save_weights(saved, model(config(), dtype=torch.float32), dtype)
    assert saved.read_bytes() == before


@pytest.mark.parametrize("dtype", UNFIT)
@by_each_loader
def test_a_file_with_other_numbers_than_floats_is_refused(saved, load, dtype):
    name = "encoder.0.feed_forward.b_1"
    changed = load_file(saved)
    changed[name] = changed[name].to(dtype)
    save_file(changed, saved, {"config": json.dumps(config().as_dict())})
    with pytest.raises(StorageError, match=rf"{name} holds .*; expected floats"):
        load(saved)


@pytest.mark.parametrize(
    "dtype, value, said",
    [
        (torch.float16, 7e4, r"W_1 has numbers up to 7e\+04; .* at most 6.55e\+04"),
        (torch.float32, 1e39, r"up to 1e\+39; .* the largest of torch.float32"),
        (torch.int8, 1e39, r"up to 1e\+39; .* the largest of torch.float32"),
        (torch.int8, torch.nan, "numbers that are not finite"),
        (torch.int8, torch.inf, "numbers that are not finite"),
    ],
)
def test_a_number_that_the_file_cannot_hold_is_named(saved, dtype, value, said):
    before, made = saved.read_bytes(), model(config(), dtype=torch.float64)
    made.encoder[0].feed_forward.W_1.data[0, 0] = value
    with pytest.raises(StorageError, match=said):
        nn.save_weights(saved, made, dtype)
    assert saved.read_bytes() == before


def test_what_is_no_number_comes_back_as_it_is(path):
    made = model(config(), dtype=torch.float32)
    made.encoder[0].feed_forward.W_1.data[0, :2] = torch.tensor([torch.nan, -torch.inf])
    nn.save_weights(path, made)
    again = nn.load_weights(path).encoder[0].feed_forward.W_1
    assert again[0, 0].isnan() and again[0, 1] == -torch.inf


@pytest.mark.parametrize("value", ["2.0", "true", '"2"', "null", "[2]", "0"])
def test_a_configuration_that_cannot_be_is_no_configuration(saved, value):
    text = json.dumps(config().as_dict()).replace('"N": 4', f'"N": {value}')
    save_file(load_file(saved), saved, {"config": text})
    for load in LOADERS:
        with pytest.raises(StorageError, match="carries no configuration .*N is"):
            load(saved)


def test_to_save_draws_nothing(path):
    made, state = model(config()), torch.get_rng_state()
    nn.save_weights(path, made)
    assert torch.equal(torch.get_rng_state(), state)
