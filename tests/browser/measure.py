"""Sizes and places of many elements, asked of the browser at once; and a page's clock."""

SMALL = """elements => elements.filter(e => e.checkVisibility()).flatMap(e => {
    const { width, height } = e.getBoundingClientRect();
    return width < 23.99 || height < 23.99 ? [[e.outerHTML.slice(0, 80), width, height]] : [];
})"""
OUTSIDE = """(elements, right) => elements.filter(e => e.checkVisibility()
    && e.getBoundingClientRect().right > right + 1).map(e => e.outerHTML.slice(0, 80))"""


def small(targets):
    """Return the targets, all of a locator's, that a finger would miss: less than 24 px."""
    assert targets.count()
    return targets.evaluate_all(SMALL)


def outside(parts, box):
    """Return the parts, all of a locator's, that reach beyond the right edge of a box."""
    assert parts.count()
    return parts.evaluate_all(OUTSIDE, box["x"] + box["width"])


def freeze(page):
    """Stop the page's clock: however slow the machine is, time passes only as a test lets it."""
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 1)
