"""Checkpoints: parts, prefixes, weights written twice, and one clear error for each that does not fit."""

import json
import re

import pytest
import torch
from safetensors.torch import load_file, save_file, save_model

from transformer_book import decode, nn
from transformer_book.config import ConfigError
from transformer_book.nn import families
from transformer_book.storage import StorageError

from .peers import ENDS, MAKERS, inputs_of, peer_of

WHOLE = "model.safetensors"


@pytest.fixture
def gpt2(tmp_path):
    """A folder with a GPT-2 as ``transformers`` writes it."""
    peer_of("gpt2").save_pretrained(tmp_path)
    return tmp_path


def rewritten(folder, change):
    """Write the weights of a folder again, changed in place by a function of their dict."""
    tensors = load_file(folder / WHOLE)
    change(tensors)
    save_file(tensors, folder / WHOLE)


def reconfigured(folder, **fields):
    """Change fields of config.json; None takes one away."""
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8")) | fields
    config = {name: value for name, value in config.items() if value is not None}
    path.write_text(json.dumps(config), "utf-8")


def same_logits(family, folder, expected):
    ours, _ = inputs_of(family)
    with torch.no_grad():
        logits, _ = families.load(folder)(**ours)
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)


def logits_of(family, peer):
    _, theirs = inputs_of(family)
    with torch.no_grad():
        return peer(**theirs).logits


@pytest.mark.parametrize("family", MAKERS)
def test_weights_of_few_digits_are_read_before_anything_is_added(family, tmp_path):
    peer_of(family).to(torch.bfloat16).save_pretrained(tmp_path)
    peer = type(peer_of(family)).from_pretrained(tmp_path, dtype=torch.float32).eval()
    same_logits(family, tmp_path, logits_of(family, peer))


def test_the_file_about_writing_says_what_ends_a_text(tmp_path):
    peer, ids = peer_of("qwen2"), torch.tensor([[5, 9, 30]])
    peer.generation_config.eos_token_id = None
    (free,) = peer.generate(ids, max_new_tokens=8, do_sample=False)[:, 3:].tolist()
    peer.generation_config.eos_token_id = [2, free[3]]
    peer.save_pretrained(tmp_path)
    model = families.load(tmp_path)
    assert model.config.end_ids == (2, free[3])
    assert decode.generate(model, ids, 8) == [free[: free.index(free[3])]]


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_parts_with_an_index_are_one_model(family, tmp_path):
    peer = peer_of(family)
    peer.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    same_logits(family, tmp_path, logits_of(family, peer))


def test_a_file_is_read_as_its_folder_is(gpt2):
    same_logits("gpt2", gpt2 / WHOLE, logits_of("gpt2", peer_of("gpt2")))


@pytest.mark.parametrize(
    "family, prefix", [("gpt2", "transformer."), ("bert", "bert.")]
)
def test_names_need_no_prefix(family, prefix, tmp_path):
    peer = peer_of(family)
    peer.save_pretrained(tmp_path)

    def shorter(tensors):
        for name in [*tensors]:
            tensors[name.removeprefix(prefix)] = tensors.pop(name)

    rewritten(tmp_path, shorter)
    same_logits(family, tmp_path, logits_of(family, peer))


def test_berts_first_names_of_norms_are_read(tmp_path):
    peer = peer_of("bert")
    peer.save_pretrained(tmp_path)

    def older(tensors):
        for name in [*tensors]:
            if "LayerNorm" in name:
                old = name.replace(".weight", ".gamma").replace(".bias", ".beta")
                tensors[old] = tensors.pop(name)

    rewritten(tmp_path, older)
    same_logits("bert", tmp_path, logits_of("bert", peer))


@pytest.mark.parametrize(
    "family, extra",
    [
        ("gpt2", "h.0.attn.bias"),
        ("bert", "cls.seq_relationship.weight"),
        ("bert", "bert.pooler.dense.weight"),
        (
            "t5",
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
        ),
        ("llama", "model.layers.1.self_attn.rotary_emb.inv_freq"),
        ("vit", "vit.pooler.dense.bias"),
    ],
)
def test_what_no_logit_depends_on_is_left_out(family, extra, tmp_path):
    peer = peer_of(family)
    peer.save_pretrained(tmp_path)
    rewritten(tmp_path, lambda tensors: tensors.update({extra: torch.ones(2)}))
    same_logits(family, tmp_path, logits_of(family, peer))


def test_an_embedding_written_twice_is_one_matrix(gpt2):
    def twice(tensors):
        tensors["lm_head.weight"] = tensors["transformer.wte.weight"].clone()

    rewritten(gpt2, twice)
    model = families.load(gpt2)
    assert model.output is model.embedding


def test_two_matrices_that_differ_are_two_as_in_transformers(gpt2):
    from transformers import GPT2LMHeadModel

    def another(tensors):
        tensors["lm_head.weight"] = -tensors["transformer.wte.weight"]

    rewritten(gpt2, another)
    same_logits(
        "gpt2", gpt2, logits_of("gpt2", GPT2LMHeadModel.from_pretrained(gpt2).eval())
    )


