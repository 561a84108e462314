"""Fields of a config.json that cannot be are refused by name."""

import re

import pytest
import yaml

from tests.nn.families.test_fields import WRONG, written
from transformer_book.config import ConfigError
from transformer_book.nn import families
from transformer_book.nn.families.fields import Fields, reason_by_harmless_field

from .peers import MAKERS


@pytest.mark.parametrize(
    "value", [None, False, 0, "", "new", {"a": 1}, list(range(99))]
)
@pytest.mark.parametrize("family", MAKERS)
def test_a_field_that_nobody_knows_is_refused_by_name(family, value):
    with pytest.raises(ConfigError, match=r"'\w+': invented is .*; expected no field"):
        families.config_of(written(family, invented=value))


def test_all_unknown_fields_are_named_and_harmless_ones_are_not():
    fields = Fields({"model_type": "gpt2", "z": 1, "a": 2, "n_ctx": 3, "top_k": 4})
    with pytest.raises(ConfigError, match="'gpt2': a is 2, z is 1; expected no field"):
        fields.check_all_used()
    fields("a"), fields.require_one_of("z", 1)
    fields.check_all_used()


@pytest.mark.parametrize("family", MAKERS)
def test_any_value_of_any_field_is_read_or_is_one_clear_error(family):
    fields = written(
        family, architectures=[next(iter(families.FAMILIES[family].classes))]
    )
    extra = ("rope_scaling", "rope_theta", "sliding_window", "use_sliding_window")
    for name in (*fields, *extra, *reason_by_harmless_field(family)):
        for value in WRONG:
            try:
                families.config_of(fields | {name: value})
            except ConfigError as error:
                assert "expected" in str(error)


TYPED = {
    "bert": [("hidden_size", "32"), ("hidden_act", None), ("hidden_act", ["gelu"])],
    "gpt2": [("n_embd", "32"), ("scale_attn_weights", "no"), ("n_layer", True)],
    "llama": [
        ("hidden_act", None),
        ("rope_scaling", "linear"),
        ("rope_scaling", ["linear"]),
        ("rope_theta", "500"),
        ("tie_word_embeddings", "false"),
        ("rms_norm_eps", None),
        ("architectures", ["LlamaForCausalLM", "LlamaModel"]),
        ("architectures", {"LlamaForCausalLM": 1}),
        ("model_type", ["llama"]),
        ("quantization_config", {"bits": 4}),
    ],
    "qwen3": [("head_dim", [128]), ("layer_types", "full_attention")],
    "t5": [
        ("feed_forward_proj", ["relu"]),
        ("feed_forward_proj", "gated-a-b"),
        ("d_kv", 6.0),
    ],
    "vit": [
        ("image_size", [12, 16]),
        ("image_size", [12]),
        ("image_size", ["12", "12"]),
        ("patch_size", 0),
        ("id2label", ["cat", "dog"]),
    ],
}


@pytest.mark.parametrize(
    "family, name, value", [(k, *case) for k, cases in TYPED.items() for case in cases]
)
def test_a_value_of_another_type_is_named(family, name, value):
    with pytest.raises(ConfigError, match=rf"{name} is .*; expected"):
        families.config_of(written(family) | {name: value})


CANNOT = yaml.safe_load(r"""
llama, a window: [{sliding_window: 4}, sliding_window is 4; expected None]
llama, a window that is on: [{use_sliding_window: true}, use_sliding_window is True; expected False]
qwen2, windows that are off and named: [{use_sliding_window: false, sliding_window: 3,
    layer_types: [sliding_attention, full_attention]}, 'use_sliding_window is False; expected True,
    as layer_types']
llama, part of a head: [{partial_rotary_factor: 0.5}, partial_rotary_factor is 0.5; expected 1.0
    or None. The reader of this family turns all]
qwen3, part of a head, inside: [{rope_parameters: {rope_type: default, rope_theta: 50.0,
    partial_rotary_factor: 0.5}}, 'rope_parameters: partial_rotary_factor is 0.5; expected 1.0']
qwen3, a kind of layer that nobody knows: [{layer_types: [full_attention, chunked_attention]},
    expected 2 times 'full_attention' or 'sliding_attention']
qwen3, kinds of other layers: [{layer_types: [full_attention]},
    expected 2 times 'full_attention' or 'sliding_attention']
llama, a field inside: [{rope_scaling: {type: linear, factor: 2.0, mscale: 1.0}},
    'rope_scaling: mscale is 1.0; expected no field']
llama, a field inside that is harmless outside: [{rope_scaling: {type: linear, factor: 2.0,
    max_length: 8}}, 'rope_scaling: max_length is 8; expected no field']
llama, no factor: [{rope_scaling: {type: linear}}, rope_scaling has no field 'factor']
llama, neighbours in pairs: [{rope_interleaved: true},
    expected False. This reader does not know the other. Read this model with]
bert, a causal encoder: [{is_decoder: true},
    expected False. This reader does not know the other. Read this model with]
bert, heads taken out: [{pruned_heads: {'0': [1]}}, 'pruned_heads is {''0'': [1]}; expected {} or None']
llama, another size for each layer: [{per_layer_config: {'0': {hidden_size: 4}}}, per_layer_config is]
bert, code of its own: [{auto_map: {AutoModel: m.M}}, auto_map is]
phi3, other code than that of its first files: [
    {auto_map: {AutoModelForCausalLM: modeling_phi3.Phi3WithMore}}, Code of its own may compute anything]
qwen2, positions in three dimensions: [{use_mrope: true}, use_mrope is True; expected False]
llama, quantised weights: [{quantization_config: {bits: 4}},
    expected None. The weights are quantised; use the checkpoint]
""")


@pytest.mark.parametrize("case", CANNOT)
def test_what_is_not_used_is_refused_with_the_reason(case):
    family, (fields, said) = case.split(",")[0], CANNOT[case]
    # transformers writes rope_parameters; files with rope_scaling are older.
    config = written(family)
    config.pop("rope_parameters", None), config.pop("sliding_window", None)
    with pytest.raises(ConfigError, match=re.escape(said)):
        families.config_of(config | fields)
