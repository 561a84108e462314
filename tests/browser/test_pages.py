"""Every page: opened once on a desk and once on a phone, and everything asked of it there.

On a desk the page is opened in the light theme by one who comes for the first time, on a phone in
the dark one by one who has been here: each browser's cache has what every page asks for. The theme
is then switched while the page is open, so that each width is seen in both. What is asked where:

- in each theme and at each width: that the theme is that of the system, formulas, markup, code, bars
  and figures in their place, the focus, one colour of links, quiet comments, nothing over the page,
  and one name for one thing;
- at each width, from opening it on: what the page says on the console and asks of other hosts, how
  far it moves while it loads, what it weighs, and whether it is wider than its window, also in a
  narrower one;
- on a desk: barriers, contrast in both themes, how much is code and output, and the page as printed;
  that one who comes for the first time gets what all pages share, which later pages then lack.
"""

import functools
import time

import pytest

from tests import lessons
from tests.browser import survey
from tests.browser.conftest import served, show
from tests.verdicts import unit_of

pytestmark = pytest.mark.browser
FIRST, FURTHER = 700_000, 150_000  # bytes
INDEX = 25_000  # more for the search page, which fetches the index of all words
SHIFT = 0.1  # web-vitals calls less "good"
DESK, PHONE = survey.SIZES
NARROWER = {DESK: 768, PHONE: 360}


@pytest.fixture(scope="module")
def shared(site, chromium):
    """What every page asks for, as addresses, and the files that tell."""
    common, files = None, []
    for name in ("transformer/training", "genindex"):  # with formulas, and the least
        sent = {}
        with (
            host(site, sent, files.append) as address,
            chromium.new_context() as context,
        ):
            page = context.new_page()
            page.goto(f"{address}/{name}.html")
            survey.come_to_rest(page)
        common = sent.keys() if common is None else common & sent.keys()
    return common, files


def host(site, sent, note):
    return served(survey.StaticHost, site, sent=sent, note=note)


@pytest.fixture
def arrive(site, shared, visit, request):
    """Open a page; return it and what is wrong with how it came, by kind.

    One window opens it under one address, first with an empty cache, so that all it asks for is seen.
    """
    (kept, files), sent, own = shared, {}, []
    verdicts = request.config.pluginmanager.get_plugin("verdicts")
    note = functools.partial(verdicts.note, unit=unit_of(request.node.nodeid))
    for path in files:
        note(path)

    def open_page(name, width, theme):
        sent.clear()
        new = not own
        look = {"width": width, "height": survey.SIZES[width], "theme": theme}
        if new:
            own.append(visit(f"{address}/{name}.html", own=True, **look))
        else:
            show(own[0], f"{address}/{name}.html", **look)
        (page,) = own
        page.evaluate(survey.SHIFTS)
        survey.come_to_rest(page)
        until = time.monotonic() + 10
        # A browser fetches the icon when it likes, also after the page is at rest.
        while new and kept - sent.keys() and time.monotonic() < until:
            page.wait_for_timeout(20)
        weights, shifts = dict(sent), page.evaluate("shifts")
        # On any other page first, and so with its files kept, less than FURTHER remains to fetch.
        further = {path: size for path, size in weights.items() if path not in kept}
        limit = FURTHER + (INDEX if name == "search" else 0)
        return page, {
            "moves": shifts if sum(value for value, *_ in shifts) > SHIFT else [],
            "not as every page": sorted(kept - weights.keys()) if new else [],
            "heavy": heaviest(weights) if sum(weights.values()) > FIRST else [],
            "heavy then": heaviest(further) if sum(further.values()) > limit else [],
        }

    with host(site, sent, note) as address:
        yield open_page


def heaviest(sent):
    return sorted(((size, path) for path, size in sent.items()), reverse=True)[:8]


def looks(page, theme):
    """What is wrong with how the page looks now, by kind."""
    seen, looks = page.evaluate(survey.SEEN), page.evaluate(survey.LOOKS)
    return {
        "theme": [] if seen["theme"] == theme else seen["theme"],
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
    }


def wider(page, width):
    """The widths of window at which the page is wider."""
    found = []
    for narrower in (width, NARROWER[width]):
        page.set_viewport_size({"width": narrower, "height": 800})
        if page.evaluate("document.documentElement.scrollWidth") > narrower:
            found.append(narrower)
    return found


def named(kind, wrong):
    return {f"{kind}: {name}": what for name, what in wrong.items() if what}


@pytest.mark.parametrize("name", survey.PAGES)
def test_a_page(name, arrive):
    page, wrong = arrive(name, DESK, "light")
    wrong |= looks(page, "light")
    if name in lessons.LESSONS:
        share = page.evaluate(survey.SHARE)
        wrong["code and output"] = share if share > lessons.share_of(name) else 0
    # In a window in which the whole contents stand: what its edge cuts is no barrier.
    page.set_viewport_size({"width": DESK, "height": 5000})
    wrong["barriers"] = survey.violations(page, "light")
    wrong |= named("printed", survey.printed(page))
    page.set_viewport_size({"width": DESK, "height": survey.SIZES[DESK]})
    survey.turn(page, "dark")
    wrong |= named("dark", looks(page, "dark"))
    wrong["dark barriers"] = survey.violations(page, "dark")
    wrong["wider than"] = wider(page, DESK)
    wrong |= {"complaints": page.complaints, "foreign": page.foreign}

    page, of_phone = arrive(name, PHONE, "dark")
    of_phone |= looks(page, "dark")
    survey.turn(page, "light")
    of_phone |= named("light", looks(page, "light"))
    of_phone["wider than"] = wider(page, PHONE)
    of_phone |= {"complaints": page.complaints, "foreign": page.foreign}
    wrong |= named("phone", of_phone)
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
