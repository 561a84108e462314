"""Names such as W_Q1 and d_model, with their subscripts below the line as in the prose."""

import html
import re
from contextlib import contextmanager

from matplotlib.text import Text

# One letter and what stands behind its "_"; Q1 is short for Q_1.
_SUBSCRIPTED_NAME = re.compile(
    r"(?<![A-Za-z0-9_])(?:([A-Za-z])_([A-Za-z0-9]+)|([AKQSVZ])([1-9]))(?![A-Za-z0-9_])"
)
_HEAD_SUBSCRIPT = re.compile(r"([QKVO])(\d)")  # W_Q1 is the prose's W_{Q,1}


def split_at_subscripts(text: str) -> list[str]:
    """Return a text cut into plain, subscript, plain, ..., plain."""
    pieces, end = [], 0
    for match in _SUBSCRIPTED_NAME.finditer(text):
        letter, below = match[1] or match[3], match[2] or match[4]
        pieces += [
            text[end : match.start()] + letter,
            _HEAD_SUBSCRIPT.sub(r"\1,\2", below),
        ]
        end = match.end()
    return [*pieces, text[end:]]


def subscripts_in_html(text: str) -> str:
    """Return a text as HTML."""
    cut = [html.escape(part) for part in split_at_subscripts(text)]
    cut[1::2] = [f"<sub>{below}</sub>" for below in cut[1::2]]
    return "".join(cut)


@contextmanager
def subscripts_in_picture(drawing):
    """Let matplotlib set the subscripts of a drawing for a picture."""
    plain = [(artist, artist.get_text()) for artist in drawing.findobj(Text)]
    named = [
        (artist, text) for artist, text in plain if len(split_at_subscripts(text)) > 1
    ]
    for artist, text in named:
        cut = split_at_subscripts(text)
        cut[::2] = [part.replace("$", r"\$") for part in cut[::2]]
        cut[1::2] = [rf"$_{{\mathdefault{{{below}}}}}$" for below in cut[1::2]]
        artist.set(text="".join(cut), parse_math=True)
    try:
        yield
    finally:
        for artist, text in named:
            artist.set(text=text, parse_math=False)
