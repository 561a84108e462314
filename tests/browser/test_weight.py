"""What a reader's browser keeps, what it does not run, and the icons; test_pages weighs pages."""

import pytest
from fontTools.ttLib import TTFont

from tests.browser.conftest import served
from tests.browser.survey import StaticHost, come_to_rest

pytestmark = pytest.mark.browser
MOST_REQUESTS = 40  # of a page, before anything is pressed
PLAIN = {"reading.js", "terms.js"}  # scripts that are no modules
ICONS = """() => [...document.querySelectorAll('*')].flatMap(element =>
    ['::before', '::after'].map(part => getComputedStyle(element, part))
        .filter(style => style.fontFamily.includes('Font Awesome') && style.content != 'none')
        .map(style => [style.fontFamily, style.content]))"""


def requests_of(names, site, note, chromium):
    """Open pages one after the other in one window; return the addresses that each asked for."""
    sent, asked = {}, []
    host = served(StaticHost, site, sent=sent, note=note)
    with host as address, chromium.new_context() as context:
        page = context.new_page()
        for name in names:
            sent.clear()
            page.goto(f"{address}/{name}.html")
            come_to_rest(page)
            asked.append(set(sent))
    return asked


@pytest.mark.parametrize("first", ["intro", "reference/bibliography"])
def test_the_cache_has_what_the_first_page_left_there(first, site, note, chromium):
    further = "attention/eight_steps"
    kept, sent = requests_of([first, further], site, note, chromium)
    assert not kept & sent and f"/{further}.html" in sent


@pytest.mark.parametrize(
    "name, most",
    [
        ("intro", 5),
        ("tour", 9),
        ("attention/scaling", 5),
        ("transformer/looking_inside", 9),
        ("transformer/real_translation", 9),
        ("words/embeddings", 0),
    ],
)
def test_a_page_asks_for_few_files_and_for_none_of_the_modules(
    name, most, site, note, chromium
):
    (sent,) = requests_of([name], site, note, chromium)
    assert len(sent) <= MOST_REQUESTS
    live = [path for path in sent if path.startswith("/_static/live/")]
    assert bool(most) <= len([path for path in live if ".js" in path]) <= most
    assert len([path for path in live if ".css" in path]) == bool(most)
    modules = [path for path in sent if path.startswith("/_static/js/")]
    assert {path.partition("?")[0].rpartition("/")[-1] for path in modules} <= PLAIN


def test_formulas_need_no_script(visit, address):
    page = visit(f"{address}/attention/eight_steps.html", java_script_enabled=False)
    assert page.locator("mjx-container").count() > 10


def test_a_page_is_set_in_its_faces_from_the_start(visit, address):
    page = visit(f"{address}/attention/eight_steps.html")
    for face in ("Book Text", "Book Titles"):
        assert page.evaluate(f"document.fonts.check('600 16px \"{face}\"')")
    used = "[...document.fonts].filter((face) => face.status === 'loaded').map((face) => face.family)"
    assert {"Book Text", "Book Titles"} <= {
        name.strip('"') for name in page.evaluate(used)
    }


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
