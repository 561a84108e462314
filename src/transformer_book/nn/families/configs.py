"""What the config.json files of many families have in common, as our choices."""

from ...rotation import Rotation
from .fields import NOT_READ

ALL_TURNS = (
    "The reader of this family turns all of each head. This book's module can turn a part: a "
    "reader says so by rotation_of(..., part=...)."
)

ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
# More names of the same functions, which differ by rounding alone.
_SYNONYMS = {
    "gelu_python": "gelu",
    "gelu_accurate": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
}


def common_choices(f, kind):
    """Return the choices that all families have in common; refuse what no reader knows.

    Parameters
    ----------
    f : Fields
    kind : str
        As of a TransformerConfig.
    """
    quantised = (
        "The weights are quantised; use the checkpoint that they were made from."
    )
    f.only("quantization_config", None, advice=quantised)
    f.only("add_cross_attention", False)
    f.only("cross_attention_hidden_size", None)
    f.only("tie_encoder_decoder", False, advice=NOT_READ)
    f.only("pruned_heads", {}, None)
    f.only("is_encoder_decoder", kind == "encoder-decoder", advice=NOT_READ)
    # An encoder sees nothing that comes later if it is one; a decoder never does.
    causal = [False] if kind == "encoder-only" else [False, True]
    f.only("is_decoder", *causal, advice=NOT_READ)
    pad = f("pad_token_id", None)
    return dict(
        kind=kind,
        dropout=0.0,
        embedding_scaled=False,
        pad_id=pad if isinstance(pad, int) and pad >= 0 else 0,
        end_ids=f.ids("eos_token_id"),
        never_ids=(),
    )


def vocabulary_sizes(count):
    return dict(source_words=count, target_words=count)


def sizes_of(f):
    return vocabulary_sizes(f.integer("vocab_size")) | dict(
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.layers("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        max_length=f.integer("max_position_embeddings", 2048),
    )


def share_of(f, default):
    """Return which matrices are one: embedding and output layer, or none."""
    return "all" if f.flag("tie_word_embeddings", default) else "none"


def angles_of(f):
    """Return the fields of rotary positions.

    Older files have ``rope_scaling`` and keep the base among the other fields. In a file that has
    both, ``transformers`` reads that one and nothing of ``rope_parameters``, so we do too.
    """
    return f.nested_fields("rope_scaling", "rope_parameters")


def rotation_of(f, angles, base=10_000.0, part=None, older=None, layout="half"):
    """Return how rotary positions turn.

    Parameters
    ----------
    f, angles : Fields
        Of the file, and those of the positions in it.
    base : float
        What stands for a field that is not there.
    part : float, optional
        Likewise; without it the family turns all of each head, whatever a file may say.
    older : dict of str to str, optional
        Fields of the file that older ones have in the place of those of the positions.
    layout : str
        Which dimensions are a pair, as of a Rotation; no field says it, so look into the family's code.
    """
    older = dict(
        rope_theta="rope_theta", partial_rotary_factor="partial_rotary_factor"
    ) | (older or {})

    def of(name, default):
        return angles.number(name, f.number(older[name], default))

    if part is None:
        part = 1.0
        for fields in (angles, f):
            fields.only("partial_rotary_factor", part, None, advice=ALL_TURNS)
    choices = dict(
        base=of("rope_theta", base),
        part=of("partial_rotary_factor", part),
        layout=layout,
    )
    longest = f.integer("max_position_embeddings", None)
    trained = f.integer("original_max_position_embeddings", None)
    kind = angles("rope_type", angles("type", "default"))
    if kind == "default":
        return Rotation(**choices)
    if kind == "linear":
        return Rotation(**choices, scaling="linear", factor=angles.number("factor"))
    if kind != "llama3":  # of Llama 3.1 and later
        raise angles.error("rope_type", kind, "'default', 'linear' or 'llama3'")
    name = "original_max_position_embeddings"
    inner = angles.integer(name, *[] if longest is None else [longest])
    return Rotation(
        **choices,
        scaling="slow pairs",
        factor=angles.number("factor"),
        slow=angles.number("low_freq_factor"),
        fast=angles.number("high_freq_factor"),
        trained=inner if trained is None else trained,
    )


def activation(f, name, default):
    """Return our name of the activation that a field names."""
    return our_activation(f, name, f(name, default))


def our_activation(f, name, theirs):
    """Return our name of the activation that a field names."""
    known = ACTIVATIONS | _SYNONYMS
    if not isinstance(theirs, str) or theirs not in known:
        raise f.error(name, theirs, " or ".join(map(repr, ACTIVATIONS)))
    return known[theirs]
