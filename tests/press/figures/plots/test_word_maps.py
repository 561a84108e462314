"""The kinds of a map of words."""

from xml.etree import ElementTree as ET

from tests.press.figures.drawn import SAY, TEXT
from tests.press.figures.examples import waves
from transformer_press import figures
from transformer_press.figures.kit import style


def test_the_kinds_of_a_map_stay_on_it_and_apart():
    kinds = ["months", "numbers", "countries", "family", "colours"]
    figure = figures.word_map(waves(5, 2), list("abcde"), groups=kinds, **SAY)
    heights = []
    for svg in (figure.svg, figure.narrow_svg):
        root = ET.fromstring(svg)
        names = {t.text: t for t in root.iter(TEXT) if t.text in kinds}
        assert list(names) == kinds
        ends = {}
        for kind, text in names.items():
            x, y = float(text.get("x")), float(text.get("y"))
            assert x + 0.75 * style.text_width(kind) <= float(
                root.get("viewBox").split()[2]
            )
            assert x > ends.get(y, 0), "one after the other"
            ends[y] = x + 0.75 * style.text_width(kind)
        heights.append(len(ends))
    assert heights == [1, 2], "the phone needs a second row"
