"""No barrier that axe finds at level A or AA, on any page, in either theme."""

import pytest

from tests.browser.survey import PAGES, RULES, violations

pytestmark = pytest.mark.browser
BAD = """<!doctype html><html lang="en"><title>Barriers</title>
<style>h1 { color: #999; background: #fff } [data-theme=dark] p { color: #333; background: #000 }
</style><h1>Pale</h1><p>Dark on black</p>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></html>
"""


@pytest.mark.parametrize("theme", RULES)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_barrier(name, theme, survey):
    assert survey[name].violations[theme] == []


def test_axe_does_find_barriers(chromium):
    with chromium.new_context() as context:
        page = context.new_page()
        page.set_content(BAD)
        found = {theme: violations(page, theme) for theme in RULES}
    rules = {
        theme: sorted(line.split(":")[0] for line in found[theme]) for theme in found
    }
    assert rules == {
        "light": ["color-contrast", "image-alt"],
        "dark": ["color-contrast", "color-contrast"],
    }
