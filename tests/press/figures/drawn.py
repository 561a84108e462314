"""What stands in a figure, and what a wrong one is told."""

import re
from functools import partial
from xml.etree import ElementTree as ET

import pytest

from transformer_press import figures

SAY = {"title": "It states a finding", "alt": "It shows <numbers> & words."}
SVG = "{http://www.w3.org/2000/svg}"
TEXT = SVG + "text"
PX = 0.75  # points


class Later:
    """Any figure by its name, drawn only when what it returns is called."""

    def __getattr__(self, name):
        return partial(partial, getattr(figures, name), **SAY)


later = Later()


def both(figure):
    """Return the wide and the narrow SVG; one may fit both."""
    return [svg for svg in (figure.svg, figure.narrow_svg) if svg]


def whole(element):
    """Return the text of an SVG element, with "_" before each subscript."""
    parts = [(part.get("dy") == "0.3em", part.text) for part in element]
    return (element.text or "") + "".join("_" * low + text for low, text in parts)


def texts(svg):
    return [whole(element) for element in ET.fromstring(svg).iter(TEXT)]


def numbers(svg):
    return [
        float(t.replace("\N{MINUS SIGN}", "-"))
        for t in texts(svg)
        if re.fullmatch(r"[\N{MINUS SIGN}\d.]*\d", t)
    ]


def placed(svg, unit=1.0):
    """Return (x, y, text) of every text, in points or in other units."""
    return [
        (float(t.get("x")) / unit, float(t.get("y")) / unit, whole(t))
        for t in ET.fromstring(svg).iter(TEXT)
    ]


def assert_one_clear_error(make, message):
    """The error says what was given and expected, and what to do, in one line."""
    with pytest.raises(ValueError, match=message) as caught:
        make()
    said = str(caught.value)
    assert "\n" not in said and "expected" in said and ";" in said
