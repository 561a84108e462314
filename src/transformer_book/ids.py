"""Ids: the integers that stand for tokens, and what is taken for them by mistake."""

from operator import index


def ids_or_none(values) -> list[int] | None:
    """Return values as a list of int ids, or None unless all are integers; True and False are none.

    Parameters
    ----------
    values : iterable
        Numbers, also an array or a tensor of them, (n,).

    Returns
    -------
    list of int, or None
    """
    try:
        listed = list(values.tolist() if hasattr(values, "tolist") else values)
        # Those of long texts are all int, and one look at their types is enough.
        return (
            listed if set(map(type, listed)) == {int} else [_as_id(i) for i in listed]
        )
    except TypeError:
        return None


def _as_id(value) -> int:
    # A bool is an int to Python, and a tensor of one has an index too.
    if isinstance(value, bool) or str(getattr(value, "dtype", "")).endswith("bool"):
        raise TypeError(f"{value!r} is no id")
    return index(value)
