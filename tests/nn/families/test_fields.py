"""Every field of a config.json is used, or changes no logit, or is refused by name."""

import json
import math
import re

import pytest
import torch
import transformers as t
import yaml
from transformers.activations import ACT2FN

from transformer_book.config import ConfigError
from transformer_book.nn import families
from transformer_book.nn.families.fields import reason_by_harmless_field

from .peers import MAKERS, inputs_of, peer_of

KIND = ("model_type", "architectures")
# What off their defaults are refused; all other fields that transformers writes give equal logits.
REFUSED = {
    "bert": {"is_decoder", "tie_word_embeddings"},
    "gpt2": {"add_cross_attention", "scale_attn_by_inverse_layer_idx"},
    "llama": {"mlp_bias"},
    "gpt_neox": {"num_attention_heads"},  # an odd number of dimensions would turn
    "gemma3_text": {"use_bidirectional_attention"},
    "roberta": {"hidden_act", "is_decoder", "tie_word_embeddings"},
    "distilbert": {"tie_word_embeddings"},
    "vit": {"patch_size", "qkv_bias"},
}
# What two fields make together; the message names the other.
OF_TWO = re.compile("patch is 8|an even multiple of h|dimensions of a head turn")


def written(family, **changes):
    """Return the fields that ``transformers`` writes for a small model, as they are in a file."""
    _, settings, choices = MAKERS[family]
    config = settings(**choices).to_dict()
    return json.loads(json.dumps(config)) | changes


def theirs_and_files(family, folder, without=(), **fields):
    """Write a small model whose config.json then has some fields; return what transformers reads."""
    peer = peer_of(family, **json.loads(json.dumps(fields)))
    peer.save_pretrained(folder)
    path = folder / "config.json"
    config = json.loads(path.read_text("utf-8")) | fields
    kept = {name: value for name, value in config.items() if name not in without}
    path.write_text(json.dumps(kept), "utf-8")
    _, theirs = inputs_of(family)
    with torch.no_grad():
        model = type(peer).from_pretrained(folder, dtype=torch.float64).eval()
        return model(**in_double(theirs)).logits


def our_logits(family, folder):
    ours, _ = inputs_of(family)
    with torch.no_grad():
        return families.load(folder, dtype=torch.float64)(**in_double(ours))[0]


def in_double(inputs):
    return {
        name: x.double() if torch.is_tensor(x) and x.is_floating_point() else x
        for name, x in inputs.items()
    }


def assert_close(logits, expected, case):
    """Compare in float64: in float32, what a field makes large is rounded otherwise on each processor.

    Some of their layers, such as norms, compute in float32 even then, so the bound is as for float32.
    """
    size = max(1.0, float(expected.std()))
    torch.testing.assert_close(logits, expected, atol=5e-5 * size, rtol=0, msg=case)


def other_values(value):
    """Return values that a field may have instead, most of them of the same type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int | float):
        return [2 * value or 0.5, 2 * value or 1]
    if isinstance(value, str):
        return ["gelu_new", "other"]
    return [["sliding_attention"] * 2] if isinstance(value, list) else [1, "tanh"]


@pytest.mark.parametrize("family", MAKERS)
def test_all_fields_that_transformers_writes_are_known(family):
    config = t.AutoConfig.for_model(family).to_dict()
    assert families.config_of(config).h > 1
    assert families.config_of(json.loads(json.dumps(config))).h > 1


@pytest.mark.parametrize("family", MAKERS)
def test_a_field_off_its_default_gives_equal_logits_or_is_refused(family, tmp_path):
    refused, equal = set(), set()
    fields = written(family)
    cases = [(name, value) for name in fields for value in other_values(fields[name])]
    for name, value in cases:
        if name in KIND or value == fields[name]:
            continue
        change = {name: value}
        try:
            expected = theirs_and_files(family, tmp_path, **change)
        except Exception:  # transformers' own check of what cannot be, of any kind
            continue
        try:
            logits = our_logits(family, tmp_path)
        except ConfigError as error:
            assert name in str(error) or OF_TWO.search(str(error))
            refused.add(name)
        else:
            assert_close(logits, expected, str(change))
            equal.add(name)
    assert refused - equal == REFUSED.get(family, set()) | {"is_encoder_decoder"}
    assert len(equal) > len(fields) / 2


def test_a_harmless_field_of_one_family_is_none_of_another():
    assert "n_ctx" in reason_by_harmless_field(
        "gpt2"
    ) and "n_ctx" not in reason_by_harmless_field("llama")
    for family in families.FAMILIES:
        assert all(why for why in reason_by_harmless_field(family).values())


# A value for each kind of mistake: null, a list or an object for one value, text for a number.
WRONG = [None, [], ["a"], [1, 2, 3], {}, {"a": 1}, "8", "", -1, 0, 1.5, True, False]
WRONG += [math.nan, math.inf, 10**400]


def test_one_class_may_stand_without_its_list():
    fields = written("llama", architectures="LlamaForCausalLM")
    assert families.config_of(fields).output == "words"


# What a file says beside the fields of the small model.
EQUAL = yaml.safe_load("""
gpt2, scores not divided: {scale_attn_weights: false}
gpt2, no width inside: {n_inner: null}
llama, linear: {rope_parameters: {rope_type: linear, factor: 4.0, rope_theta: 50.0}}
llama, linear, older: {rope_theta: 50.0, rope_scaling: {type: linear, factor: 2}}
qwen3, linear: {rope_parameters: {rope_type: linear, factor: 4.0}}
llama, both, that differ: {rope_scaling: {rope_type: linear, factor: 4.0},
    rope_parameters: {rope_theta: 50.0}}
