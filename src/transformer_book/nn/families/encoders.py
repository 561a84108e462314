"""BERT and its followers, and ViT: the fields of a config.json as our choices."""

from .configs import activation_of, common_choices, sizes_of, vocabulary_sizes
from .fields import NOT_READ_ADVICE, Fields


def bert(fields: Fields) -> dict:
    """Return the choices of a BERT, from the fields of its config.json."""
    fields.require_one_of("position_embedding_type", "absolute", advice=NOT_READ_ADVICE)
    fields.require_one_of("tie_word_embeddings", True, advice=NOT_READ_ADVICE)
    return (
        common_choices(fields, "encoder-only")
        | sizes_of(fields)
        | _shared_bert_choices()
        | dict(
            epsilon=fields.number("layer_norm_eps", 1e-12),
            activation=activation_of(fields, "hidden_act", "gelu"),
            token_types=fields.integer("type_vocab_size"),
        )
    )


def roberta(fields: Fields) -> dict:
    """Return the choices of a RoBERTa: a BERT whose positions begin behind that of padding."""
    fields.require_one_of(
        "hidden_act", "gelu", advice=NOT_READ_ADVICE
    )  # its last layer has no other
    choices = bert(fields)
    first = fields.integer("pad_token_id", 1, least=0) + 1
    longest = choices["max_length"] - first
    return choices | dict(first_position=first, max_length=longest)


def distilbert(fields: Fields) -> dict:
    """Return the choices of a DistilBERT, from the fields of its config.json."""
    # Sinusoids are drawn as weights, and read as such.
    fields.flag("sinusoidal_pos_embds", False)
    fields.require_one_of("tie_weights_", True, advice=NOT_READ_ADVICE)
    fields.require_one_of("tie_word_embeddings", True, advice=NOT_READ_ADVICE)
    return (
        common_choices(fields, "encoder-only")
        | _shared_bert_choices()
        | dict(
            **vocabulary_sizes(fields.integer("vocab_size")),
            d_model=fields.integer("dim"),
            d_ff=fields.integer("hidden_dim"),
            N=fields.layer_count("n_layers"),
            h=fields.integer("n_heads"),
            epsilon=1e-12,
            activation=activation_of(fields, "activation", "gelu"),
            max_length=fields.integer("max_position_embeddings"),
        )
    )


def vit(fields: Fields) -> dict:
    """Return the choices of a ViT, from the fields of its config.json."""
    fields.require_one_of("qkv_bias", True, advice=NOT_READ_ADVICE)
    image, patch = (
        _square_side(fields, "image_size"),
        _square_side(fields, "patch_size"),
    )
    names = fields.mapping("id2label", None)
    classes = fields.integer("num_labels", 2 if names is None else len(names))
    return common_choices(fields, "encoder-only") | dict(
        source_words=0,
        target_words=classes,
        d_model=fields.integer("hidden_size"),
        d_ff=fields.integer("intermediate_size"),
        N=fields.layer_count("num_hidden_layers"),
        h=fields.integer("num_attention_heads"),
        norm="pre",
        epsilon=fields.number("layer_norm_eps", 1e-12),
        attention_bias="all",
        activation=activation_of(fields, "hidden_act", "gelu"),
        positions="learned",
        max_length=(image // patch) ** 2 + 1,
        image=image,
        patch=patch,
        channels=fields.integer("num_channels", 3),
        share="none",
        output="classes",
        output_bias=True,
        pad_id=0,
    )


def _shared_bert_choices() -> dict[str, object]:
    """Return what BERT and its followers have in common."""
    return dict(
        norm="post",
        attention_bias="all",
        positions="learned",
        embedding_norm=True,
        output_layer=True,
        output_bias=True,
    )


def _square_side(fields: Fields, field_name: str) -> int:
    """Return the side of a square, which may be written twice."""
    sides = fields(field_name)
    if isinstance(sides, list | tuple) and len(sides) == 2:
        if sides[0] != sides[1]:
            raise fields.error(field_name, sides, "one number, or two that are equal")
        sides = sides[0]
    return Fields(fields.config | {field_name: sides}).integer(field_name)
