"""What a reader's browser has to fetch: the first page, any further page, and from where."""

import pytest
from fontTools.ttLib import TTFont

from tests.browser.survey import PAGES, come_to_rest, static_host

pytestmark = pytest.mark.browser
FIRST, FURTHER = 700_000, 150_000  # bytes
ICONS = """() => [...document.querySelectorAll('*')].flatMap(element =>
    ['::before', '::after'].map(part => getComputedStyle(element, part))
        .filter(style => style.fontFamily.includes('Font Awesome') && style.content != 'none')
        .map(style => [style.fontFamily, style.content]))"""


def heaviest(sent):
    return sorted(((size, path) for path, size in sent.items()), reverse=True)[:8]


def news(sent, before):
    """What the cache does not have after the page before."""
    return {path: size for path, size in sent.items() if path not in before}


@pytest.mark.parametrize("name", PAGES)
def test_the_first_view_is_light(name, survey):
    sent = survey[name].sent
    assert f"/{name}.html" in sent
    assert sum(sent.values()) <= FIRST, heaviest(sent)


@pytest.mark.parametrize("name", PAGES)
def test_any_further_page_is_lighter(name, survey):
    for first in PAGES:
        further = news(survey[name].sent, survey[first].sent)
        assert sum(further.values()) <= FURTHER, (first, heaviest(further))


@pytest.mark.parametrize("first", ["intro", "reference/bibliography"])
def test_the_cache_has_what_the_first_page_left_there(first, survey, site, chromium):
    further = max(
        PAGES,
        key=lambda name: sum(news(survey[name].sent, survey[first].sent).values()),
    )
    with static_host(site) as (address, sent), chromium.new_context() as context:
        page = context.new_page()
        for name in (first, further):
            sent.clear()
            page.goto(f"{address}/{name}.html")
            come_to_rest(page)
        assert sent.keys() <= news(survey[further].sent, survey[first].sent).keys()
        assert f"/{further}.html" in sent


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_asked_of_another_host(name, survey):
    assert survey[name].foreign == []


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
