"""Pages and papers are set in the project's own fonts, whatever this machine has."""

import pytest

from tools.programs import fonts

pytestmark = pytest.mark.browser
TEXT = "cat αž 黑猫"
FAMILIES = {
    "system-ui": {"DejaVu Sans", "Noto Sans SC Thin"},
    "sans-serif": {"Arimo", "Noto Sans SC Thin"},
    "serif": {"Tinos", "Noto Sans SC Thin"},
    "monospace": {"DejaVu Sans Mono", "Noto Sans SC Thin"},
    "'Liberation Sans', 'Noto Sans CJK SC'": {"Arimo", "Noto Sans SC Thin"},
    "'Liberation Serif', 'Noto Serif CJK SC'": {"Tinos", "Noto Sans SC Thin"},
}


@pytest.fixture(scope="module")
def drawn(chromium):
    """The fonts that Chromium takes for a text of each family."""
    if fonts.font_configuration_path() is None:
        pytest.skip("the project's fonts are not installed; run npm ci")
    lines = (f'<p style="font-family: {name}">{TEXT}</p>' for name in FAMILIES)
    with chromium.new_context() as context:
        page = context.new_page()
        page.set_content("".join(lines))
        devtools = context.new_cdp_session(page)
        devtools.send("DOM.enable")
        devtools.send("CSS.enable")
        root = devtools.send("DOM.getDocument")["root"]["nodeId"]
        query = {"nodeId": root, "selector": "p"}
        nodes = devtools.send("DOM.querySelectorAll", query)["nodeIds"]
        ask = "CSS.getPlatformFontsForNode"
        used = [devtools.send(ask, {"nodeId": node})["fonts"] for node in nodes]
    return dict(zip(FAMILIES, used))


@pytest.mark.parametrize("name", FAMILIES)
def test_each_family_is_one_of_ours(drawn, name):
    assert {font["familyName"] for font in drawn[name]} == FAMILIES[name]
    assert sum(font["glyphCount"] for font in drawn[name]) == len(TEXT)
