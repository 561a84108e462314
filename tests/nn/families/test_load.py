"""Checkpoints: parts, prefixes, weights written twice, and one clear error for each that does not fit."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file, save_model

from transformer_book import decode, nn
from transformer_book.config import ConfigError
from transformer_book.nn import families

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


@pytest.mark.parametrize("family", MAKERS)
def test_transformers_reads_the_files_that_we_write(family, tmp_path):
    kind, settings, choices = MAKERS[family]
    ends = {} if family == "vit" else ENDS
    config = json.loads(settings(**ends | choices).to_json_string(use_diff=False))
    torch.manual_seed(0)
    model = nn.model_from_config(families.config_of(config)).eval()
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


def test_names_of_a_compiled_model_are_read(gpt2):
    def compiled(tensors):
        for name in [*tensors]:
            tensors[f"_orig_mod.{name}"] = tensors.pop(name)

    rewritten(gpt2, compiled)
    same_logits("gpt2", gpt2, logits_of("gpt2", peer_of("gpt2")))
