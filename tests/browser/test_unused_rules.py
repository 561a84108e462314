"""Every rule of the theme and its extensions that an element of a page matches is on the site."""

import pytest

from tools.site.unused_rules import SHEET_SOURCES

pytestmark = pytest.mark.browser
PAGES = (
    *("intro", "search", "genindex", "attention/scaling", "transformer/stacks_lab"),
    *("reference/mistakes", "reference/api", "workshop/attention"),
)
# The rules of these style sheets that an element matches, whatever its state, as the browser writes them.
MATCHING_RULES = r"""
texts => {
  const pseudo = "::[\\w-]+(?:\\([^)]*\\))?"
    + "|:(?:hover|focus(?:-visible|-within)?|active|checked|disabled|target|visited|before|after)";
  const bare = (selector) => selector.replace(RegExp(`:not\\((?:${pseudo})\\)`, "g"), "")
    .replace(RegExp(pseudo, "g"), ":not(#_)");
  const styleRules = (rules) => [...rules].flatMap((rule) =>
    rule.selectorText ? [rule] : styleRules(rule.cssRules ?? []));
  const matches = (rule) => document.querySelector(bare(rule.selectorText));
  return texts.map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return styleRules(sheet.cssRules).filter(matches).map((rule) => rule.cssText);
  });
}
"""
OWN_RULES = """
() => {
  const styleRules = (rules) => [...rules].flatMap((rule) =>
    rule.selectorText ? [rule] : styleRules(rule.cssRules ?? []));
  return [...document.styleSheets].flatMap((sheet) => styleRules(sheet.cssRules))
    .map((rule) => rule.cssText);
}
"""


@pytest.mark.parametrize("name", PAGES)
def test_no_rule_is_missing_that_an_element_matches(name, visit, address):
    page = visit(f"{address}/{name}.html")
    page.locator(".theme-switch-button").first.hover()
    page.locator(".tooltip.show").wait_for()
    if name != "search":  # which has no dialog
        page.keyboard.press("Control+k")
        page.locator("#pst-search-dialog[open]").wait_for()
    sources = [source.read_text("utf-8") for source in SHEET_SOURCES.values()]
    own = set(page.evaluate(OWN_RULES))
    matching = page.evaluate(MATCHING_RULES, sources)
    assert len(matching[0]) > 100
    assert [rule for rules in matching for rule in rules if rule not in own] == []
