"""The families that continue a text: the fields of a config.json as our choices."""

from typing import TYPE_CHECKING

from .configs import (
    activation_of,
    common_choices,
    rotary_fields_of,
    rotation_of,
    sizes_of,
    tied_matrices_of,
    vocabulary_sizes,
)
from .fields import NOT_READ_ADVICE, Fields

if TYPE_CHECKING:
    from ...rotation import Rotation


def gpt2(fields: Fields) -> dict:
    """Return the choices of a GPT-2, from the fields of its config.json."""
    fields.require_one_of("scale_attn_by_inverse_layer_idx", False)
    d_model = fields.integer("n_embd")
    inner = fields.integer("n_inner", None)
    return common_choices(fields, "decoder-only") | dict(
        **vocabulary_sizes(fields.integer("vocab_size")),
        d_model=d_model,
        d_ff=4 * d_model if inner is None else inner,
        N=fields.layer_count("n_layer"),
        h=fields.integer("n_head"),
        norm="pre",
        epsilon=fields.number("layer_norm_epsilon", 1e-5),
        score_scale=None if fields.flag("scale_attn_weights", True) else 1.0,
        attention_bias="all",
        activation=activation_of(fields, "activation_function", "gelu_new"),
        positions="learned",
        max_length=fields.integer("n_positions"),
        share=tied_matrices_of(fields, True),
    )


def gpt_neox(fields: Fields) -> dict:
    """Return the choices of a GPT-NeoX or Pythia, from the fields of its config.json."""
    older_names = dict(rope_theta="rotary_emb_base", partial_rotary_factor="rotary_pct")
    return (
        common_choices(fields, "decoder-only")
        | sizes_of(fields)
        | dict(
            norm="pre",
            epsilon=fields.number("layer_norm_eps", 1e-5),
            attention_bias="all" if fields.flag("attention_bias", True) else "none",
            activation=activation_of(fields, "hidden_act", "gelu"),
            parallel=fields.flag("use_parallel_residual", True),
            positions="rope",
            rotation=rotation_of(
                fields,
                rotary_fields_of(fields),
                default_part=0.25,
                older_names=older_names,
            ),
            share=tied_matrices_of(fields, False),
        )
    )


def llama(fields: Fields) -> dict:
    """Return the choices of a Llama, from the fields of its config.json."""
    fields.require_one_of("use_sliding_window", False, advice=NOT_READ_ADVICE)
    fields.require_one_of("sliding_window", None, advice=NOT_READ_ADVICE)
    return decoder_choices(fields)


def mistral(fields: Fields) -> dict:
    """Return the choices of a Mistral: a Llama each of whose words sees a window."""
    window = fields.integer("sliding_window", 4096, null_allowed=True)
    return decoder_choices(fields, g=8) | dict(window=window)


def qwen2(fields: Fields) -> dict:
    """Return the choices of a Qwen2: a Llama with biases of queries, keys and values."""
    fields.require_one_of("use_mrope", False)
    choices = decoder_choices(fields, g=32)
    return (
        choices
        | _qwen_window_choices(fields, choices["N"])
        | dict(attention_bias="inputs")
    )


def qwen3(fields: Fields) -> dict:
    """Return the choices of a Qwen3: a Llama that normalises queries and keys."""
    choices = decoder_choices(fields, g=32)
    width = fields.integer("head_dim", 128)
    return (
        choices
        | _qwen_window_choices(fields, choices["N"])
        | dict(qk_norm=True, d_k=width)
    )


def gemma(fields: Fields) -> dict:
    """Return the choices of a Gemma, from the fields of its config.json."""
    choices = _shared_gemma_choices(
        fields, rotation_of(fields, rotary_fields_of(fields)), "hidden_act", g=16
    )
    fields.require_one_of("hidden_activation", None, "gelu_pytorch_tanh")
    # Its first files say "gelu", and were trained with the approximation by tanh.
    tanh = fields("hidden_act", None) == "gelu"
    return choices | (dict(activation="gelu_tanh") if tanh else {})


def gemma2(fields: Fields) -> dict:
    """Return the choices of a Gemma 2: norms on both sides, windows, bounds of scores and logits."""
    return _gemma_choices_with_window(
        fields,
        rotation_of(fields, rotary_fields_of(fields)),
        window_period=2,
        default_score_and_logit_cap=(50.0, 30.0),
    )


def gemma3(fields: Fields) -> dict:
    """Return the choices of a Gemma 3 that reads words: Gemma 2's, and norms of queries and keys."""
    every = fields.integer("sliding_window_pattern", 6)
    fields.ignore("_sliding_window_pattern")  # written, and not read
    angles = fields.nested_fields("rope_parameters")
    far, near = (
        angles.nested_fields("full_attention"),
        angles.nested_fields("sliding_attention"),
    )
    far = fields.nested_fields("rope_scaling") if fields("rope_scaling", None) else far
    rotation = rotation_of(fields, far, default_base=1_000_000.0)
    older_names = dict(rope_theta="rope_local_base_freq")
    return _gemma_choices_with_window(
        fields, rotation, every, default_score_and_logit_cap=(None, None)
    ) | dict(
        qk_norm=True,
        window_rotation=rotation_of(fields, near, older_names=older_names),
        score_cap=None,  # whatever the file says, as transformers has it
    )


