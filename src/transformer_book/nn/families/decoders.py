"""The families that continue a text: the fields of a config.json as our choices."""

from .configs import (
    activation,
    angles_of,
    common_choices,
    rotation_of,
    share_of,
    sizes_of,
    vocabulary_sizes,
)
from .fields import NOT_READ


def gpt2(f):
    """Return the choices of a GPT-2, from the fields of its config.json."""
    f.only("scale_attn_by_inverse_layer_idx", False)
    d_model = f.integer("n_embd")
    inner = f.integer("n_inner", None)
    return common_choices(f, "decoder-only") | dict(
        **vocabulary_sizes(f.integer("vocab_size")),
        d_model=d_model,
        d_ff=4 * d_model if inner is None else inner,
        N=f.layers("n_layer"),
        h=f.integer("n_head"),
        norm="pre",
        epsilon=f.number("layer_norm_epsilon", 1e-5),
        score_scale=None if f.flag("scale_attn_weights", True) else 1.0,
        attention_bias="all",
        activation=activation(f, "activation_function", "gelu_new"),
        positions="learned",
        max_length=f.integer("n_positions"),
        share=share_of(f, True),
    )


def gpt_neox(f):
    """Return the choices of a GPT-NeoX or Pythia, from the fields of its config.json."""
    older = dict(rope_theta="rotary_emb_base", partial_rotary_factor="rotary_pct")
    return (
        common_choices(f, "decoder-only")
        | sizes_of(f)
        | dict(
            norm="pre",
            epsilon=f.number("layer_norm_eps", 1e-5),
            attention_bias="all" if f.flag("attention_bias", True) else "none",
            activation=activation(f, "hidden_act", "gelu"),
            parallel=f.flag("use_parallel_residual", True),
            positions="rope",
            rotation=rotation_of(f, angles_of(f), part=0.25, older=older),
            share=share_of(f, False),
        )
    )


def llama(f):
    """Return the choices of a Llama, from the fields of its config.json."""
    f.only("use_sliding_window", False, advice=NOT_READ)
    f.only("sliding_window", None, advice=NOT_READ)
    return decoder(f)


def mistral(f):
    """Return the choices of a Mistral: a Llama each of whose words sees a window."""
    window = f.integer("sliding_window", 4096, null=True)
    return decoder(f, g=8) | dict(window=window)


def qwen2(f):
    """Return the choices of a Qwen2: a Llama with biases of queries, keys and values."""
    f.only("use_mrope", False)
    choices = decoder(f, g=32)
    return choices | _windows(f, choices["N"]) | dict(attention_bias="inputs")


def qwen3(f):
    """Return the choices of a Qwen3: a Llama that normalises queries and keys."""
    choices = decoder(f, g=32)
    width = f.integer("head_dim", 128)
    return choices | _windows(f, choices["N"]) | dict(qk_norm=True, d_k=width)


def gemma(f):
    """Return the choices of a Gemma, from the fields of its config.json."""
    choices = _gemma(f, rotation_of(f, angles_of(f)), "hidden_act", g=16)
    f.only("hidden_activation", None, "gelu_pytorch_tanh")
    # Its first files say "gelu", and were trained with the approximation by tanh.
    tanh = f("hidden_act", None) == "gelu"
    return choices | (dict(activation="gelu_tanh") if tanh else {})


def gemma2(f):
    """Return the choices of a Gemma 2: norms on both sides, windows, bounds of scores and logits."""
    return _gemma2(f, rotation_of(f, angles_of(f)), every=2, caps=(50.0, 30.0))


def gemma3(f):
    """Return the choices of a Gemma 3 that reads words: Gemma 2's, and norms of queries and keys."""
    every = f.integer("sliding_window_pattern", 6)
    f.ignore("_sliding_window_pattern")  # written, and not read
    angles = f.nested_fields("rope_parameters")
    far, near = (
        angles.nested_fields("full_attention"),
        angles.nested_fields("sliding_attention"),
    )
    far = f.nested_fields("rope_scaling") if f("rope_scaling", None) else far
    rotation = rotation_of(f, far, base=1_000_000.0)
    older = dict(rope_theta="rope_local_base_freq")
    return _gemma2(f, rotation, every, caps=(None, None)) | dict(
        qk_norm=True,
        window_rotation=rotation_of(f, near, older=older),
        score_cap=None,  # whatever the file says, as transformers has it
    )


