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


def test_folders_that_are_missing_are_made(tmp_path):
    path = tmp_path / "runs" / "first" / "model.safetensors"
    for data in (b"one", b"two"):
        storage.write(path, data)
        assert path.read_bytes() == data


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way", "utf-8")
    with pytest.raises(StorageError, match="could not be written"):
        storage.write(tmp_path / "file" / "model.safetensors", b"data")


def test_a_file_may_be_read_by_whom_any_other_file_may(tmp_path):
    (tmp_path / "other").touch()
    storage.write(tmp_path / "weights", b"1")
    assert (tmp_path / "weights").stat().st_mode == (tmp_path / "other").stat().st_mode


SENTENCES = ids(11, [5, 3], 1), ids(11, [4, 2], 2)


def language_model(**changes):
    torch.manual_seed(0)
    return nn.LanguageModel(config(N=2, **changes)).eval()


def same_logits(given, expected):
    assert torch.equal(given(*SENTENCES)[0], expected(*SENTENCES)[0])


FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("own", FLOATS)
@pytest.mark.parametrize("dtype", [None, *FLOATS])
def test_every_loader_reads_the_numbers_that_were_written(path, own, dtype):
    made = model(config(share="target"), dtype=own)
    nn.save_weights(path, made, dtype)
    theirs, again = load_file(path), nn.load_weights(path)
    _, W = by_hand.load_weights(path)
    for name, p in made.named_parameters():
        expected = p.detach() if dtype is None else p.detach().to(dtype)
        assert theirs[name].dtype == expected.dtype
        assert torch.equal(theirs[name], expected)
        # Two bytes are enough to keep a number, and too few to compute with it.
        wide = torch.promote_types(expected.dtype, torch.float32)
        for given in (again.get_parameter(name), torch.from_numpy(W[name])):
            assert given.dtype == wide and torch.equal(given, expected.to(wide)), name


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
@pytest.mark.parametrize("load", [nn.load_weights, by_hand.load_weights])
def test_a_file_with_other_numbers_than_floats_is_refused(saved, load, dtype):
    name = "encoder.0.feed_forward.b_1"
    changed = load_file(saved)
    changed[name] = changed[name].to(dtype)
    save_file(changed, saved, {"config": json.dumps(config().as_dict())})
    with pytest.raises(StorageError, match=rf"{name} holds .*; expected floats"):
        load(saved)


def compiled(made):
    return torch.compile(made, backend="eager")


def compiled_in_parts(made):
    made.encoder[0] = compiled(made.encoder[0])
    made.decoder[1].feed_forward = compiled(made.decoder[1].feed_forward)
    return made


def adapted(made):
    made = nn.adapt(made, 2, alpha=3.0)
    with torch.no_grad():
        for W in made.parameters():
            if W.requires_grad:
                W.add_(0.1)
    return made


def compiled_and_adapted(made):
    return compiled(adapted(made))


@pytest.mark.parametrize(
    "change", [compiled, compiled_in_parts, adapted, compiled_and_adapted]
)
def test_a_changed_model_is_written_under_the_names_of_the_plain_one(path, change):
    made = model(config(), dtype=torch.float32)
    names = [name for name, _ in made.named_parameters()]
    made = change(made)
    expected = made(*SENTENCES)[0]
    nn.save_weights(path, made)
    assert {*load_file(path)} == {*names}
    assert torch.equal(nn.load_weights(path)(*SENTENCES)[0], expected)
    assert torch.equal(made(*SENTENCES)[0], expected)  # it is as it was


def test_an_adapted_language_model_is_written_as_its_merged_one(path):
    made = adapted(language_model(g=2, positions="rope"))
    nn.save_weights(path, made)
    again = nn.load_language_model(path)
    assert torch.equal(again(SENTENCES[0])[0], nn.merge(made)(SENTENCES[0])[0])


def test_names_of_a_compiled_model_in_an_older_file_are_read(saved):
    """As this book wrote them, or somebody the ``state_dict`` of a compiled model."""
    named = {f"_orig_mod.{name}": W for name, W in load_file(saved).items()}
    save_file(named, saved, {"config": json.dumps(config().as_dict())})
    same_logits(nn.load_weights(saved), model(config(), dtype=torch.float32))
    assert "source_embedding" in by_hand.load_weights(saved)[1]


