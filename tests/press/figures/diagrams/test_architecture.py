"""The boxes of the architecture lead to their chapters."""

from xml.etree import ElementTree as ET

from tests.press.figures.drawn import SAY, SVG, TEXT, texts
from transformer_press import figures
from transformer_press.figures.diagrams.architecture import BOX_LABELS


def test_architecture_links_are_links():
    links = {name: f"{name}.html" for name in BOX_LABELS}
    root = ET.fromstring(figures.architecture(links, **SAY).svg)
    anchors = list(root.iter(SVG + "a"))
    assert {a.get("href") for a in anchors} == set(links.values())
    assert all(a.get("aria-label") for a in anchors)
    labels = [a.get("aria-label") for a in anchors]
    assert len(labels) == len(set(labels)), "each link has a name of its own"
    for anchor in anchors:
        assert list(anchor.iter(TEXT)) and list(anchor.iter(SVG + "path"))
    assert "chapter to come" not in texts(ET.tostring(root, "unicode"))


def test_architecture_boxes_without_a_link_are_to_come():
    figure = figures.architecture({"softmax": "s.html", "linear": None}, **SAY)
    root = ET.fromstring(figure.svg)
    assert [a.get("href") for a in root.iter(SVG + "a")] == ["s.html"]
    coming = [g for g in root.iter(SVG + "g") if g.get("class") == "tb-coming"]
    assert len(coming) == 21 - 1 and all(
        "dasharray" in ET.tostring(g, "unicode") for g in coming
    )
    assert "chapter to come" in texts(figure.svg)