# The code beside its first files, which transformers has had since.
_PHI3_CODE = {
    "AutoConfig": "configuration_phi3.Phi3Config",
    "AutoModelForCausalLM": "modeling_phi3.Phi3ForCausalLM",
}


def phi3(f):
    """Return the choices of a Phi-3, from the fields of its config.json."""
    advice = "Code of its own may compute anything. Read this model with transformers."
    f.only("auto_map", None, _PHI3_CODE, advice=advice)
    rotation = rotation_of(f, angles_of(f), part=1.0)
    choices = decoder(f, rotation, epsilon=1e-5)
    return choices | dict(window=f.integer("sliding_window", None))


def olmo2(f):
    """Return the choices of an OLMo 2: outputs are normalised, and queries and keys over all heads."""
    choices = decoder(f, epsilon=1e-5)
    return choices | dict(norm="output", qk_norm=True, qk_norm_of_all=True)


def decoder(f, rotation=None, *, g=None, epsilon=1e-6):
    """Return what Llama and the families after it have in common.

    Parameters
    ----------
    f : Fields
    rotation : Rotation, optional
        By default what the fields say of one that turns all of each head.
    g : int, optional
        Heads of keys and values where the file does not say how many; by default as many as of queries.
    epsilon : float
        That of the norms where the file does not say.
    """
    f.only("mlp_bias", False)
    f.only("rope_interleaved", False, advice=NOT_READ)
    sizes = sizes_of(f)
    sizes |= dict(
        g=f.integer("num_key_value_heads", g, null=True),
        d_k=f.integer("head_dim", None),
    )
    return (
        common_choices(f, "decoder-only")
        | sizes
        | dict(
            norm="pre",
            normalise="rms",
            epsilon=f.number("rms_norm_eps", epsilon),
            attention_bias="all" if f.flag("attention_bias", False) else "none",
            activation=activation(f, "hidden_act", "silu"),
            gated=True,
            bias=False,
            positions="rope",
            rotation=rotation or rotation_of(f, angles_of(f)),
            share=share_of(f, False),
        )
    )


def _gemma(f, rotation, field, g):
    f.only("use_bidirectional_attention", None, False)
    return decoder(f, rotation, g=g) | dict(
        d_k=f.integer("head_dim", 256),
        embedding_scaled=True,
        activation=activation(f, field, "gelu_pytorch_tanh"),
        share=share_of(f, True),
    )


def _gemma2(f, rotation, every, caps):
    choices = _gemma(f, rotation, "hidden_activation", g=4)
    kinds = ["sliding_attention"] * (every - 1) + ["full_attention"]
    kinds = [kinds[i % every] for i in range(choices["N"])]
    return (
        choices
        | _layers(f, choices["N"], kinds, 4096)
        | dict(
            norm="both",
            score_scale=f.number("query_pre_attn_scalar", 256) ** -0.5,
            score_cap=f.number("attn_logit_softcapping", caps[0], null=True),
            logit_cap=f.number("final_logit_softcapping", caps[1], null=True),
        )
    )


def _windows(f, N):
    """Return which layers of a Qwen see a window alone: from some layer on, if any."""
    slides = f.flag("use_sliding_window", False)
    first = f.integer("max_window_layers", 28, least=0)
    kinds = [
        "sliding_attention" if slides and i >= first else "full_attention"
        for i in range(N)
    ]
    choices = _layers(f, N, kinds, 4096 if slides else None)
    if not slides and choices["window"] is not None:
        expected = (
            "True, as layer_types and sliding_window say that layers see a window"
        )
        raise f.error("use_sliding_window", False, expected)
    return choices


def _layers(f, N, kinds, window):
    """Return the window, and the layers that it does not limit, of what ``layer_types`` says."""
    names = "full_attention", "sliding_attention"
    written = f("layer_types", None)
    kinds = kinds if written is None else written
    if not isinstance(kinds, list) or len(kinds) != N or not {*kinds} <= {*names}:
        raise f.error(
            "layer_types", kinds, f"{N} times {' or '.join(map(repr, names))}"
        )
    window = f.integer("sliding_window", window, null=True)
    if window is None or names[1] not in kinds:
        return dict(window=None)
    global_layers = tuple(i for i, kind in enumerate(kinds) if kind == names[0])
    return dict(window=window, global_layers=global_layers)