def with_more(made):
    made.encoder.append(nn.EncoderLayer(16, 4, 32))


def with_less(made):
    del made.decoder[-1]


def with_bias(made):
    made.extra = torch.nn.Linear(2, 2)


def untied(made):
    made.output = torch.nn.Parameter(made.output.detach() + 1)


def wider(made):
    made.encoder[0].feed_forward = nn.FeedForward(16, 48)


@pytest.mark.parametrize("change", [with_more, with_less, with_bias, untied, wider])
def test_weights_that_the_configuration_does_not_have_are_not_written(saved, change):
    before = saved.read_bytes()
    made = model(config(), dtype=torch.float32)
    change(made)
    with pytest.raises(StorageError, match="is not what its configuration says: .*"):
        nn.save_weights(saved, made)
    assert saved.read_bytes() == before


@pytest.mark.parametrize(
    "wrap",
    [
        torch.nn.DataParallel,
        torch.nn.Sequential,
        lambda made: nn.Encoder(made.config.changed(kind="encoder-only")),
        lambda made: made.encoder,
    ],
)
def test_what_is_no_model_of_ours_is_refused_at_the_door(path, wrap):
    with pytest.raises(StorageError, match="the model is of <class .*expected an nn.T"):
        nn.save_weights(path, wrap(model(config())))
    assert not path.exists()


def test_two_names_of_one_memory_are_written_as_two(path):
    made = model(config(share="none"), dtype=torch.float32)
    made.output.data = made.target_embedding.data
    nn.save_weights(path, made)
    same_logits(nn.load_weights(path), made)


@pytest.mark.parametrize(
    "dtype, value, said",
    [
        (
            torch.float16,
            7e4,
            r"W_1 has numbers up to 7e\+04; expected at most 6.55e\+04",
        ),
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


def test_a_loaded_model_computes_in_float64_what_the_one_that_was_saved_does(path):
    """Its table of positions is not rounded with the weights."""
    made = model(config(), dtype=torch.float64).float()
    nn.save_weights(path, made)
    fresh = nn.Transformer(config()).eval()
    nn.set_weights(fresh, dict(made.named_parameters()))
    for again in (nn.load_weights(path), fresh):
        assert again.PE.dtype == torch.float64
        exact = nn.positional_encoding(24, 16, dtype=torch.float64)
        assert torch.equal(again.double().PE, exact)


def test_each_weight_keeps_its_own_precision(path):
    made = model(config(), dtype=torch.float32)
    made.encoder[0].add_and_norm_1.double()
    nn.save_weights(path, made)
    again = nn.load_weights(path)
    for (name, a), b in zip(made.named_parameters(), again.parameters(), strict=True):
        assert a.dtype == b.dtype and torch.equal(a, b), name


def test_a_file_of_the_other_kind_of_model_names_its_reader(path, saved):
    with pytest.raises(StorageError, match="of a Transformer; .*nn.load_weights"):
        nn.load_language_model(saved)
    nn.save_weights(path, language_model(g=2))
    with pytest.raises(StorageError, match="of a LanguageModel; .*load_language_model"):
        nn.load_weights(path)
    with pytest.raises(StorageError, match="expected the weights of a Transformer"):
        by_hand.load_weights(path)


@pytest.mark.parametrize("value", ["2.0", "true", '"2"', "null", "[2]", "0"])
def test_a_configuration_that_cannot_be_is_no_configuration(saved, value):
    text = json.dumps(config().as_dict()).replace('"N": 4', f'"N": {value}')
    save_file(load_file(saved), saved, {"config": text})
    for load in (nn.load_weights, by_hand.load_weights):
        with pytest.raises(StorageError, match="carries no configuration .*N is"):
            load(saved)


def test_to_save_draws_nothing(path):
    made, state = model(config()), torch.get_rng_state()
    nn.save_weights(path, made)
    assert torch.equal(torch.get_rng_state(), state)