def test_older_config_files_keep_the_base_among_the_other_fields(tmp_path):
    peer = peer_of("llama")
    peer.save_pretrained(tmp_path)
    reconfigured(tmp_path, rope_parameters=None, rope_theta=500.0)
    same_logits("llama", tmp_path, logits_of("llama", peer))


def test_llama_3_1_as_its_makers_wrote_it_is_stretched(tmp_path):
    scaling = {
        "rope_type": "llama3",
        "factor": 4.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 3.0,
        "original_max_position_embeddings": 16,
    }
    peer = peer_of("llama", rope_parameters=scaling | {"rope_theta": 50.0})
    peer.save_pretrained(tmp_path)
    reconfigured(tmp_path, rope_parameters=None, rope_theta=50.0, rope_scaling=scaling)
    same_logits("llama", tmp_path, logits_of("llama", peer))
    scaling.pop("factor")
    reconfigured(tmp_path, rope_scaling=scaling)
    with pytest.raises(ConfigError, match="has no field 'factor'"):
        families.load(tmp_path)


def test_weights_are_converted_to_the_dtype_asked_for(gpt2):
    rewritten(gpt2, lambda d: d.update({k: v.bfloat16() for k, v in d.items()}))
    assert families.load(gpt2).embedding.dtype == torch.float32
    assert families.load(gpt2, torch.float64).embedding.dtype == torch.float64


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
    "architectures": (
        ["GPT2DoubleHeadsModel"],
        "architectures is 'GPT2DoubleHeadsModel'",
    ),
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
    with pytest.raises(
        StorageError, match="has pytorch_model.bin; expected model.safe"
    ):
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
    with pytest.raises(
        StorageError, match=r"transformer\.ln_f\.bias stands in only one"
    ):
        families.load(tmp_path)
    (tmp_path / part).unlink()
    with pytest.raises(StorageError, match=f"There is no file .*{part}"):
        families.load(tmp_path)


@pytest.mark.parametrize("family", MAKERS)
def test_transformers_reads_the_files_that_we_write(family, tmp_path):
    kind, settings, choices = MAKERS[family]
    ends = {} if family == "vit" else ENDS
    config = json.loads(settings(**ends | choices).to_json_string(use_diff=False))
    torch.manual_seed(0)
    model = nn.model_of(families.config_of(config)).eval()
    families.save(tmp_path, model, config)
    peer, info = kind.from_pretrained(tmp_path, output_loading_info=True)
    assert not info["missing_keys"] and not info["unexpected_keys"]
    ours, _ = inputs_of(family)
    with torch.no_grad():
        expected, _ = model(**ours)
    logits = logits_of(family, peer.eval())
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-5)


def test_a_model_of_another_configuration_is_not_written(tmp_path):
    model = nn.LanguageModel(nn.TransformerConfig(9, 9, d_model=8, d_ff=8, h=2, N=2))
    config = {"model_type": "gpt2", "vocab_size": 9, "n_embd": 8, "n_inner": 8}
    config |= {"n_layer": 3, "n_head": 2, "n_positions": 4}
    with pytest.raises(ConfigError, match="the model's N is 2, and config.json says 3"):
        families.save(tmp_path / "new", model, config)
    assert not (tmp_path / "new").exists()


TIED = {
    "gpt2": {},
    "bert": {},
    "t5": {},
    "llama": {"tie_word_embeddings": True},
    "qwen3": {"tie_word_embeddings": True},
}


@pytest.mark.parametrize("family", TIED)
def test_one_matrix_is_found_under_any_of_its_names(family, tmp_path):
    """``safetensors.torch.save_model`` keeps the first in the alphabet, others another."""
    peer = peer_of(family, **TIED[family])
    peer.save_pretrained(tmp_path)
    expected, state = logits_of(family, peer), peer.state_dict()
    groups = {}
    for name, W in state.items():
        groups.setdefault(W.data_ptr(), []).append(name)
    shared = [names for names in groups.values() if len(names) > 1]
    assert len(shared) == (2 if family == "bert" else 1)
    for names in shared:
        for only in names:
            others = {*names} - {only}
            kept = {name: W.clone() for name, W in state.items() if name not in others}
            save_file(kept, tmp_path / WHOLE)
            same_logits(family, tmp_path, expected)
            theirs = type(peer).from_pretrained(tmp_path).eval()
            assert torch.equal(logits_of(family, theirs), expected), only
    save_model(peer, tmp_path / WHOLE)
    same_logits(family, tmp_path, expected)


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
    name = "transformer.h.0.mlp.c_fc.weight"
    tensors[f"{name}_scale_inv"] = torch.full((1, 1), 1 / 8)


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
    with pytest.raises(
        StorageError, match=r"holds torch\.\w+; expected floats .* are quantised; use"
    ):
        families.load(gpt2)


def test_names_of_a_compiled_model_are_read(gpt2):
    def compiled(tensors):
        for name in [*tensors]:
            tensors[f"_orig_mod.{name}"] = tensors.pop(name)

    rewritten(gpt2, compiled)
    same_logits("gpt2", gpt2, logits_of("gpt2", peer_of("gpt2")))


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
