"""axe does find the barriers that test_pages has it look for."""

import pytest

from tests.browser.survey import THEMES, violations

pytestmark = pytest.mark.browser
BAD = """<!doctype html><html lang="en"><title>Barriers</title>
<style>h1 { color: #999; background: #fff } .dark p { color: #333; background: #000 }
</style><h1>Pale</h1><p>Dark on black</p>
<article><pre><span>one</span><span>one more</span>
<span style="color: #aaa; background: #fff">pale</span></pre></article>
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="></html>
"""


@pytest.mark.parametrize(
    "theme, found",
    [
        ("light", ["color-contrast", "color-contrast", "image-alt"]),
        ("dark", ["color-contrast", "color-contrast", "color-contrast"]),
    ],
)
def test_axe_does_find_barriers(theme, found, chromium):
    assert {theme} <= set(THEMES)
    with chromium.new_context() as context:
        page = context.new_page()
        page.set_content(BAD.replace("<html", f"<html class={theme}"))
        rules = sorted(line.split(":")[0] for line in violations(page, theme))
    assert rules == found
