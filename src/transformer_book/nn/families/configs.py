"""What the config.json files of many families have in common, as our choices."""

from ...rotation import Rotation
from .fields import NOT_READ_ADVICE, Fields

PARTIAL_ROTATION_ADVICE = (
    "The reader of this family turns all of each head. This book's module can turn a part: a "
    "reader says so by rotation_of(..., default_part=...)."
)

OUR_ACTIVATION_BY_NAME = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
}
# More names of the same functions, which differ by rounding alone.
_OUR_ACTIVATION_BY_SYNONYM = {
    "gelu_python": "gelu",
    "gelu_accurate": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
}


def common_choices(fields: Fields, kind: str) -> dict:
    """Return the choices that all families have in common; refuse what no reader knows.

    Parameters
    ----------
    fields : Fields
    kind : str
        As of a TransformerConfig.
    """
    quantised = (
        "The weights are quantised; use the checkpoint that they were made from."
    )
    fields.require_one_of("quantization_config", None, advice=quantised)
    fields.require_one_of("add_cross_attention", False)
    fields.require_one_of("cross_attention_hidden_size", None)
    fields.require_one_of("tie_encoder_decoder", False, advice=NOT_READ_ADVICE)
    fields.require_one_of("pruned_heads", {}, None)
    fields.require_one_of(
        "is_encoder_decoder", kind == "encoder-decoder", advice=NOT_READ_ADVICE
    )
    # An encoder sees nothing that comes later if it is one; a decoder never does.
    causal = [False] if kind == "encoder-only" else [False, True]
    fields.require_one_of("is_decoder", *causal, advice=NOT_READ_ADVICE)
    pad = fields("pad_token_id", None)
    return dict(
        kind=kind,
        dropout=0.0,
        embedding_scaled=False,
        pad_id=pad if isinstance(pad, int) and pad >= 0 else 0,
        end_ids=fields.ids("eos_token_id"),
        never_ids=(),
    )


def vocabulary_sizes(word_count: int) -> dict[str, int]:
    return dict(source_words=word_count, target_words=word_count)


def sizes_of(fields: Fields) -> dict[str, int]:
    return vocabulary_sizes(fields.integer("vocab_size")) | dict(
        d_model=fields.integer("hidden_size"),
        d_ff=fields.integer("intermediate_size"),
        N=fields.layer_count("num_hidden_layers"),
        h=fields.integer("num_attention_heads"),
        max_length=fields.integer("max_position_embeddings", 2048),
    )


def tied_matrices_of(fields: Fields, is_tied_by_default: bool) -> str:
    """Return which matrices are one: embedding and output layer, or none."""
    return "all" if fields.flag("tie_word_embeddings", is_tied_by_default) else "none"


def rotary_fields_of(fields: Fields) -> Fields:
    """Return the fields of rotary positions.

    Older files have ``rope_scaling`` and keep the base among the other fields. In a file that has
    both, ``transformers`` reads that one and nothing of ``rope_parameters``, so we do too.
    """
    return fields.nested_fields("rope_scaling", "rope_parameters")


def rotation_of(
    fields: Fields,
    rotary_fields: Fields,
    default_base: float = 10_000.0,
    default_part: float | None = None,
    older_names: dict[str, str] | None = None,
    layout: str = "half",
) -> Rotation:
    """Return how rotary positions turn.

    Parameters
    ----------
    fields, rotary_fields : Fields
        Of the file, and those of the positions in it.
    default_base : float
        What stands for a field that is not there.
    default_part : float, optional
        Likewise; without it the family turns all of each head, whatever a file may say.
    older_names : dict of str to str, optional
        Fields of the file that older ones have in the place of those of the positions.
    layout : str
        Which dimensions are a pair, as of a Rotation; no field says it, so look into the family's code.
    """
    older_names = dict(
        rope_theta="rope_theta", partial_rotary_factor="partial_rotary_factor"
    ) | (older_names or {})

    def rotary_number(name: str, default: float | None):
        return rotary_fields.number(name, fields.number(older_names[name], default))

    if default_part is None:
        default_part = 1.0
        for some_fields in (rotary_fields, fields):
            some_fields.require_one_of(
                "partial_rotary_factor",
                default_part,
                None,
                advice=PARTIAL_ROTATION_ADVICE,
            )
    choices = dict(
        base=rotary_number("rope_theta", default_base),
        part=rotary_number("partial_rotary_factor", default_part),
        layout=layout,
    )
    longest = fields.integer("max_position_embeddings", None)
    trained = fields.integer("original_max_position_embeddings", None)
    kind = rotary_fields("rope_type", rotary_fields("type", "default"))
    if kind == "default":
        return Rotation(**choices)
    if kind == "linear":
        return Rotation(
            **choices, scaling="linear", factor=rotary_fields.number("factor")
        )
    if kind != "llama3":  # of Llama 3.1 and later
        raise rotary_fields.error("rope_type", kind, "'default', 'linear' or 'llama3'")
    name = "original_max_position_embeddings"
    inner = rotary_fields.integer(name, *[] if longest is None else [longest])
    return Rotation(
        **choices,
        scaling="slow pairs",
        factor=rotary_fields.number("factor"),
        slow=rotary_fields.number("low_freq_factor"),
        fast=rotary_fields.number("high_freq_factor"),
        trained=inner if trained is None else trained,
    )


def activation_of(fields: Fields, field_name: str, default: str) -> str:
    """Return our name of the activation that a field names."""
    return our_activation(fields, field_name, fields(field_name, default))


def our_activation(fields: Fields, field_name: str, family_activation: object) -> str:
    """Return our name of the activation that a field names."""
    known = OUR_ACTIVATION_BY_NAME | _OUR_ACTIVATION_BY_SYNONYM
    if not isinstance(family_activation, str) or family_activation not in known:
        raise fields.error(
            field_name,
            family_activation,
            " or ".join(map(repr, OUR_ACTIVATION_BY_NAME)),
        )
    return known[family_activation]
