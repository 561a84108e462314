"""Each family, read from its own config.json: the fields that its publishers fill in, and ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...options import ConfigError
from . import names
from .architecture import Architecture

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}


@dataclass(frozen=True)
class Family:
    """What has to be known of a family to read its configuration and its weights.

    Parameters
    ----------
    read : callable
        Makes an Architecture of the fields of a config.json.
    names : dict of str to str
        Our names of weights, each with theirs, as in :mod:`.names`.
    prefix : str
        What the names in a checkpoint may begin with.
    classes : dict of str to str
        The classes that write such checkpoints, each with the ``output`` of its model, or "" for the
        family's own.
    unused : tuple of str
        Patterns of names that a checkpoint may hold besides, and that no logit depends on.
    transposed : bool
        Whether its matrices are (out, in), as those of ``torch.nn.Linear``.
    ones : dict of str to int
        Which of our weights has how many axes of length 1 before its own there.
    older : dict of str to str
        Patterns in the names of its first checkpoints, and what they became.
    """

    read: Callable
    names: Mapping[str, str]
    prefix: str
    classes: Mapping[str, str]
    unused: tuple[str, ...] = ()
    transposed: bool = True
    ones: Mapping[str, int] = field(default_factory=dict)
    older: Mapping[str, str] = field(default_factory=dict)


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


def _gpt2(f):
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


def _bert(f):
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


def _vit(f):
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


def _llama(f):
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


def _qwen3(f):
    return _llama(f) | dict(qk_norm=True, d_k=f("head_dim", 128))


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


def _t5(f):
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


_LLAMA_UNUSED = ("layers.*.self_attn.rotary_emb.inv_freq",)
FAMILIES = {
    "bert": Family(
        _bert,
        names.BERT,
        "bert.",
        {"BertForMaskedLM": "", "BertForPreTraining": "", "BertModel": "none"},
        (
            "pooler.dense.*",
            "cls.seq_relationship.*",
            "cls.predictions.decoder.bias",  # the same as cls.predictions.bias
            "embeddings.position_ids",
        ),
        older={
            r"LayerNorm\.gamma$": "LayerNorm.weight",
            r"LayerNorm\.beta$": "LayerNorm.bias",
        },
    ),
    "gpt2": Family(
        _gpt2,
        names.GPT2,
        "transformer.",
        {"GPT2LMHeadModel": "", "GPT2Model": ""},
        ("h.*.attn.bias", "h.*.attn.masked_bias"),  # the causal mask
        transposed=False,  # its Conv1D keeps (in, out), as we do
    ),
    "t5": Family(
        _t5,
        names.T5,
        "",
        {"T5ForConditionalGeneration": "", "T5WithLMHeadModel": ""},
        (
            "*.embed_tokens.weight",  # the same as shared.weight
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
        ),
        # What the gate of version 1.1 scales stands in the place of what nothing scaled.
        older={r"DenseReluDense\.wi_1": "DenseReluDense.wi"},
    ),
    "llama": Family(
        _llama, names.LLAMA, "model.", {"LlamaForCausalLM": ""}, _LLAMA_UNUSED
    ),
    "qwen3": Family(
        _qwen3, names.LLAMA, "model.", {"Qwen3ForCausalLM": ""}, _LLAMA_UNUSED
    ),
    "vit": Family(
        _vit,
        names.VIT,
        "vit.",
        {"ViTForImageClassification": "", "ViTModel": "none"},
        ("pooler.dense.*",),
        ones={"first": 2, "positions": 1},
    ),
}


def family_of(config: Mapping) -> Family:
    """Return the family that a config.json names as its ``model_type``.

    Parameters
    ----------
    config : mapping

    Raises
    ------
    ConfigError
        If it is none of those that this book knows.
    """
    kind = config.get("model_type")
    if kind not in FAMILIES:
        raise ConfigError(
            f"config.json: model_type is {kind!r}; expected one of {', '.join(FAMILIES)}. Of other "
            "architectures this book's module does not know what their weights mean."
        )
    return FAMILIES[kind]


def architecture_of(config: Mapping) -> Architecture:
    """Return the choices that a family's own config.json describes.

    Parameters
    ----------
    config : mapping
        The fields of the file, as ``json.load`` reads them.

    Returns
    -------
    Architecture

    Raises
    ------
    ConfigError
        For a family that this book does not know, a field that is missing, and a field that asks for
        what its module does not compute.
    """
    family = family_of(config)
    choices = family.read(Fields(config))
    written = (config.get("architectures") or [next(iter(family.classes))])[0]
    if written not in family.classes:
        raise ConfigError(
            f"config.json: architectures is {written!r}; expected one of "
            f"{', '.join(family.classes)}. The output layers of others mean something else."
        )
    if family.classes[written]:
        without = dict(classes=None, head=False, output_bias=False)
        choices |= without | {"output": family.classes[written]}
    return Architecture(**choices)
