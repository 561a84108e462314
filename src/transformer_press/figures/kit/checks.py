"""What a figure refuses: each wrong input gets one ValueError that says what to do."""

import numpy as np

# Control characters are not allowed in XML, so in no SVG; Unicode has pictures of them.
_CONTROL_PICTURES = {code: 0x2400 + code for code in range(32)} | {127: 0x2421}


def printable_text(value) -> str:
    """Return a text in which control characters have become their pictures."""
    return str(value).translate(_CONTROL_PICTURES)


def text(value, name: str) -> str:
    """Return a title or an alt text; it must say something."""
    if not isinstance(value, str) or not value.strip():
        use = "state the finding" if name == "title" else "say what the figure shows"
        raise ValueError(f"{name}: got {value!r}, expected a sentence; {use}")
    return printable_text(" ".join(value.split()))


def array(value, name: str, ndim: int):
    """Return a finite, non-empty array of real numbers with `ndim` axes."""
    value = value.detach().cpu().numpy() if hasattr(value, "detach") else value
    try:
        numbers = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{name}: got {type(value).__name__} that is no array of real numbers, "
            f"expected {ndim} axes of numbers; give rows of equal length"
        ) from error
    if numbers.ndim != ndim or numbers.size == 0:
        raise ValueError(
            f"{name}: got shape {numbers.shape}, expected {ndim} axes and at least one number; "
            "index or reshape it first"
        )
    return numbers


def finite(value: np.ndarray, name: str) -> np.ndarray:
    """Refuse NaN and infinities, naming the first place they stand."""
    places = np.argwhere(~np.isfinite(value))
    if len(places):
        at = tuple(int(i) for i in places[0])
        raise ValueError(
            f"{name}: got {value[at]} at {list(at)}, expected finite numbers; "
            "mask or replace it before drawing"
        )
    return value


def matrix(value, name: str, mask=None) -> np.ndarray:
    """Return a finite matrix (rows, columns); what `mask` hides may be anything and becomes 0."""
    M = array(value, name, 2)
    if mask is not None:
        mask = np.asarray(mask)
        if mask.dtype != bool or mask.shape != M.shape:
            raise ValueError(
                f"mask: got {mask.dtype} of shape {mask.shape}, expected bool of {M.shape}; "
                "True marks what may be attended to"
            )
        M = np.where(mask, M, 0.0)
    return finite(M, name)


def vector(value, name: str) -> np.ndarray:
    """Return a finite vector (n,)."""
    return finite(array(value, name, 1), name)


def clean_label(value) -> str:
    """Return a label in which a line break between two texts, a word and its gloss, stays."""
    word, _, gloss = str(value).partition("\n")
    return "\n".join(map(printable_text, (word, gloss) if word and gloss else (value,)))


def labels(value, count: int, name: str, things: str):
    """Return `count` strings; None stays None."""
    if value is None:
        return None
    texts = [
        clean_label(item) for item in ([value] if isinstance(value, str) else value)
    ]
    if len(texts) != count:
        raise ValueError(
            f"{name}: got {len(texts)} labels for {count} {things}, expected {count}; "
            f"give one label for each of the {things}"
        )
    return texts


def mapping(value, name: str, entries: str):
    """Refuse what is no dict, and an empty one; `entries` says what leads to what."""
    if not isinstance(value, dict) or not value:
        raise ValueError(
            f"{name}: got none, expected a dict of {entries}; give at least one"
        )


def count(value, name: str, largest: int, advice: str):
    """Refuse what is not an integer from 1 to `largest`."""
    integer = isinstance(value, int) and not isinstance(value, bool)
    if not integer or not 1 <= value <= largest:
        raise ValueError(
            f"{name}: got {value!r}, expected a whole number from 1 to {largest}; {advice}"
        )


def triple(value, part_names: str):
    """Return a tuple of three, which `part_names` names."""
    if not isinstance(value, (tuple, list)) or len(value) != 3:
        sequence = isinstance(value, (tuple, list))
        got = len(value) if sequence else f"a {type(value).__name__}"
        raise ValueError(
            f"items: got an item of {got}, expected ({part_names}); give all three"
        )
    return value


def index(value, size: int, name: str, first: int = 0) -> int:
    """Return an index into `size` things, 0 to size - 1, of a number counted from `first`."""
    number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not number or not first <= value < first + size:
        raise ValueError(
            f"{name}: got {value!r}, expected an integer from {first} to {first + size - 1}; "
            f"count from the start, beginning at {first}"
        )
    return int(value) - first


def cell(value, shape: tuple[int, int], name: str):
    """Return a (row, column) inside `shape`."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise ValueError(
            f"{name}: got {value!r}, expected (row, column); give two integers"
        )
    return tuple(
        index(v, n, f"{name} {what}")
        for v, n, what in zip(value, shape, ("row", "column"), strict=True)
    )


def product(A, B, C, names):
    """Refuse C unless it is A @ B; `names` says what B and C are called."""
    above, below = names
    if A.shape[1] != B.shape[0] or C.shape != (A.shape[0], B.shape[1]):
        raise ValueError(
            f"{below}: got shapes {A.shape}, {B.shape}, {C.shape}, expected (m, k), (k, n), (m, n); "
            "transpose or reshape one of them"
        )
    expected = A @ B
    if not np.allclose(expected, C):
        i, j = (int(v) for v in np.argwhere(~np.isclose(expected, C))[0])
        raise ValueError(
            f"{below}: got {C[i, j]:.6g} at [{i}, {j}], expected A @ {above}, {expected[i, j]:.6g}; "
            "give the product itself"
        )
