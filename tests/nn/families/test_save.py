"""A saved folder: what its readers, ours and ``transformers``, find in it is what was saved."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from transformer_book import nn, storage
from transformer_book.config import ConfigError
from transformer_book.nn import families
from transformer_book.storage import StorageError

from .peers import MAKERS, inputs_of, peer_of

WHOLE = "model.safetensors"


def config_in(folder):
    return json.loads((folder / "config.json").read_text("utf-8"))


def tuned(folder):
    """The model of a folder after "fine-tuning", and the fields of its configuration."""
    model = families.load(folder)
    with torch.no_grad():
        for W in model.parameters():
            W.mul_(1.25).add_(0.01)
    return model, config_in(folder)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@torch.no_grad()
def check_readers(folder, model, family="gpt2"):
    """Ours has the same weights, and a class of ``transformers`` the same logits."""
    again = families.load(folder)
    expected = dict(model.named_parameters())
    assert expected.keys() == dict(again.named_parameters()).keys()
    for name, W in again.named_parameters():
        assert torch.equal(W, expected[name]), name
    ours, theirs = inputs_of(family)
    peer = MAKERS[family][0].from_pretrained(folder).eval()
    expected, _ = model(**ours)
    torch.testing.assert_close(peer(**theirs).logits, expected, atol=5e-5, rtol=0)


def sharded(folder):
    peer_of("gpt2").save_pretrained(folder, max_shard_size="20KB")


def whole(folder):
    peer_of("gpt2").save_pretrained(folder)


def both(folder):
    sharded(folder)
    whole(folder)
    sharded(folder)


def pickled(folder):
    peer = peer_of("gpt2")
    peer.save_pretrained(folder)
    torch.save(peer.state_dict(), folder / "pytorch_model.bin")


def pickled_in_parts(folder):
    peer = peer_of("gpt2")
    peer.save_pretrained(folder)
    part = "pytorch_model-00001-of-00001.bin"
    torch.save(peer.state_dict(), folder / part)
    index = {"weight_map": dict.fromkeys(peer.state_dict(), part)}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index), "utf-8")


OLDER = [sharded, whole, both, pickled, pickled_in_parts]


@pytest.mark.parametrize("write", OLDER)
def test_a_saved_folder_holds_no_weights_that_it_replaces(write, tmp_path):
    write(tmp_path)
    (tmp_path / "vocab.json").write_text("{}", "utf-8")
    model, config = tuned(tmp_path)
    families.save(tmp_path, model, config)
    check_readers(tmp_path, model)
    kept = {"config.json", "generation_config.json", "vocab.json", WHOLE}
    assert {path.name for path in tmp_path.iterdir()} == kept


def test_where_a_folder_has_both_the_one_file_counts_as_in_transformers(tmp_path):
    sharded(tmp_path)
    model, config = tuned(tmp_path)
    families.save(tmp_path / "new", model, config)
    (tmp_path / "new" / WHOLE).rename(tmp_path / WHOLE)
    check_readers(tmp_path, model)


@pytest.mark.parametrize("write", OLDER)
@pytest.mark.parametrize("place", [WHOLE, "config.json"])
@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_a_save_that_fails_leaves_all_that_was_there(
    write, place, error, tmp_path, monkeypatch
):
    write(tmp_path)
    before, (model, config) = files(tmp_path), tuned(tmp_path)
    replace = storage.os.replace

    def failing(part, path):
        if path.name == place:
            monkeypatch.setattr(storage.os, "replace", replace)  # once
            raise error
        replace(part, path)

    monkeypatch.setattr(storage.os, "replace", failing)
    with pytest.raises((StorageError, KeyboardInterrupt)):
        families.save(tmp_path, model, config | {"task_specific_params": 1})
    assert files(tmp_path) == before


def test_a_save_that_fails_in_a_new_folder_leaves_no_file(tmp_path):
    (tmp_path / "new" / WHOLE).mkdir(parents=True)
    whole(tmp_path)
    with pytest.raises(StorageError, match="could not be written"):
        families.save(tmp_path / "new", *tuned(tmp_path))
    assert [path.name for path in (tmp_path / "new").iterdir()] == [WHOLE]


@pytest.mark.parametrize("family", ["gpt2", "llama", "t5"])
def test_an_adapted_model_is_saved_as_its_merged_one(family, tmp_path):
    peer_of(family).save_pretrained(tmp_path)
    model, config = tuned(tmp_path)
    adapted = nn.adapt(model, 2)
    with torch.no_grad():
        for W in adapted.parameters():
            if W.requires_grad:
                W.add_(0.05)
    families.save(tmp_path, adapted, config)
    check_readers(tmp_path, nn.merge(adapted), family)


def test_a_compiled_model_is_saved_under_the_names_of_the_plain_one(tmp_path):
    whole(tmp_path)
    model, config = tuned(tmp_path)
    families.save(tmp_path, torch.compile(model, backend="eager"), config)
    check_readers(tmp_path, model)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("field", ["dtype", "torch_dtype"])
def test_a_told_precision_is_that_of_the_weights(dtype, field, tmp_path):
    """``transformers`` rounds what it reads to what config.json tells."""
    whole(tmp_path)
    model, config = tuned(tmp_path)
    config.pop("dtype", None)
    config |= {field: "bfloat16" if dtype != torch.bfloat16 else "float32"}
    families.save(tmp_path, model.to(dtype), config)
    written = load_file(tmp_path / WHOLE)
    assert {W.dtype for W in written.values()} == {dtype}
    peer = MAKERS["gpt2"][0].from_pretrained(tmp_path)
    assert peer.dtype == dtype
    assert torch.equal(peer.transformer.wte.weight, model.embedding)
    again = families.load(tmp_path, dtype)
    assert torch.equal(again.embedding, model.embedding)


def test_numbers_of_numpy_in_a_configuration_are_written(tmp_path):
    whole(tmp_path)
    model, config = tuned(tmp_path)
    numbers = {"vocab_size": np.int64(60), "layer_norm_epsilon": np.float32(2**-10)}
    model = nn.model_from_config(families.config_of(config | numbers))
    families.save(
        tmp_path, model, config | numbers | {"task_specific_params": [np.float64(0.5)]}
    )
    assert families.load(tmp_path).config == model.config
    assert config_in(tmp_path)["task_specific_params"] == [0.5]


@pytest.mark.parametrize("value", [{1, 2}, 1j, torch.tensor(1), object()])
def test_what_json_cannot_say_is_refused_before_anything_is_written(value, tmp_path):
    whole(tmp_path)
    before, (model, config) = files(tmp_path), tuned(tmp_path)
    with pytest.raises(ConfigError, match="the fields cannot be written as JSON: .*"):
        families.save(tmp_path, model, config | {"task_specific_params": value})
    assert files(tmp_path) == before


def test_what_is_no_model_of_the_family_is_not_written(tmp_path):
    whole(tmp_path)
    before, (model, config) = files(tmp_path), tuned(tmp_path)
    with pytest.raises(StorageError, match="Linear'>; expected a LanguageModel"):
        families.save(tmp_path, torch.nn.Linear(2, 2), config)
    model.output = torch.nn.Parameter(model.embedding.detach() + 1)
    with pytest.raises(StorageError, match="output is not of this model"):
        families.save(tmp_path, model, config)
    model.output, model.embedding = None, None
    with pytest.raises(StorageError, match="embedding is missing"):
        families.save(tmp_path, model, config)
    assert files(tmp_path) == before
