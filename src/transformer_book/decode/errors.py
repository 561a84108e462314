"""The error of every function that decodes, and the rules for what it reads."""

from ..expect import expect, refusal
from ..ids import ids_or_none

# What a function calls of a model of each kind, and which functions are for the other kind.
REQUIREMENTS_BY_MODEL = {
    "Transformer": (
        ("config", "encode", "decode", "logits"),
        "A LanguageModel continues a text: use decode.generate or serve.Engine",
    ),
    "LanguageModel": (
        ("config", "vectors", "logits"),
        "A Transformer translates: use decode.greedy, decode.beam_search or decode.sample",
    ),
}


class DecodeError(ValueError):
    """A sentence that cannot be decoded, or a setting that no search can have."""


def check_model(function_name, model, model_kind, error_class=DecodeError):
    """Raise an error unless a model, perhaps a compiled one, has what a function calls of it.

    Parameters
    ----------
    function_name : str
    model
    model_kind : "Transformer" or "LanguageModel"
        Which model of ``nn`` the function takes.
    error_class : type
    """
    names, remedy = REQUIREMENTS_BY_MODEL[model_kind]
    if not all(hasattr(model, name) for name in names):
        raise refusal(
            error_class,
            function_name,
            f"model is of {type(model)}",
            f"an nn.{model_kind}",
            f"{remedy}.",
        )


def check_source(function_name, model, source):
    """Raise DecodeError unless each row is a sentence in ids of the model's source vocabulary."""
    shape, remedy = tuple(source.shape), "Leave empty sentences out."
    expect(
        0 not in shape,
        DecodeError,
        function_name,
        f"source is of shape {shape}",
        "a sentence of a token or more",
        remedy,
    )
    pad, words = model.config.pad_id, model.config.source_words
    empty = (source == pad).all(dim=1).nonzero().flatten().tolist()
    expect(
        not empty,
        DecodeError,
        function_name,
        f"source has nothing but padding in rows {empty}",
        "a token or more in each row",
        remedy,
    )
    check_ids(function_name, "source", source.min(), source.max(), words)
    word = source != pad
    inside = (word[:, 1:] & ~word[:, :-1]).any(dim=1).nonzero().flatten().tolist()
    expect(
        not inside,
        DecodeError,
        function_name,
        f"source has padding before a word in rows {inside}",
        "padding at the end alone",
        "Make it with data.collate.",
    )


def integer_ids(function_name, name, ids):
    """Return ids as a list of int; raise DecodeError unless they are integers."""
    listed = ids_or_none(ids)
    expect(
        listed is not None,
        DecodeError,
        function_name,
        f"{name} is {repr(ids)[:60]}",
        "a list of ids, whole numbers",
        "Make them with a vocabulary's ids.",
    )
    return listed


def check_ids(function_name, name, lowest, highest, vocabulary_size):
    """Raise DecodeError unless ids from ``lowest`` to ``highest`` are all in the vocabulary."""
    expect(
        lowest >= 0 and highest < vocabulary_size,
        DecodeError,
        function_name,
        f"{name} has ids from {int(lowest)} to {int(highest)}",
        f"0 to {vocabulary_size - 1}, the ids of the model's vocabulary",
        "Use the vocabulary of this model.",
    )


def rows_without_choice(logits):
    """Return for which rows of logits, (rows, words), no word can be chosen.

    They have NaN or inf for a word, or -inf for all. A single -inf only rules a word out.
    """
    return ~logits.amax(dim=-1).isfinite()


def expect_choosable(function_name, logits, has_ended, rows_per_text=1):
    """Return logits, (rows, words), by which a word can be chosen in every row.

    Parameters
    ----------
    function_name : str
    logits : tensor, (rows, words)
    has_ended : boolean tensor, (rows,)
        Which texts go on no more: what is chosen for them is never read.
    rows_per_text : int
        How many rows each text has.

    Raises
    ------
    DecodeError
        If one that goes on has a row that is :func:`spoiled`.
    """
    bad = rows_without_choice(logits)
    if not bad.any():
        return logits
    rows = (bad & ~has_ended).nonzero().flatten().tolist()
    if rows:
        raise not_finite_error(
            function_name, f"texts {sorted({row // rows_per_text for row in rows})}"
        )
    return logits.masked_fill(bad.unsqueeze(-1), 0.0)


def not_finite_error(function_name, which_texts):
    """Return the DecodeError for texts whose next word cannot be chosen."""
    return refusal(
        DecodeError,
        function_name,
        f"the logits of {which_texts} are not finite",
        "numbers, of which -inf only rules a word out",
        "Look for a weight of the model that is NaN or inf, or for vectors that are too large for "
        "their dtype.",
    )
