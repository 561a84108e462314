"""BERT and its followers, and ViT: the fields of a config.json as our choices."""

from .configs import activation, common_choices, sizes_of, vocabulary_sizes
from .fields import NOT_READ, Fields


def bert(f):
    """Return the choices of a BERT, from the fields of its config.json."""
    f.only("position_embedding_type", "absolute", advice=NOT_READ)
    f.only("tie_word_embeddings", True, advice=NOT_READ)
    return (
        common_choices(f, "encoder-only")
        | sizes_of(f)
        | _post_norm()
        | dict(
            epsilon=f.number("layer_norm_eps", 1e-12),
            activation=activation(f, "hidden_act", "gelu"),
            token_types=f.integer("type_vocab_size"),
        )
    )


def roberta(f):
    """Return the choices of a RoBERTa: a BERT whose positions begin behind that of padding."""
    f.only("hidden_act", "gelu", advice=NOT_READ)  # its last layer has no other
    choices = bert(f)
    first = f.integer("pad_token_id", 1, least=0) + 1
    longest = choices["max_length"] - first
    return choices | dict(first_position=first, max_length=longest)


def distilbert(f):
    """Return the choices of a DistilBERT, from the fields of its config.json."""
    # Sinusoids are drawn as weights, and read as such.
    f.flag("sinusoidal_pos_embds", False)
    f.only("tie_weights_", True, advice=NOT_READ)
    f.only("tie_word_embeddings", True, advice=NOT_READ)
    return (
        common_choices(f, "encoder-only")
        | _post_norm()
        | dict(
            **vocabulary_sizes(f.integer("vocab_size")),
            d_model=f.integer("dim"),
            d_ff=f.integer("hidden_dim"),
            N=f.layers("n_layers"),
            h=f.integer("n_heads"),
            epsilon=1e-12,
            activation=activation(f, "activation", "gelu"),
            max_length=f.integer("max_position_embeddings"),
        )
    )


def vit(f):
    """Return the choices of a ViT, from the fields of its config.json."""
    f.only("qkv_bias", True, advice=NOT_READ)
    image, patch = _side(f, "image_size"), _side(f, "patch_size")
    names = f.mapping("id2label", None)
    classes = f.integer("num_labels", 2 if names is None else len(names))
    return common_choices(f, "encoder-only") | dict(
        source_words=0,
        target_words=classes,
        d_model=f.integer("hidden_size"),
        d_ff=f.integer("intermediate_size"),
        N=f.layers("num_hidden_layers"),
        h=f.integer("num_attention_heads"),
        norm="pre",
        epsilon=f.number("layer_norm_eps", 1e-12),
        attention_bias="all",
        activation=activation(f, "hidden_act", "gelu"),
        positions="learned",
        max_length=(image // patch) ** 2 + 1,
        image=image,
        patch=patch,
        channels=f.integer("num_channels", 3),
        share="none",
        output="classes",
        output_bias=True,
        pad_id=0,
    )


def _post_norm():
    """Return what BERT and its followers have in common."""
    return dict(
        norm="post",
        attention_bias="all",
        positions="learned",
        embedding_norm=True,
        output_layer=True,
        output_bias=True,
    )


def _side(f, name):
    """Return the side of a square, which may be written twice."""
    sides = f(name)
    if isinstance(sides, list | tuple) and len(sides) == 2:
        if sides[0] != sides[1]:
            raise f.error(name, sides, "one number, or two that are equal")
        sides = sides[0]
    return Fields(f.config | {name: sides}).integer(name)
