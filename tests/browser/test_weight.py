"""What a reader's browser keeps, what it does not run, and the icons; test_pages weighs pages."""

import pytest
from fontTools.ttLib import TTFont

from tests.browser.conftest import served
from tests.browser.survey import StaticHost, come_to_rest

pytestmark = pytest.mark.browser
ICONS = """() => [...document.querySelectorAll('*')].flatMap(element =>
    ['::before', '::after'].map(part => getComputedStyle(element, part))
        .filter(style => style.fontFamily.includes('Font Awesome') && style.content != 'none')
        .map(style => [style.fontFamily, style.content]))"""


@pytest.mark.parametrize("first", ["intro", "reference/bibliography"])
def test_the_cache_has_what_the_first_page_left_there(first, site, note, chromium):
    further = "attention/eight_steps"
    sent = {}
    host = served(StaticHost, site, sent=sent, note=note)
    with host as address, chromium.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}/{first}.html")
        come_to_rest(page)
        kept = set(sent)
        sent.clear()
        page.goto(f"{address}/{further}.html")
        come_to_rest(page)
    assert not kept & sent.keys() and f"/{further}.html" in sent


def test_a_page_without_formulas_does_not_run_mathjax(visit, address):
    page = visit(f"{address}/reference/bibliography.html")
    come_to_rest(page)
    assert page.evaluate("window.MathJax === undefined")


@pytest.mark.parametrize("name", ["intro", "attention/eight_steps", "search"])
def test_every_icon_is_in_its_font(name, visit, address, site):
    page = visit(f"{address}/{name}.html")
    fonts = site / "_static" / "vendor" / "fontawesome" / "webfonts"
    drawn = {
        style: TTFont(fonts / f"fa-{style}.woff2").getBestCmap()
        for style in ("solid-900", "brands-400")
    }
    icons = page.evaluate(ICONS)
    assert len(icons) > 5
    for family, content in icons:
        style = "brands-400" if "Brands" in family else "solid-900"
        for sign in content.strip('"'):
            assert ord(sign) in drawn[style], (family, hex(ord(sign)))
