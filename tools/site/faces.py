"""The book's faces, inside its style sheet: they arrive with the first page; no later request brings them.

A page is seen when they are unpacked (templates/layout.html), so it is never set in other letters first
and moved then. The files lie in book/_static/fonts, with where they come from and their licence.
"""

import base64
from pathlib import Path

FONT_FOLDER = Path(__file__).parents[2] / "book" / "_static" / "fonts"
# Family, style and weights, by the name of the file.
FACES_BY_FILE_NAME = {
    "text": ("Book Text", "normal", "400 700"),
    "text-italic": ("Book Text", "italic", "400 700"),
    "titles": ("Book Titles", "normal", "600"),
}


def font_face_rule(file_name: str) -> str:
    """Return the rule of a face, its file included."""
    family, style, weights = FACES_BY_FILE_NAME[file_name]
    data = base64.b64encode((FONT_FOLDER / f"{file_name}.woff2").read_bytes()).decode()
    return (
        f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: {weights}; '
        f'src: url("data:font/woff2;base64,{data}") format("woff2"); }}\n'
    )


def all_font_face_rules() -> str:
    return "".join(map(font_face_rule, FACES_BY_FILE_NAME))
