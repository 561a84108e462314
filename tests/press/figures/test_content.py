"""What a figure says is what it was given."""

import base64
import io
import itertools
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from tests.press.figures.examples import SAY, W_Q, WEIGHTS, WORDS, X, waves
from tests.press.figures.texts import whole
from transformer_press import figures
from transformer_press.figures.diagrams.architecture import BOXES
from transformer_press.figures.kit import axes, grid, style

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [whole(element) for element in ET.fromstring(svg).iter(SVG + "text")]


def numbers(svg):
    return [
        float(t.replace("\N{MINUS SIGN}", "-"))
        for t in texts(svg)
        if re.fullmatch(r"[\N{MINUS SIGN}\d.]*\d", t)
    ]


def fills(svg, role):
    found = []
    for style_ in re.findall(r'style="([^"]*)"', svg):
        if f"fill:var(--tb-{role}," in style_ and "font-size" not in style_:
            found.append(float(re.search(r"opacity:([\d.]+)", style_)[1]))
    return found


def test_cells_show_the_numbers_of_the_matrix():
    figure = figures.heat_map(WEIGHTS, **SAY)
    assert numbers(figure.svg) == pytest.approx(np.round(WEIGHTS, 2).ravel().tolist())


def test_cells_are_the_fuller_the_larger():
    opacity = np.array(fills(figures.heat_map(WEIGHTS, **SAY).svg, "attention"))
    assert opacity == pytest.approx(
        WEIGHTS.ravel() / WEIGHTS.max() * opacity.max(), abs=1e-3
    )


def test_signed_cells_have_a_colour_for_each_sign():
    M = np.array([[1.0, -1.0], [-0.5, 0.0]])
    svg = figures.heat_map(M, signed=True, **SAY).svg
    assert len(fills(svg, "q")) == 1 and len(fills(svg, "k")) == 2
    assert numbers(svg) == [1.0, -1.0, -0.5, 0.0]


def test_masked_cells_are_hatched_and_hold_no_number():
    mask = np.tri(3, dtype=bool)
    svg = figures.heat_map(WEIGHTS, mask=mask, **SAY).svg
    assert len(numbers(svg)) == 6
    assert len(re.findall(r"fill:url\(#", svg)) == 3
    assert "<pattern" in svg and "--tb-wrong" in svg


@pytest.mark.parametrize(
    ("highlight", "size"),
    [
        ((1, 2), (1, 1)),
        ((1, None), (3, 1)),
        ((None, 0), (1, 3)),
    ],
)
def test_highlight_outlines_cell_row_or_column(highlight, size):
    plain, marked = (
        figures.heat_map(WEIGHTS, highlight=h, **SAY).svg for h in (None, highlight)
    )
    assert "stroke:var(--tb-ink" not in plain
    path = re.search(r'd="([^"]*)"[^>]*stroke:var\(--tb-ink', marked)[1]
    x, y = np.array(re.findall(r"([\d.]+) ([\d.]+)", path), dtype=float).T
    cell = 24  # 32 px in the SVG's points
    assert np.ptp(y) == pytest.approx(size[1] * cell, abs=0.1)
    assert np.ptp(x) == pytest.approx(size[0] * 42, abs=0.1)


def test_product_writes_out_the_arithmetic_of_its_cell():
    figure = figures.matrix_product(X, W_Q, X @ W_Q, cell=(0, 0), **SAY)
    assert "1·1 + 0·0 + 1·0 + 0·1 = 1" in texts(figure.svg)
    marked = figures.matrix_product(X, -W_Q, -X @ W_Q, cell=(1, 1), **SAY)
    minus = "\N{MINUS SIGN}"
    assert f"2·({minus}1) + 0·0 + 2·({minus}1) = {minus}4" in " ".join(
        texts(marked.svg)
    )
    assert numbers(figure.svg)[-6:] == (X @ W_Q).ravel().tolist()


def test_product_says_so_where_rounding_hides_the_sum():
    A, B = np.array([[1 / 3, 1 / 3]]), np.array([[1.0], [1.0]])
    assert "0.33·1 + 0.33·1 ≈ 0.67" in texts(
        figures.matrix_product(A, B, A @ B, **SAY).svg
    )


def test_arcs_are_the_thicker_the_larger_the_weight():
    weights = np.array([0.1, 0.2, 0.4, 0.3])
    svg = figures.arcs(WORDS[:4], weights, 0, **SAY).svg
    widths = [
        float(w)
        for w in re.findall(r" C [^>]*fill:none[^>]*stroke-width:([\d.]+)", svg)
    ]
    widths = [w for w in sorted(widths) if w != 1.5]  # 1.5: the frame around the source
    assert widths == pytest.approx(
        [0.75 * (0.75 + 7 * w / 0.4) for w in sorted(weights)]
    )
    assert numbers(svg) == pytest.approx(weights)