# The code beside its first files, which transformers has had since.
_PHI3_AUTO_MAP = {
    "AutoConfig": "configuration_phi3.Phi3Config",
    "AutoModelForCausalLM": "modeling_phi3.Phi3ForCausalLM",
}


def phi3(fields: Fields) -> dict:
    """Return the choices of a Phi-3, from the fields of its config.json."""
    advice = "Code of its own may compute anything. Read this model with transformers."
    fields.require_one_of("auto_map", None, _PHI3_AUTO_MAP, advice=advice)
    rotation = rotation_of(fields, rotary_fields_of(fields), default_part=1.0)
    choices = decoder_choices(fields, rotation, epsilon=1e-5)
    return choices | dict(window=fields.integer("sliding_window", None))


def olmo2(fields: Fields) -> dict:
    """Return the choices of an OLMo 2: outputs are normalised, and queries and keys over all heads."""
    choices = decoder_choices(fields, epsilon=1e-5)
    return choices | dict(norm="output", qk_norm=True, qk_norm_of_all=True)


def decoder_choices(
    fields: Fields,
    rotation: "Rotation | None" = None,
    *,
    g: int | None = None,
    epsilon: float = 1e-6,
) -> dict:
    """Return what Llama and the families after it have in common.

    Parameters
    ----------
    fields : Fields
    rotation : Rotation, optional
        By default what the fields say of one that turns all of each head.
    g : int, optional
        Heads of keys and values where the file does not say how many; by default as many as of queries.
    epsilon : float
        That of the norms where the file does not say.
    """
    fields.require_one_of("mlp_bias", False)
    fields.require_one_of("rope_interleaved", False, advice=NOT_READ_ADVICE)
    sizes = sizes_of(fields)
    sizes |= dict(
        g=fields.integer("num_key_value_heads", g, null_allowed=True),
        d_k=fields.integer("head_dim", None),
    )
    return (
        common_choices(fields, "decoder-only")
        | sizes
        | dict(
            norm="pre",
            normalise="rms",
            epsilon=fields.number("rms_norm_eps", epsilon),
            attention_bias="all" if fields.flag("attention_bias", False) else "none",
            activation=activation_of(fields, "hidden_act", "silu"),
            gated=True,
            bias=False,
            positions="rope",
            rotation=rotation or rotation_of(fields, rotary_fields_of(fields)),
            share=tied_matrices_of(fields, False),
        )
    )


def _shared_gemma_choices(
    fields: Fields, rotation: "Rotation | None", activation_field: str, g: int | None
) -> dict:
    fields.require_one_of("use_bidirectional_attention", None, False)
    return decoder_choices(fields, rotation, g=g) | dict(
        d_k=fields.integer("head_dim", 256),
        embedding_scaled=True,
        activation=activation_of(fields, activation_field, "gelu_pytorch_tanh"),
        share=tied_matrices_of(fields, True),
    )


def _gemma_choices_with_window(
    fields: Fields,
    rotation: "Rotation | None",
    window_period: int,
    default_score_and_logit_cap: tuple[float | None, float | None],
) -> dict:
    choices = _shared_gemma_choices(fields, rotation, "hidden_activation", g=4)
    kinds = ["sliding_attention"] * (window_period - 1) + ["full_attention"]
    kinds = [kinds[i % window_period] for i in range(choices["N"])]
    return (
        choices
        | _window_choices(fields, choices["N"], kinds, 4096)
        | dict(
            norm="both",
            score_scale=fields.number("query_pre_attn_scalar", 256) ** -0.5,
            score_cap=fields.number(
                "attn_logit_softcapping",
                default_score_and_logit_cap[0],
                null_allowed=True,
            ),
            logit_cap=fields.number(
                "final_logit_softcapping",
                default_score_and_logit_cap[1],
                null_allowed=True,
            ),
        )
    )


def _qwen_window_choices(fields: Fields, N: int) -> dict:
    """Return which layers of a Qwen see a window alone: from some layer on, if any."""
    slides = fields.flag("use_sliding_window", False)
    first = fields.integer("max_window_layers", 28, least=0)
    kinds = [
        "sliding_attention" if slides and i >= first else "full_attention"
        for i in range(N)
    ]
    choices = _window_choices(fields, N, kinds, 4096 if slides else None)
    if not slides and choices["window"] is not None:
        expected = (
            "True, as layer_types and sliding_window say that layers see a window"
        )
        raise fields.error("use_sliding_window", False, expected)
    return choices


def _window_choices(
    fields: Fields, N: int, default_layer_kinds: list[str], default_window: int | None
) -> dict:
    """Return the window, and the layers that it does not limit, of what ``layer_types`` says."""
    names = "full_attention", "sliding_attention"
    written = fields("layer_types", None)
    layer_kinds = default_layer_kinds if written is None else written
    if (
        not isinstance(layer_kinds, list)
        or len(layer_kinds) != N
        or not {*layer_kinds} <= {*names}
    ):
        raise fields.error(
            "layer_types", layer_kinds, f"{N} times {' or '.join(map(repr, names))}"
        )
    window = fields.integer("sliding_window", default_window, null_allowed=True)
    if window is None or names[1] not in layer_kinds:
        return dict(window=None)
    global_layers = tuple(i for i, kind in enumerate(layer_kinds) if kind == names[0])
    return dict(window=window, global_layers=global_layers)
