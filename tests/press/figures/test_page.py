"""What a figure is on a page: well-formed, themed, labelled, repeatable."""

import io
import re
import warnings
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from tests.press.figures.drawn import SVG, TEXT, both, whole
from tests.press.figures.examples import EXAMPLES, figure_of
from transformer_press.figures import ROLES


def ids(svg):
    return re.findall(r'\bid="([^"]+)"', svg)


def test_svg_is_xml_and_labelled_once(drawn):
    for name, figure in drawn.items():
        for svg in both(figure):
            root = ET.fromstring(svg)
            assert root.tag == SVG + "svg", name
            assert root.get("aria-label") == figure.alt, name
            assert root.get("role") == ("group" if name == "architecture" else "img")
            assert not root.findall(f".//{SVG}title"), (
                "a title would be read a second time"
            )
            assert not root.findall(f".//{SVG}style"), (
                "a style sheet would reach the whole page"
            )
            assert not root.findall(f".//{SVG}metadata")


def test_html_states_the_finding_above_the_picture(drawn):
    for figure in drawn.values():
        assert figure.html.index(figure.title) < figure.html.index("<svg")
        assert figure.html.startswith('<figure class="tb-figure">')
        assert "<?xml" not in figure.html and "<!DOCTYPE" not in figure.html


def test_same_input_same_bytes_in_any_order_and_without_a_warning(name):
    one = figure_of(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        other = EXAMPLES[name]()
        assert other.png == one.png  # here the notebook's picture comes first
        assert other.svg == one.svg
        assert other.html == one.html


def test_every_colour_is_a_variable_with_its_light_fallback(drawn):
    known = {f"var(--tb-{role}, {light})" for role, (light, _) in ROLES.items()}
    known |= {"var(--tb-paper, #ffffff)", "var(--tb-page, #ffffff)"}
    for name, figure in drawn.items():
        for svg in both(figure):
            found = set(re.findall(r"var\([^)]*\)", svg)) - {"var(--tb-pad, 8px)"}
            assert found <= known, name
            assert len(found) >= 2, name
            for element in ET.fromstring(svg).iter():
                painted = (
                    dict(
                        part.split(":", 1)
                        for part in element.get("style", "").split(";")
                        if part
                    )
                    | element.attrib
                )
                for what in ("fill", "stroke", "color", "stop-color", "background"):
                    value = painted.get(what, "none").strip()
                    assert value in known | {"none"} or value.startswith("url(#"), (
                        name,
                        value,
                    )


def test_outside_the_site_it_lies_on_white(drawn):
    for figure in drawn.values():
        for svg in both(figure):
            assert "background:var(--tb-page, #ffffff)" in ET.fromstring(svg).get(
                "style"
            )


def test_no_two_figures_share_an_id(drawn):
    seen = {}
    for name, figure in drawn.items():
        for svg in both(figure):
            own = ids(svg)
            assert len(own) == len(set(own)), name
            for one in own:
                assert one not in seen, f"{one} is in {name} and in {seen[one]}"
                seen[one] = name
    assert seen, "masks and hatches have ids"


def test_every_reference_leads_somewhere(drawn):
    for name, figure in drawn.items():
        for svg in both(figure):
            used = re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg)
            assert {one or other for one, other in used} == set(ids(svg)), name


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("heat_map", ["The", "cat", "sat", "query ↓"]),
        ("arcs", ["The", "mat", "."]),
        ("arcs in Chinese", ["我", "喜欢", "猫"]),
        ("token_strip", ["The", "␣c<at", "␀", "3797"]),
        ("word_map", ["cat", "mat", "a", "b", "c"]),
        ("lines", ["RNN", "attention", "words", "100"]),
        ("bars", ["CBOW", "a shift", "\N{MINUS SIGN}0.25"]),
        ("own", ["costs $5 or $6"]),
        ("matrices", ["X", "Q"]),
        ("architecture", ["Softmax", "K", "V", "Q", "N×"]),
    ],
)
def test_text_stays_text(drawn, name, words):
    for svg in both(drawn[name]):
        found = [whole(element) for element in ET.fromstring(svg).iter(TEXT)]
        assert set(words) <= set(found)
        assert "DejaVu" not in svg


def test_text_has_one_of_two_sizes(drawn):
    for name, figure in drawn.items():
        for svg in both(figure):
            sizes = {
                round(float(size) * 96 / 72)
                for size in re.findall(r"font-size:([\d.]+)px", svg)
            }
            assert sizes <= {11, 13}, name


def test_wide_figures_have_a_phone_version_or_a_box_to_scroll_in(drawn):
    for name, figure in drawn.items():
        for svg in re.findall(r"<svg[^>]*>", figure.html)[-1:]:
            width = int(re.search(r'width="(\d+)"', svg)[1])
            limit = 470 if name == "architecture" else 394
            assert width <= limit or 'class="tb-scroll"' in figure.html, name
    scrolled = [f.html for f in drawn.values() if "tb-scroll" in f.html]
    assert all('tabindex="0"' in html for html in scrolled)


def test_picture_is_a_png_with_the_title(drawn):
    for name, figure in drawn.items():
        picture = Image.open(io.BytesIO(figure.png))
        width = float(ET.fromstring(figure.svg).get("width"))
        assert picture.width == pytest.approx(width * 1.5, abs=2), name
        pixels = np.asarray(picture.convert("L"))
        assert pixels[0, -1] == 255, "it lies on white"
        assert (pixels[:40] < 60).any(), "the title is written above"
        assert set(picture.info) <= {"dpi"}, "no dates, no programs"


def test_mimebundle_serves_page_notebook_and_terminal(drawn):
    figure = drawn["arcs"]
    data, more = figure._repr_mimebundle_()
    assert data["text/html"] == figure.html
    assert data["image/png"] == figure.png
    assert data["text/plain"] == f"{figure.title}\n{figure.alt}"
    picture = Image.open(io.BytesIO(figure.png))
    assert more["image/png"]["width"] == pytest.approx(picture.width / 1.5, abs=1)
