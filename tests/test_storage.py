"""Weights on disk: whole or not at all, and one clear error for every file that is not one."""

import errno
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
    [
        ("all", {"target_embedding", "output"}),
        ("target", {"output"}),
        ("none", set()),
    ],
)
def test_a_shared_matrix_is_written_once_and_any_reader_of_safetensors_can_read_it(
    path, share, absent
):
    made = model(config(share=share), dtype=torch.float32)
    nn.save_weights(path, made)
    tensors = load_file(path)
    names = {"source_embedding", "target_embedding", "output"}
    assert names - tensors.keys() == absent
    assert sum(t.numel() for t in tensors.values()) == sum(
        p.numel() for p in made.parameters()
    )
    again = nn.load_weights(path)
    assert again.config == made.config and not again.training
    source, target = ids(11, [5, 3], 1), ids(11, [4, 2], 2)
    assert torch.equal(again(source, target)[0], made(source, target)[0])
    assert torch.equal(
        tensors["encoder.0.self_attention.W_O"], made.encoder[0].self_attention.W_O
    )


def readers():
    return pytest.mark.parametrize("load", [nn.load_weights, by_hand.load_weights])


@readers()
@pytest.mark.parametrize("keep", [0, 4, 100, 0.5, 0.999])
def test_a_truncated_file_is_refused(saved, load, keep):
    whole = saved.read_bytes()
    saved.write_bytes(whole[: int(keep * len(whole)) if keep < 1 else keep])
    with pytest.raises(
        StorageError, match="is not a whole safetensors file.*Delete it"
    ):
        load(saved)


@readers()
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
    tensors, _ = storage.read(saved, "pt")
    with pytest.raises(
        StorageError, match=r"decoder.0.feed_forward.W_1 has shape \(16, 32\), expected"
    ):
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
    with pytest.raises(
        StorageError, match="could not be written: No space left.*untouched"
    ):
        nn.save_weights(saved, model(config(), seed=1, dtype=torch.float32))
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(StorageError, match="could not be written"):
        storage.write(tmp_path / "file" / "model.safetensors", b"data")


def test_a_file_may_be_read_by_whom_any_other_file_may(tmp_path):
    (tmp_path / "other").touch()
    storage.write(tmp_path / "weights", b"1")
    assert (tmp_path / "weights").stat().st_mode == (tmp_path / "other").stat().st_mode
