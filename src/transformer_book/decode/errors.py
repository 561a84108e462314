"""The error of every function that decodes, and the checks that raise it."""

from ..ids import listed_ids
from ..options import is_number, is_whole

# What a function calls of a model of each kind, and which functions are for the other kind.
CALLED = {
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


def check_model(function, model, kind, error=DecodeError):
    """Raise an error unless a model, perhaps a compiled one, has what a function calls of it.

    Parameters
    ----------
    function : str
    model
    kind : "Transformer" or "LanguageModel"
        Which model of ``nn`` the function takes.
    error : type
    """
    called, other = CALLED[kind]
    if not all(hasattr(model, name) for name in called):
        raise error(
            f"{function}: model is of {type(model)}; expected an nn.{kind}. {other}."
        )


def check(right, function, name, given, expected):
    """Raise DecodeError unless ``right``, naming the argument, what it is and what it may be."""
    if not right:
        raise DecodeError(f"{function}: {name} is {given}; expected {expected}.")


def check_whole(function, name, value, least, most=float("inf"), why=""):
    """Raise DecodeError unless ``value`` is a whole number from ``least`` to ``most``."""
    span = f"at least {least}" if most == float("inf") else f"{least} to {most}"
    right = is_whole(value) and least <= value <= most
    check(right, function, name, repr(value), f"a whole number, {span}{why}")


def check_number(function, name, value, right, expected):
    """Raise DecodeError unless ``value`` is a number that is ``right``."""
    right = is_number(value) and right(value)
    check(right, function, name, repr(value), expected)


def check_source(function, model, source):
    """Raise DecodeError unless each row is a sentence in ids of the model's source vocabulary."""
    shape = tuple(source.shape)
    given, expected = f"of shape {shape}", "a sentence of a token or more"
    check(0 not in shape, function, "source", given, expected)
    pad, words = model.config.pad_id, model.config.source_words
    empty = (source == pad).all(dim=1).nonzero().flatten().tolist()
    given = f"nothing but padding in rows {empty}"
    check(not empty, function, "source", given, "a token or more in each row")
    check_ids(function, "source", source.min(), source.max(), words)
    word = source != pad
    back = (word[:, 1:] & ~word[:, :-1]).any(dim=1).nonzero().flatten().tolist()
    given = f"with padding before a word in rows {back}"
    check(not back, function, "source", given, "padding at the end alone")


def whole_ids(function, name, ids):
    """Return ids as a list of int; raise DecodeError unless they are whole numbers."""
    listed = listed_ids(ids)
    given, expected = repr(ids)[:60], "a list of ids, whole numbers"
    check(listed is not None, function, name, given, expected)
    return listed


def check_ids(function, name, lowest, highest, words):
    """Raise DecodeError unless ids from ``lowest`` to ``highest`` are all in the vocabulary."""
    given = f"ids from {int(lowest)} to {int(highest)}"
    expected = f"0 to {words - 1}, the ids of the model's vocabulary"
    check(lowest >= 0 and highest < words, function, name, given, expected)


def spoiled(logits):
    """Return for which rows of logits, (rows, words), no word can be chosen.

    They have NaN or inf for a word, or -inf for all. A single -inf only rules a word out.
    """
    return ~logits.amax(dim=-1).isfinite()


def choosable(function, logits, ended, copies=1):
    """Return logits, (rows, words), by which a word can be chosen in every row.

    Parameters
    ----------
    function : str
    logits : tensor, (rows, words)
    ended : boolean tensor, (rows,)
        Which texts go on no more: what is chosen for them is never read.
    copies : int
        How many rows each text has.

    Raises
    ------
    DecodeError
        If one that goes on has a row that is :func:`spoiled`.
    """
    bad = spoiled(logits)
    if not bad.any():
        return logits
    rows = (bad & ~ended).nonzero().flatten().tolist()
    if rows:
        raise not_finite(function, f"texts {sorted({row // copies for row in rows})}")
    return logits.masked_fill(bad.unsqueeze(-1), 0.0)


def not_finite(function, whose):
    """Return the DecodeError for texts whose next word cannot be chosen."""
    return DecodeError(
        f"{function}: the logits of {whose} are not finite; expected numbers, of which -inf only "
        "rules a word out. Look for a weight of the model that is NaN or inf, or for vectors that "
        "are too large for their dtype."
    )
