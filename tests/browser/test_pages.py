"""Every page, in both themes, on a desk and on a phone: opened once, and everything asked of it.

In each theme, and on desk and phone, one who comes for the first time and one who has been here.
"""

import time

import pytest

from tests import lessons
from tests.browser import survey

pytestmark = pytest.mark.browser
FIRST, FURTHER = 700_000, 150_000  # bytes
SHIFT = 0.1  # web-vitals calls less "good"


@pytest.fixture(scope="module")
def host(site):
    with survey.static_host(site) as served:
        yield served


@pytest.fixture(scope="module")
def kept(host, chromium):
    """What every page has asked for, and so the cache has after any page."""
    address, sent = host
    common = None
    for name in ("transformer/training", "genindex"):  # with formulas, and the least
        sent.clear()
        with chromium.new_context() as context:
            page = context.new_page()
            page.goto(f"{address}/{name}.html")
            survey.come_to_rest(page)
        common = sent.keys() if common is None else common & sent.keys()
        common = set(common)
    return common


def heaviest(sent):
    return sorted(((size, path) for path, size in sent.items()), reverse=True)[:8]


@pytest.mark.parametrize("width", survey.SIZES)
@pytest.mark.parametrize("theme", survey.THEMES)
@pytest.mark.parametrize("name", survey.PAGES)
def test_a_page(name, theme, width, host, kept, visit):
    address, sent = host
    sent.clear()
    # A newcomer's window has kept nothing.
    first = (theme == "light") == (width == 1280)
    page = visit(
        f"{address}/{name}.html",
        width=width,
        height=survey.SIZES[width],
        theme=theme,
        own=first,
    )
    page.evaluate(survey.SHIFTS)
    survey.come_to_rest(page)
    waited_until = time.monotonic() + 10
    # A browser fetches the icon when it likes, also after the page is at rest.
    while first and kept - sent.keys() and time.monotonic() < waited_until:
        page.wait_for_timeout(20)
    weights, shifts = dict(sent), page.evaluate("shifts")
    seen, looks = page.evaluate(survey.SEEN), page.evaluate(survey.LOOKS)
    wrong = {
        "complaints": page.complaints,
        "foreign": page.foreign,
        "formulas that failed": seen["failed"],
        "raw markup": seen["raw"],
        "code cut off": seen["cut"],
        "loud bars": seen["bars"],
        "bars over nothing": seen["idle"],
        "figures cut off": page.evaluate(survey.CLIPPED),
        "focus not seen": looks["focus"],
        "colours of links": looks["links"] if looks["links"] > 1 else [],
        "loud comments": looks["shouting"],
        "lies over the page": looks["over"],
        "other names": looks["names"],
        "moves": shifts if sum(value for value, *_ in shifts) > SHIFT else [],
    }
    assert seen["theme"] == theme
    # On any other page first, and so with its files kept, less than FURTHER remains to fetch.
    further = {path: size for path, size in weights.items() if path not in kept}
    wrong["not as every page"] = sorted(kept - weights.keys()) if first else []
    wrong["heavy"] = heaviest(weights) if sum(weights.values()) > FIRST else []
    wrong["heavy then"] = heaviest(further) if sum(further.values()) > FURTHER else []
    if width == 1280 and name in lessons.LESSONS:
        share = page.evaluate(survey.SHARE)
        wrong["code and output"] = share if share > lessons.SHARE else 0
    if width == 1280:
        wrong["barriers"] = survey.violations(page, theme)
    if width == 1280 and theme == "light":
        wrong |= {f"printed: {k}": v for k, v in survey.printed(page).items()}
    wrong["wider than"] = []
    for narrower in (width, {1280: 768, 390: 360}[width]):
        page.set_viewport_size({"width": narrower, "height": 800})
        if page.evaluate("document.documentElement.scrollWidth") > narrower:
            wrong["wider than"].append(narrower)
    assert {kind: what for kind, what in wrong.items() if what} == {}


HIGH = """<!doctype html><style>* { margin: 0; padding: 0 } div, p, figure { height: 100px }</style>
<article style="height: 1000px"><div class="cell_input"></div>
<div class="cell_output" style="height: auto"><div>text</div><div><figure></figure></div></div>
<details><summary></summary><div class="cell_input"></div></details></article>"""


def test_code_and_output_that_are_seen_are_measured(chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.set_content(HIGH)
        assert page.evaluate(survey.SHARE) == 0.2
