"""Formulas set ahead, once for both books, by the MathJax that the site brings along."""

import json
from dataclasses import dataclass

import yaml
from playwright.sync_api import sync_playwright

from tools.programs.browser import launch_chromium
from tools.site.mathjax import mathjax_folder

# Both forms of each formula, HTML for the PDF and MathML for the EPUB, and the style of the first.
TYPESET_SCRIPT = """async (formulas) => {
  await MathJax.startup.promise;
  const set = [];
  for (const [tex, display] of formulas) {
    const html = await MathJax.tex2chtmlPromise(tex, {display});
    set.push([html.outerHTML, MathJax.tex2mml(tex, {display})]);
  }
  return [set, MathJax.startup.adaptor.textContent(MathJax.chtmlStylesheet())];
}"""


@dataclass
class Formulas:
    """Formulas by their TeX, and whether they are displayed."""

    html: dict
    style: str
    mathml: dict


def typeset_formulas(root, formulas):
    """Set formulas, pairs of TeX and whether it is displayed.

    Raises
    ------
    ValueError
        If MathJax does not understand one.
    """
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))["sphinx"][
        "config"
    ]
    settings = {
        "tex": {"macros": config["mathjax3_config"]["tex"]["macros"]},
        "chtml": {
            "fontURL": (mathjax_folder() / "output/chtml/fonts/woff-v2").as_uri()
        },
        "startup": {"typeset": False},
        "options": {"enableMenu": False, "enableAssistiveMml": False},
    }
    ordered = sorted(formulas)
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        page = browser.new_page()
        page.set_content(f"<script>MathJax = {json.dumps(settings)}</script>")
        page.add_script_tag(path=mathjax_folder() / "tex-chtml-full.js")
        typeset, style = page.evaluate(TYPESET_SCRIPT, ordered)
        browser.close()
    for (tex, _), (_, mathml) in zip(ordered, typeset, strict=True):
        if "<merror" in mathml:
            raise ValueError(
                f"MathJax does not understand {tex}; mend the formula in its page."
            )
    return Formulas(
        {formula: html for formula, (html, _) in zip(ordered, typeset, strict=True)},
        style,
        {
            formula: mathml
            for formula, (_, mathml) in zip(ordered, typeset, strict=True)
        },
    )
