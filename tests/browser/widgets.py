"""What the tests of all widgets do: open a page, read a table, hear what is said, see that it fits."""

import itertools

import pytest

from tests.browser import measure

COLOURS = {  # as a browser computes them
    "red": {"light": "rgb(196, 35, 59)", "dark": "rgb(255, 138, 148)"},
    "purple": {"light": "rgb(124, 63, 196)", "dark": "rgb(195, 161, 255)"},
    "blue": {"light": "rgb(37, 99, 201)", "dark": "rgb(125, 176, 255)"},
    "ochre": {"light": "rgb(107, 91, 0)", "dark": "rgb(217, 194, 74)"},
}
FOCUSED = "e => e === document.activeElement"
IN_SIGHT = "e => e.getBoundingClientRect().top < innerHeight"


def opened(page, ready, parts=(), **defaults):
    """Return a fixture: a function that opens the page, with a query, and waits for its widget.

    Parameters
    ----------
    page, ready : str
        The page's address in the site, and the selector of what is there when the widget is alive.
    parts : dict
        Selectors; the page has a locator of each as an attribute.
    **defaults
        Of the window; see the fixture ``visit``.
    """

    @pytest.fixture
    def widget(visit, address):
        def open_widget(query="", page=page, ready=ready, **options):
            window = visit(f"{address}/{page}{query}", **(defaults | options))
            for name, selector in dict(parts).items():
                setattr(window, name, window.locator(selector))
            window.locator(ready).first.wait_for()
            return window

        return open_widget

    return widget


def in_looks(*widths):
    """Run a test in windows of these widths, light and dark."""
    looks = itertools.product(widths, ("light", "dark"))
    return pytest.mark.parametrize("width, theme", [*looks])


def rows(page, name):
    return page.locator(f".tb-live table[aria-label='{name}'] tbody tr")


def cell(page, name, i, j):
    return rows(page, name).nth(i).locator("td").nth(j)


def each_cell(rows, what):
    """Return what an expression in JavaScript is for each cell, ``c``, of a table's rows."""
    cells = f"[...r.querySelectorAll('td')].map(c => {what})"
    return rows.evaluate_all(f"rows => rows.map(r => {cells})")


def heard(page, text):
    """Wait until a screen reader is told this text, or what this pattern fits; return where."""
    status = page.get_by_role("status").filter(has_text=text)
    status.wait_for(state="attached")
    return status


def look(locator, name):
    """Return a computed style of an element."""
    return locator.evaluate(f"e => getComputedStyle(e).{name}")


def assert_fits(page, width, targets="", note=""):
    """Nothing is wider than the window, and a finger hits each target."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width, note
    if targets:
        assert measure.small(page.locator(targets)) == [], note


def tab_to(page, selector):
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches(`{selector}`)"):
            return
    raise AssertionError(f"{selector} is not reached")


def height_of(page):
    return page.locator(".tb-live").evaluate("e => e.offsetHeight")
