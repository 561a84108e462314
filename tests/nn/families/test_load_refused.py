"""Folders, files, weights and configurations that cannot be loaded are refused by name."""

import json
import re

import pytest
import torch

from tests.nn.families import test_load
from tests.nn.families.test_load import WHOLE, reconfigured, rewritten
from transformer_book import nn
from transformer_book.config import ConfigError
from transformer_book.nn import families
from transformer_book.storage import StorageError

from .peers import peer_of

gpt2 = test_load.gpt2


def renamed(tensors):
    tensors["transformer.h.1.ln_3.weight"] = tensors.pop("transformer.h.1.ln_2.weight")


def transposed(tensors):
    name = "transformer.h.0.attn.c_attn.weight"
    tensors[name] = tensors[name].T.contiguous()


def quantised(tensors):
    name = "transformer.wte.weight"
    tensors[name] = tensors[name].to(torch.int8)


BROKEN = {
    "a weight is missing": (
        lambda d: d.pop("transformer.h.1.ln_2.weight"),
        "h.1.ln_2.weight is missing",
    ),
    "a weight is surplus": (
        lambda d: d.update({"transformer.h.7.ln_1.weight": torch.ones(32)}),
        "h.7.ln_1.weight is not of this model",
    ),
    "a weight has another name": (renamed, "h.1.ln_3.weight is not of this model"),
    "a weight has another shape": (
        transposed,
        "h.0.attn.c_attn.weight has shape (96, 32), expected (32, 96)",
    ),
    "weights are whole numbers": (
        quantised,
        "wte.weight holds torch.int8; expected floats",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_weight_that_does_not_fit_is_named(case, gpt2):
    change, said = BROKEN[case]
    rewritten(gpt2, change)
    with pytest.raises(StorageError, match=re.escape(said)):
        families.load(gpt2)


def test_nothing_is_written_where_something_does_not_fit():
    family = families.FAMILIES["gpt2"]
    fields = {"model_type": "gpt2", "vocab_size": 9, "n_embd": 8, "n_layer": 2}
    fields |= {"n_head": 2, "n_positions": 4}
    model = nn.LanguageModel(families.config_of(fields))
    before = {name: W.clone() for name, W in model.named_parameters()}
    given = {k: v + 1 for k, v in families.family_weights(model, family).items()}
    given.pop("ln_f.weight")
    with pytest.raises(StorageError, match=r"ln_f\.weight is missing"):
        families.set_weights(model, family, given)
    for name, W in model.named_parameters():
        assert torch.equal(W, before[name])


CONFIGS = {
    "model_type": ("mamba", "model_type is 'mamba'; expected one of bert, roberta"),
    "architectures": (["GPT2DoubleHeadsModel"], "is 'GPT2DoubleHeadsModel'"),
    "activation_function": ("mish", "activation_function is 'mish'; expected"),
    "scale_attn_by_inverse_layer_idx": (True, "is True; expected False"),
    "n_embd": (None, "has no field 'n_embd'"),
    "n_head": (5, "d_model is 32; expected an even multiple of h, which is 5"),
    "n_layer": (0, "n_layer is 0; expected a whole number"),
}


@pytest.mark.parametrize("field", CONFIGS)
def test_a_configuration_that_cannot_be_is_named(field, gpt2):
    value, said = CONFIGS[field]
    reconfigured(gpt2, **{field: value})
    with pytest.raises(ConfigError, match=re.escape(said)):
        families.load(gpt2)


def test_more_layers_than_there_are_weights(gpt2):
    reconfigured(gpt2, n_layer=3)
    with pytest.raises(StorageError, match=r"h\.2\.attn\.c_attn\.bias is missing"):
        families.load(gpt2)


@pytest.mark.parametrize("family", ["llama", "qwen3"])
def test_scaled_rotary_positions_are_refused(family, tmp_path):
    peer_of(family).save_pretrained(tmp_path)
    scaled = {"rope_type": "dynamic", "rope_theta": 500.0, "factor": 2.0}
    reconfigured(tmp_path, rope_parameters=scaled)
    with pytest.raises(ConfigError, match="rope_type is 'dynamic'; expected"):
        families.load(tmp_path)


def test_a_pickle_is_not_read(gpt2):
    (gpt2 / WHOLE).unlink()
    torch.save({}, gpt2 / "pytorch_model.bin")
    with pytest.raises(StorageError, match="has pytorch_model.bin; expected model."):
        families.load(gpt2)


def test_a_file_that_is_no_safetensors_file(gpt2):
    torch.save({}, gpt2 / WHOLE)
    with pytest.raises(StorageError, match="is not a whole safetensors file"):
        families.load(gpt2)
    with pytest.raises(StorageError, match="is not a whole safetensors file"):
        families.load(gpt2 / WHOLE)


@pytest.mark.parametrize("name", ["config.json", WHOLE])
def test_a_file_that_is_not_there(name, gpt2):
    (gpt2 / name).unlink()
    with pytest.raises(StorageError, match=f"There is no file .*{name}; expected"):
        families.load(gpt2)


@pytest.mark.parametrize("name", ["gpt2", "some-org/some-model", "~/models/gpt2"])
def test_a_folder_that_is_not_there(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = rf"There is no folder or file {name}; expected a folder with config\.json and model"
    with pytest.raises(StorageError, match=said):
        families.load(name)


@pytest.mark.parametrize("text", ["{", "[]"])
def test_a_configuration_that_is_none(text, gpt2):
    (gpt2 / "config.json").write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"config\.json"):
        families.load(gpt2)


def test_parts_and_index_must_agree(tmp_path):
    peer_of("gpt2").save_pretrained(tmp_path, max_shard_size="20KB")
    path = tmp_path / (WHOLE + ".index.json")
    index = json.loads(path.read_text("utf-8"))
    part = index["weight_map"].pop("transformer.ln_f.bias")
    path.write_text(json.dumps(index), "utf-8")
    with pytest.raises(StorageError, match=r"\.ln_f\.bias stands in only one"):
        families.load(tmp_path)
    (tmp_path / part).unlink()
    with pytest.raises(StorageError, match=f"There is no file .*{part}"):
        families.load(tmp_path)


@pytest.mark.parametrize(
    "family, copy",
    [
        ("t5", "encoder.embed_tokens.weight"),
        ("t5", "decoder.embed_tokens.weight"),
        ("bert", "cls.predictions.decoder.bias"),
    ],
)
def test_copies_that_differ_are_not_taken_for_one(family, copy, tmp_path):
    peer = peer_of(family)
    peer.save_pretrained(tmp_path)
    other = peer.state_dict()[copy] + 1
    rewritten(tmp_path, lambda tensors: tensors.update({copy: other}))
    with pytest.raises(StorageError, match=f"{copy} and .* differ; expected one"):
        families.load(tmp_path)


def in_rows(tensors):
    """Eight bits and a scale for each row, as this book's other files have them."""
    name = "transformer.h.0.attn.c_attn.weight"
    scale = tensors[name].abs().amax(-1) / 127
    tensors[name] = (tensors[name] / scale[:, None]).round().to(torch.int8)
    tensors[f"{name}.scale"] = scale


def in_float8(tensors):
    name = "transformer.h.0.mlp.c_fc.weight"
    tensors[name] = (tensors[name] * 8).to(torch.float8_e4m3fn)


def in_float8_with_scales(tensors):
    in_float8(tensors)
    tensors["transformer.h.0.mlp.c_fc.weight_scale_inv"] = torch.full((1, 1), 1 / 8)


def packed(tensors):
    """Eight numbers of four bits in one of 32, as GPTQ and AWQ pack them."""
    name = "transformer.h.1.mlp.c_fc"
    W = tensors.pop(f"{name}.weight")
    tensors[f"{name}.qweight"] = torch.zeros(W.shape[0] // 8, W.shape[1]).int()
    tensors[f"{name}.qzeros"] = torch.zeros(1, W.shape[1] // 8).int()
    tensors[f"{name}.scales"] = torch.ones(1, W.shape[1]).half()
    tensors[f"{name}.g_idx"] = torch.zeros(W.shape[0]).int()


def in_bytes(tensors):
    name = "transformer.wte.weight"
    tensors[f"{name}.absmax"] = torch.ones(4)
    tensors[name] = torch.zeros(tensors[name].numel() // 2, 1).to(torch.uint8)


@pytest.mark.parametrize(
    "change", [in_rows, in_float8, in_float8_with_scales, packed, in_bytes]
)
def test_quantised_weights_are_called_that(change, gpt2):
    rewritten(gpt2, change)
    said = r"holds torch\.\w+; expected floats .* are quantised; use"
    with pytest.raises(StorageError, match=said):
        families.load(gpt2)


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.bool, torch.complex64, torch.float8_e4m3fn, "float32"]
)
def test_a_precision_that_nothing_computes_in_is_refused(dtype, gpt2):
    with pytest.raises(ConfigError, match="dtype is .*; expected torch.float64 or"):
        families.load(gpt2, dtype)


def test_a_weight_that_is_too_large_for_the_precision_is_named(gpt2):
    rewritten(gpt2, lambda tensors: tensors["transformer.ln_f.bias"].fill_(7e4))
    assert families.load(gpt2).norm.beta[0] == 7e4
    with pytest.raises(StorageError, match=r"ln_f\.bias has numbers up to 7e\+04"):
        families.load(gpt2, torch.float16)


@pytest.mark.parametrize("index", [{}, {"weight_map": []}, {"weight_map": {"a": 1}}])
def test_an_index_that_is_none_is_named(index, gpt2):
    (gpt2 / WHOLE).unlink()
    (gpt2 / (WHOLE + ".index.json")).write_text(json.dumps(index), "utf-8")
    with pytest.raises(StorageError, match=r"index\.json has no weight_map"):
        families.load(gpt2)
