"""T5, of two stacks: the fields of a config.json as our choices."""

from typing import TYPE_CHECKING

from .configs import common_choices, our_activation, vocabulary_sizes

if TYPE_CHECKING:
    from .fields import Fields


def t5(fields: "Fields") -> dict:
    """Return the choices of a T5, from the fields of its config.json."""
    gated, activation = _t5_gate_and_activation(fields)
    tied = fields.flag("tie_word_embeddings", True)
    return common_choices(fields, "encoder-decoder") | dict(
        **vocabulary_sizes(fields.integer("vocab_size")),
        d_model=fields.integer("d_model"),
        d_ff=fields.integer("d_ff"),
        N=fields.layer_count("num_layers"),
        N_decoder=fields.layer_count("num_decoder_layers", None),
        h=fields.integer("num_heads"),
        d_k=fields.integer("d_kv"),
        norm="pre",
        normalise="rms",
        epsilon=fields.number("layer_norm_epsilon", 1e-6),
        score_scale=1.0,
        activation=activation,
        gated=gated,
        bias=False,
        positions="t5",
        buckets=fields.integer("relative_attention_num_buckets", 32, least=2),
        farthest=fields.integer("relative_attention_max_distance", 128, least=2),
        share="all" if tied else "embeddings",
        output_scaled=fields.flag("scale_decoder_outputs", tied),
        begin_id=fields.integer("decoder_start_token_id", 0, least=0),
    )


def _t5_gate_and_activation(fields: "Fields") -> tuple[bool, str]:
    """Return whether a T5 has a gate, and its activation.

    One field says both. ``transformers`` writes what follows from it in two more, which it believes.
    """
    name = "feed_forward_proj"
    kind = fields.text(name, "relu")
    gate, _, theirs = kind.rpartition("-")
    if gate not in ("", "gated"):
        raise fields.error(name, kind, "an activation, or one behind 'gated-'")
    # Their name for the gate of version 1.1 stands for the approximation by tanh.
    theirs = "gelu_new" if kind == "gated-gelu" else theirs
    if "dense_act_fn" in fields.config:
        name, theirs = "dense_act_fn", fields("dense_act_fn")
    return fields.flag("is_gated_act", gate == "gated"), our_activation(
        fields, name, theirs
    )