llama, both, with two bases: {rope_scaling: {rope_type: linear, factor: 4.0, rope_theta: 20.0},
    rope_parameters: {rope_type: default, rope_theta: 50.0}, rope_theta: 90.0}
llama, an empty one: {rope_scaling: {}, rope_parameters: {rope_theta: 50.0}}
llama, trained length from the longest: {rope_parameters: {rope_type: llama3, factor: 4.0,
    low_freq_factor: 1.0, high_freq_factor: 3.0}, rope_theta: 50.0, max_position_embeddings: 16}
llama, trained length inside and outside: {rope_scaling: {rope_type: llama3, factor: 4.0,
    low_freq_factor: 1.0, high_freq_factor: 3.0, original_max_position_embeddings: 64},
    original_max_position_embeddings: 16, rope_theta: 50.0}
llama, all of a head is turned: {partial_rotary_factor: 1.0}
qwen3, a window that is off: {use_sliding_window: false, sliding_window: 4}
qwen3, a window from a layer that is not there: {use_sliding_window: true, sliding_window: 4,
    max_window_layers: 2, layer_types: null}
qwen3, a window of no size: {use_sliding_window: true, sliding_window: null, max_window_layers: 0,
    layer_types: null}
qwen3, a window that no layer has: {use_sliding_window: true, sliding_window: 4, max_window_layers: 0,
    layer_types: [full_attention, full_attention]}
qwen3, a window from a layer on: {use_sliding_window: true, sliding_window: 4, max_window_layers: 1,
    layer_types: null}
qwen3, a window by the layer: {use_sliding_window: true, sliding_window: 4, layer_types: [full_attention,
    sliding_attention]}
phi3, part of a head: {partial_rotary_factor: 0.5}
phi3, part of a head, inside: {rope_parameters: {rope_type: default, rope_theta: 50.0,
    partial_rotary_factor: 0.5}}