SHOW = {
    "heat_map": lambda words: figures.heat_map(
        WEIGHTS, rows=WORDS[:3], columns=words, **SAY
    ),
    "heat_map rows": lambda words: figures.heat_map(WEIGHTS, rows=words, **SAY),
    "heat_map aslant": lambda words: figures.heat_map(
        np.eye(30), fmt=None, columns=[*words, *["x"] * 27], **SAY
    ),
    "arcs": lambda words: figures.arcs(words, [0.2, 0.3, 0.5], 2, **SAY),
    "token_strip": lambda words: figures.token_strip(words, **SAY),
    "bars": lambda words: figures.bars(dict(zip(words, [1, 2, 3])), x_label="x", **SAY),
    "small_maps": lambda words: figures.small_maps(
        [("a", WEIGHTS)], rows=words, columns=words, **SAY
    ),
}


@pytest.mark.parametrize("show", SHOW.values(), ids=SHOW)
def test_a_gloss_is_small_and_quiet_at_its_word(show):
    """Below it, or behind it where the word is aslant, within the figure and over no other."""
    root = ET.fromstring(show(["黑\nblack", "猫\ncat", "</s>"]).svg)
    wide, high = map(float, root.get("viewBox").split()[2:])
    found = {e.text: e for e in root.iter(SVG + "text") if e.text}
    for word, gloss in (("黑", "black"), ("猫", "cat")):
        assert "font-size:8.25px" in found[gloss].get("style")
        assert "fill:var(--tb-quiet" in found[gloss].get("style")
        assert "fill:var(--tb-ink" in found[word].get("style")
        (x, y), (gloss_x, gloss_y) = (place(found[text]) for text in (word, gloss))
        aslant = "rotate(-45" in found[word].get("transform", "")
        if aslant:
            assert (
                gloss_x - x == pytest.approx(y - gloss_y, abs=0.1) and gloss_x > x + 9
            )
        else:
            assert 8 < gloss_y - y < 14 and abs(gloss_x - x) < 0.1
        assert 0 < gloss_x < wide and 0 < gloss_y < high


def test_rows_with_glosses_are_apart():
    """However small their cells would be."""
    words = ["黑\nblack", "猫\ncat"] * 20
    for figure in (
        figures.heat_map(np.eye(40), fmt=None, rows=words, **SAY),
        figures.small_maps([("a", np.eye(40))], rows=words, **SAY),
    ):
        root = ET.fromstring(figure.svg)
        ends = [
            float(e.get("y"))
            for e in root.iter(SVG + "text")
            if e.text in "黑black猫cat"
        ]
        assert len(ends) >= 80 and np.diff(ends[:80]).min() > 7


def place(element):
    turned = re.search(
        r"rotate\(\S+ ([-\d.]+) ([-\d.]+)\)", element.get("transform", "")
    )
    if turned:
        return float(turned[1]), float(turned[2])
    return float(element.get("x")), float(element.get("y"))


def test_a_line_break_that_parts_no_word_from_its_gloss_is_a_sign():
    for token in ("\n", "a\n", "\na", "a\nb\nc"):
        shown = figures.heat_map(WEIGHTS, rows=[token, "b", "c"], **SAY).svg
        assert "␊" in shown or token == "a\nb\nc"
        assert "↵" in figures.token_strip([token], **SAY).svg


def test_position_map_is_the_matrix_as_two_masks():
    PE = waves(16, 32)
    svg = figures.position_map(PE, **SAY).svg
    images = re.findall(r"data:image/png;base64,([^\"]+)", svg)
    alphas = [
        np.asarray(Image.open(io.BytesIO(base64.b64decode(i))).convert("RGBA"))[..., 3]
        for i in images
    ]
    assert len(alphas) == 2
    assert np.allclose(alphas[0] / 255.0 - alphas[1] / 255.0, PE, atol=0.5 / 31 + 0.005)
    assert svg.count("mask-type:alpha") == 2
    assert len(svg) < 20_000


def test_large_maps_stay_small_on_the_page():
    html = figures.position_map(waves(128, 512), **SAY).html
    assert len(html) < 60_000


