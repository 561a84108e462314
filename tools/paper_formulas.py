"""Formulas set ahead, once for both books, by the MathJax that the site brings along."""

import json

import yaml
from playwright.sync_api import sync_playwright

from .paper_browser import launch
from .site_mathjax import mathjax_folder

# Both forms of each formula: drawn for the PDF, MathML for the EPUB.
SET = """(formulas) => formulas.map(([tex, display]) => [
  MathJax.startup.adaptor.serializeXML(MathJax.tex2svg(tex, {display}).firstChild),
  MathJax.tex2mml(tex, {display}),
])"""


def set_all(root, formulas):
    """Return for each formula, TeX and whether it is displayed, its SVG and its MathML.

    Raises
    ------
    ValueError
        If MathJax does not understand one.
    """
    tex = yaml.safe_load((root / "_config.yml").read_text())["sphinx"]["config"]
    macros = tex["mathjax3_config"]["tex"]["macros"]
    settings = {
        "tex": {"macros": macros},
        "svg": {"fontCache": "none"},
        "startup": {"typeset": False},
        "options": {"enableMenu": False},
    }
    asked = sorted(formulas)
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page()
        page.set_content(f"<script>MathJax = {json.dumps(settings)}</script>")
        page.add_script_tag(path=mathjax_folder() / "tex-svg-full.js")
        page.evaluate("MathJax.startup.promise")
        made = page.evaluate(SET, asked)
        browser.close()
    for (text, _), (_, mathml) in zip(asked, made, strict=True):
        if "<merror" in mathml:
            raise ValueError(f"MathJax does not understand the formula {text}; mend it in its page.")
    return dict(zip(asked, map(tuple, made), strict=True))