t5, an activation beside the other: {dense_act_fn: gelu}
t5, a gate beside the other: {feed_forward_proj: gated-gelu, dense_act_fn: silu}
t5, a gate taken away: {feed_forward_proj: gated-silu, is_gated_act: false}
t5, an odd number of buckets: {relative_attention_num_buckets: 7}
t5, another matrix that is not there: {tie_word_embeddings: false}
t5, output not scaled: {scale_decoder_outputs: false}
vit, sides written twice: {image_size: [12, 12], patch_size: [4, 4]}
vit, classes counted: {num_labels: 3, id2label: null}
vit, classes counted and named: {num_labels: 3, id2label: {'0': cat, '1': dog}}
gemma, another name of the exact activation: {hidden_act: gelu_python}
gemma3_text, a bound of scores: {attn_logit_softcapping: 1.0}
""")
EQUAL |= {
    f"bert, {name}": dict(hidden_act=name)
    for name in ACT2FN
    if name.startswith(("gelu", "relu", "silu", "swish")) and name[-1] not in "026"
}


@pytest.mark.parametrize("case", EQUAL)
def test_what_is_used_gives_their_logits(case, tmp_path):
    family = case.split(",")[0]
    expected = theirs_and_files(family, tmp_path, **EQUAL[case])
    assert_close(our_logits(family, tmp_path), expected, case)


@pytest.mark.parametrize(
    "family, without, fields",
    [
        ("phi3", "rms_norm_eps", {}),
        ("olmo2", "rms_norm_eps", {}),
        ("llama", "rms_norm_eps", {}),
        ("gemma3_text", "layer_types", {}),
        ("gemma3_text", "layer_types", dict(sliding_window_pattern=2)),
        ("gemma3_text", "layer_types", dict(_sliding_window_pattern=2)),
    ],
)
def test_what_is_not_written_is_what_transformers_takes(
    family, without, fields, tmp_path
):
    expected = theirs_and_files(family, tmp_path, [without], **fields)
    assert_close(our_logits(family, tmp_path), expected, without)


def test_heads_that_are_not_counted_are_as_many_as_transformers_takes():
    for family in ("mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text"):
        expected = MAKERS[family][1]().num_key_value_heads
        fields = written(family, num_attention_heads=32, hidden_size=128, head_dim=4)
        del fields["num_key_value_heads"]
        assert families.config_of(fields).g == expected


def test_the_first_files_of_t5_1_1_have_fewer_fields(tmp_path):
    later = ("scale_decoder_outputs", "dense_act_fn", "is_gated_act")
    fields = dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False)
    expected = theirs_and_files("t5", tmp_path, later, **fields)
    assert not families.load(tmp_path).config.output_scaled
    assert_close(our_logits("t5", tmp_path), expected, "1.1")


# Fields that published files have, besides those that transformers writes now.
PUBLISHED = {
    "bert": "directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
    "pooler_size_per_head pooler_type gradient_checkpointing torch_dtype _name_or_path",
    "gpt2": "n_ctx task_specific_params output_past torch_dtype",
    "llama": "max_sequence_length pretraining_tp is_llama_config torch_dtype "
    "transformers.js_config _attn_implementation_autoset",
    "qwen3": "torch_dtype",
    "t5": "n_positions output_past task_specific_params",
    "vit": "encoder_stride torch_dtype label2id",
}


@pytest.mark.parametrize("family", PUBLISHED)
def test_fields_of_published_files_are_known(family):
    fields = written(family)
    extra = dict.fromkeys(PUBLISHED[family].split(), 8)
    same = families.config_of(fields)
    assert families.config_of(fields | extra) == same


@pytest.mark.parametrize(
    "family, fields",
    [
        ("bert", dict(position_embedding_type="absolute")),
        ("llama", dict(rope_interleaved=False, rope_scaling=None)),
        ("llama", dict(quantization_config=None, pruned_heads={})),
        ("qwen2", dict(use_mrope=False)),
        ("distilbert", dict(tie_weights_=True)),
    ],
)
def test_fields_that_have_one_value_may_have_it(family, fields):
    same = families.config_of(written(family))
    assert families.config_of(written(family) | fields) == same


def test_a_published_file_that_names_code_of_its_own_is_read():
    """The fields of Phi-3-mini with 4,096 tokens, as its makers published them."""
    code = {"AutoConfig": "configuration_phi3.Phi3Config"}
    code["AutoModelForCausalLM"] = "modeling_phi3.Phi3ForCausalLM"
    config = families.config_of(
        SIZES_OF_PHI3
        | dict(model_type="phi3", architectures=["Phi3ForCausalLM"], auto_map=code)
        | dict(_name_or_path="Phi-3-mini-4k-instruct", transformers_version="4.40.2")
        | dict(attention_dropout=0.0, embd_pdrop=0.0, resid_pdrop=0.0)
        | dict(bos_token_id=1, eos_token_id=32000, pad_token_id=32000)
        | dict(hidden_act="silu", initializer_range=0.02, rms_norm_eps=1e-05)
        | dict(rope_scaling=None, rope_theta=10000.0, attention_bias=False)
        | dict(tie_word_embeddings=False, torch_dtype="bfloat16", use_cache=True)
    )
    assert (config.N, config.window, config.end_ids) == (32, 2047, (32000,))


SIZES_OF_PHI3 = dict(
    vocab_size=32064,
    hidden_size=3072,
    intermediate_size=8192,
    num_hidden_layers=32,
    num_attention_heads=32,
    num_key_value_heads=32,
    max_position_embeddings=4096,
    original_max_position_embeddings=4096,
    sliding_window=2047,
)