def test_line_names_do_not_overlap():
    ends = axes.spread([10.0, 11.0, 12.0, 100.0], 17, 0, 200)
    assert np.diff(ends).min() >= 16.9 and ends.min() >= 0 and ends[3] == 100
    pinned = axes.spread([199.0, 200.0], 17, 0, 200)
    assert pinned.max() <= 200 and np.diff(pinned)[0] == pytest.approx(17, abs=0.1)


def test_ticks_are_round_and_plain():
    assert axes.ticks(0, 1, False, 6) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert axes.ticks(1, 1000, True, 6) == [1, 10, 100, 1000]
    assert axes.ticks(1, 1e9, True, 6) == [1, 1e2, 1e4, 1e6, 1e8]
    assert axes.ticks(1.45, 4.77, True, 6) == [2, 3, 4]
    assert axes.ticks(1.3, 1.9, True, 6) == pytest.approx(
        [1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
    )
    assert axes.ticks(7, 600, True, 8, [8, 16, 32]) == [8, 16, 32]
    assert [axes.TICK(v) for v in (0, 1000, 0.001, -2.5)] == [
        "0",
        "1,000",
        "0.001",
        "−2.5",
    ]


@pytest.mark.parametrize(
    "names", [("a", "b"), ("in one direction", "in both directions")]
)
@pytest.mark.parametrize("mark", [400, 3_000, 23_000])
def test_on_a_phone_ticks_stay_apart_and_marks_inside(names, mark):
    steps = np.arange(400, 24_001, 400)
    label = "the other direction ends"
    figure = figures.lines(
        dict.fromkeys(names, (steps, 1.4 + 1000.0 / steps)),
        marks={label: mark},
        log_y=True,
        x_label="step",
        y_label="loss",
        **SAY,
    )
    for svg in (figure.svg, figure.narrow_svg):
        found = {
            element.text: element for element in ET.fromstring(svg).iter(SVG + "text")
        }
        x, long = (
            float(found[label].get("x")),
            0.75 * style.text_width(label),
        )  # in points
        left = x - long if "text-anchor:end" in found[label].get("style") else x
        assert (
            0
            <= left
            <= left + long
            <= float(ET.fromstring(svg).get("viewBox").split()[2])
        )
        places = [
            (float(e.get("x")), style.text_width(text, style.SMALL))
            for text, e in found.items()
            if text.endswith(",000")
        ]
        assert len(places) > 1
        for (a, wide), (b, wider) in itertools.pairwise(places):
            assert b - a > (wide + wider) / 2 * 0.75


def test_bars_are_as_long_as_their_numbers():
    svg = figures.bars({"a": 2, "b": 1, "c": -1}, x_label="x", **SAY).svg
    spans = []
    for path in re.findall(r'd="([^"]*)" style="fill:var\(--tb-attention', svg):
        x = [float(pair[0]) for pair in re.findall(r"([\d.]+) ([\d.]+)", path)]
        spans.append(max(x) - min(x))
    assert np.array(spans) / spans[0] == pytest.approx([1, 0.5, 0.5], abs=1e-3)


def test_numbers_for_cells():
    assert grid.number(-0.001, "{:.2f}") == "0.00"
    assert grid.number(-1.5, "{:.1f}") == "\N{MINUS SIGN}1.5"
    assert grid.usual(X) == "{:.0f}" and grid.usual(X, WEIGHTS) == "{:.2f}"


def test_width_of_a_text_is_near_matplotlibs():
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), "The cat sat", size=13)
    assert style.text_width("The cat sat") == pytest.approx(
        path.get_extents().width, rel=0.05
    )
    assert style.text_width("猫") == 13


def test_architecture_links_are_links():
    links = {name: f"{name}.html" for name in BOXES}
    root = ET.fromstring(figures.architecture(links, **SAY).svg)
    anchors = list(root.iter(SVG + "a"))
    assert {a.get("href") for a in anchors} == set(links.values())
    assert all(a.get("aria-label") for a in anchors)
    labels = [a.get("aria-label") for a in anchors]
    assert len(labels) == len(set(labels)), "each link has a name of its own"
    for anchor in anchors:
        assert list(anchor.iter(SVG + "text")) and list(anchor.iter(SVG + "path"))
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


def test_the_kinds_of_a_map_stay_on_it_and_apart():
    kinds = ["months", "numbers", "countries", "family", "colours"]
    figure = figures.word_map(waves(5, 2), list("abcde"), groups=kinds, **SAY)
    heights = []
    for svg in (figure.svg, figure.narrow_svg):
        root = ET.fromstring(svg)
        names = {t.text: t for t in root.iter(SVG + "text") if t.text in kinds}
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
