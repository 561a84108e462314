"""The config.json of each family: the fields that its publishers fill in, as our choices."""

from ...options import ConfigError

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


class Fields:
    """The fields of a config.json, with one clear error for each that is not there or cannot be.

    Parameters
    ----------
    given : dict
    """

    def __init__(self, given):
        self.given = given

    def __call__(self, name, *default):
        """Return a field; without a default it has to be there."""
        if name not in self.given and not default:
            raise ConfigError(
                f"config.json of {self.given['model_type']!r} has no field {name!r}; expected a "
                "number there. Use the file that was published with the weights."
            )
        value = self.given.get(name)
        return default[0] if value is None and default else value

    def activation(self, name, default):
        """Return our name of an activation."""
        if name not in self.given:
            return ACTIVATIONS[default]
        self.only(name, *ACTIVATIONS)
        return ACTIVATIONS[self(name)]

    def only(self, name, *values):
        """Raise ConfigError unless a field has one of the values; the first if it is not there."""
        given = self(name, values[0])
        if given not in values:
            raise ConfigError(
                f"config.json of {self.given['model_type']!r}: {name} is {given!r}; expected "
                f"{' or '.join(map(repr, values))}. This book's module does not compute the other."
            )


def gpt2(f):
    """Return the choices of an Architecture that a GPT-2 has, from the fields of its config.json."""
    f.only("scale_attn_weights", True)
    f.only("scale_attn_by_inverse_layer_idx", False)
    f.only("add_cross_attention", False)
    d_model = f("n_embd")
    return dict(
        kind="decoder-only",
        words=f("vocab_size"),
        d_model=d_model,
        d_ff=f("n_inner", 4 * d_model),
        N=f("n_layer"),
        h=f("n_head"),
        epsilon=f("layer_norm_epsilon", 1e-5),
        activation=f.activation("activation_function", "gelu_new"),
        max_length=f("n_positions"),
        output="embedding" if f("tie_word_embeddings", True) else "own",
    )


def bert(f):
    """Return the choices of an Architecture that a BERT has, from the fields of its config.json."""
    f.only("is_decoder", False)
    f.only("add_cross_attention", False)
    f.only("position_embedding_type", "absolute")
    f.only("tie_word_embeddings", True)
    return dict(
        kind="encoder-only",
        words=f("vocab_size"),
        d_model=f("hidden_size"),
        d_ff=f("intermediate_size"),
        N=f("num_hidden_layers"),
        h=f("num_attention_heads"),
        norm="post",
        epsilon=f("layer_norm_eps", 1e-12),
        activation=f.activation("hidden_act", "gelu"),
        max_length=f("max_position_embeddings"),
        token_types=f("type_vocab_size"),
        embedding_norm=True,
        head=True,
        output_bias=True,
    )


def vit(f):
    """Return the choices of an Architecture that a ViT has, from the fields of its config.json."""
    f.only("qkv_bias", True)
    image, patch = f("image_size"), f("patch_size")
    return dict(
        kind="encoder-only",
        d_model=f("hidden_size"),
        d_ff=f("intermediate_size"),
        N=f("num_hidden_layers"),
        h=f("num_attention_heads"),
        epsilon=f("layer_norm_eps", 1e-12),
        activation=f.activation("hidden_act", "gelu"),
        max_length=(image // patch) ** 2 + 1,
        image=image,
        patch=patch,
        channels=f("num_channels", 3),
        output="classes",
        classes=len(f("id2label", {0: "", 1: ""})),
        output_bias=True,
    )


def llama(f):
    """Return the choices of an Architecture that a Llama has, from the fields of its config.json."""
    f.only("mlp_bias", False)
    f.only("use_sliding_window", False)
    return dict(
        kind="decoder-only",
        words=f("vocab_size"),
        d_model=f("hidden_size"),
        d_ff=f("intermediate_size"),
        N=f("num_hidden_layers"),
        h=f("num_attention_heads"),
        g=f("num_key_value_heads", None),
        d_k=f("head_dim", None),
        normalise="rms",
        epsilon=f("rms_norm_eps", 1e-6),
        attention_bias=f("attention_bias", False),
        activation=f.activation("hidden_act", "silu"),
        gated=True,
        feed_forward_bias=False,
        positions="rotary",
        **_angles(f),
        output="embedding" if f("tie_word_embeddings", False) else "own",
    )


def qwen3(f):
    """Return the choices of an Architecture that a Qwen3 has, from the fields of its config.json."""
    return llama(f) | dict(qk_norm=True, d_k=f("head_dim", 128))


def _angles(f):
    """Return the choices of rotary positions; older files keep the base among the other fields."""
    rope = f("rope_parameters", f("rope_scaling", {}))
    base = {"base": rope.get("rope_theta", f("rope_theta", 10_000.0))}
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "llama3":  # of Llama 3.1 and later
        names = {
            "stretch": "factor",
            "slow": "low_freq_factor",
            "fast": "high_freq_factor",
            "trained": "original_max_position_embeddings",
        }
        inside = Fields({"model_type": f.given["model_type"], **rope})
        return base | {ours: inside(theirs) for ours, theirs in names.items()}
    if kind != "default":
        raise ConfigError(
            f"config.json of {f.given['model_type']!r}: rotary positions of the type {kind!r}; "
            "expected 'default' or 'llama3'. This book's module does not compute the other."
        )
    return base


def t5(f):
    """Return the choices of an Architecture that a T5 has, from the fields of its config.json."""
    kind = f("feed_forward_proj", "relu")
    gated = kind.startswith("gated-")
    name = kind.removeprefix("gated-")
    # Their name for the gate of version 1.1 stands for the approximation by tanh.
    name = "gelu_new" if kind == "gated-gelu" else name
    tied = f("tie_word_embeddings", True)
    return dict(
        kind="encoder-decoder",
        words=f("vocab_size"),
        d_model=f("d_model"),
        d_ff=f("d_ff"),
        N=f("num_layers"),
        N_decoder=f("num_decoder_layers", None),
        h=f("num_heads"),
        d_k=f("d_kv"),
        normalise="rms",
        epsilon=f("layer_norm_epsilon", 1e-6),
        scaled=False,
        attention_bias=False,
        activation=Fields(f.given | {"activation": name}).activation(
            "activation", "relu"
        ),
        gated=gated,
        feed_forward_bias=False,
        positions="buckets",
        buckets=f("relative_attention_num_buckets", 32),
        max_distance=f("relative_attention_max_distance", 128),
        output="embedding" if tied else "own",
        output_scaled=f("scale_decoder_outputs", tied),
    )
