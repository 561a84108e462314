"""The arcs are the operations of a route; the words of a target come back in at the next step."""

import itertools
import re
from xml.etree import ElementTree as ET

import pytest

from tests.press.figures.drawn import SAY, SVG, TEXT, later
from transformer_press import figures

ROUTE = {"RNN": [0, 0, 1, 2, 3], "attention": [0, 3]}


def texts(svg):
    return [(e.text, float(e.get("x", 0))) for e in ET.fromstring(svg).iter(TEXT)]


def words(svg):
    return [text for text, _ in texts(svg)]


def curves(svg, role):
    """Return the ends (x0, x1) of every open cubic curve of a colour: the arcs."""
    found = []
    for path in ET.fromstring(svg).iter(SVG + "path"):
        d, style = path.get("d", ""), path.get("style", "")
        if (
            f"stroke:var(--tb-{role}," in style
            and d.count("C") == 1
            and "Z" not in d.upper()
        ):
            numbers = [float(x) for x in re.findall(r"-?[\d.]+", d)]
            found.append((numbers[0], numbers[-2]))
    return found


def rings(svg, role):
    """Return how many closed outlines of a colour there are that are not dots."""
    return sum(
        f"stroke:var(--tb-{role}," in p.get("style", "")
        and "fill:none" in p.get("style", "")
        and "z" in p.get("d", "").lower()
        for p in ET.fromstring(svg).iter(SVG + "path")
    )


def test_each_operation_is_an_arc_that_starts_where_the_last_one_ended():
    svg = figures.paths(ROUTE, 4, **SAY).svg
    arcs = curves(svg, "ink")
    assert len(arcs) == 3 + 1
    rnn = arcs[:3]
    assert all(
        a[1] == pytest.approx(b[0], abs=0.02) for a, b in itertools.pairwise(rnn)
    )
    assert arcs[3] == pytest.approx((rnn[0][0], rnn[-1][1]), abs=0.02)


def test_an_operation_that_stays_is_a_ring_and_is_counted():
    svg = figures.paths(ROUTE, 4, **SAY).svg
    assert rings(svg, "ink") == 1
    assert {"4 operations", "1 operation", "position 0", "position 3"} <= set(
        words(svg)
    )
    assert rings(figures.paths({"a": [1, 1, 1, 0]}, 4, **SAY).svg, "ink") == 2


def test_a_route_has_its_role():
    svg = figures.paths(ROUTE, 4, roles={"attention": "attention"}, **SAY).svg
    assert len(curves(svg, "attention")) == 1 and len(curves(svg, "ink")) == 3


def test_the_target_comes_out_above_and_goes_in_below_one_step_later():
    figure = figures.encoder_decoder(["feles", "dormit"], ["the", "cat", "</s>"], **SAY)
    for svg in (figure.svg, figure.narrow_svg):
        found = texts(svg)
        heads = [x for text, x in found if text.startswith("step")]
        assert [text for text, _ in found if text.startswith("step")] == [
            "step 1",
            "step 2",
            "step 3",
        ]
        the, cat, end, begin = (
            [x for text, x in found if text == word]
            for word in ("the", "cat", "</s>", "<s>")
        )
        middle = pytest.approx
        assert begin == middle(heads[:1], abs=30) and the == middle(heads[:2], abs=30)
        assert cat == middle(heads[1:], abs=30) and end == middle(heads[2:], abs=30)
        assert svg.count("stroke-dasharray") == 2, "the last word goes nowhere"
        assert {"2 vectors", "encoder", "decoder", "feles"} <= set(words(svg))


def test_the_translation_under_a_word_has_room():
    plain = figures.encoder_decoder(["猫"], ["cat", "</s>"], **SAY)
    below = figures.encoder_decoder(["猫\ncat"], ["cat", "</s>"], **SAY)
    both = figures.encoder_decoder(["猫\ncat"], ["猫\ncat", "</s>"], **SAY)
    assert words(below.svg).count("cat") == words(plain.svg).count("cat") + 1
    assert words(both.svg).count("cat") == 3 == words(both.svg).count("猫")
    heights = [
        float(re.search(r'viewBox="0 0 \S+ (\S+?)"', figure.svg)[1])
        for figure in (plain, below, both)
    ]
    assert heights == sorted(set(heights))


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (later.paths({}, 4), "routes: got none"),
        (later.paths({"a": [0]}, 4), r"routes\['a'\]: got 1 positions"),
        (later.paths({"a": [0, 4]}, 4), r"routes\['a'\]: got 4, .*from 0 to 3"),
        (later.paths({"a": [0, 1]}, 1), "n: got 1, expected a length"),
        (later.paths(ROUTE, 4, roles={"RNN": "red"}), "role: got 'red'"),
        (later.encoder_decoder([], ["a"]), "source: got no words"),
        (later.encoder_decoder(["a"], []), "target: got no words"),
    ],
)
def test_wrong_input(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
