r"""Formulas, set when the site is made: a page holds them as HTML and MathML, and runs no MathJax.

MathJax comes with sphinx-mathjax-offline and runs in Node. What it sets has widths that do not wait for
its fonts. Each formula keeps its TeX, as ``data-tex``, for the search.
"""

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx.ext.mathjax import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from tools.programs import NODE_PROGRAM

TYPESET_SCRIPT_PATH = Path(__file__).with_suffix(".js")
MATHJAX_FONT_FOLDER = "output/chtml/fonts/woff-v2"
MATHJAX_STYLE_SHEET_NAME = "mathjax.css"
# The fonts of nearly every formula; a page fetches them at once.
COMMON_FONT_FILES = [
    f"mathjax/fonts/MathJax_{name}.woff" for name in ("Main-Regular", "Math-Italic")
]
# A formula's MathML is for those who hear it; the style is that of MathJax's own.
HIDDEN_MATHML_STYLE = """
mjx-container { position: relative; }
mjx-assistive-mml {
  position: absolute; top: 0; left: 0; width: 1px; height: 1px;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; user-select: none;
}
"""


def mathjax_folder():
    """Where sphinx-mathjax-offline keeps MathJax; its name has hyphens and cannot be imported."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            "sphinx-mathjax-offline is not installed; pip install it, as requirements.txt says."
        )
    return Path(spec.origin).parent / "static" / "mathjax"


class Typesetter:
    """MathJax in a process of Node, which ends with this one.

    Parameters
    ----------
    macros : dict of str to str
        TeX commands without their backslash, and what they stand for.
    """

    def __init__(self, macros):
        self._process = subprocess.Popen(
            [NODE_PROGRAM, TYPESET_SCRIPT_PATH, mathjax_folder(), json.dumps(macros)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.style = self._read_answer()

    def typeset(self, tex: str, is_display: bool):
        """Return a formula's HTML, with its MathML for those who hear it.

        Raises
        ------
        ValueError
            If MathJax does not understand it.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([tex, is_display]) + "\n")
        self._process.stdin.flush()
        answer = self._read_answer()
        if "error" in answer:
            raise ValueError(
                f"MathJax does not understand {tex} ({answer['error']}); mend the formula in its page."
            )
        visible, mathml = answer
        visible = visible.replace(' style="font-size: 100%;"', "")
        visible = visible.replace("<mjx-math ", '<mjx-math aria-hidden="true" ', 1)
        mathml = re.sub(r"\n\s*", "", mathml).replace(
            ' xmlns="http://www.w3.org/1998/Math/MathML"', ""
        )
        return visible.replace(
            "</mjx-container>",
            f"<mjx-assistive-mml>{mathml}</mjx-assistive-mml></mjx-container>",
        )

    def _read_answer(self):
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("Node ended while it set a formula.")
        return json.loads(line)


@functools.cache
def _start_typesetter(macros, process_id):
    """Return the typesetter of this process: Sphinx writes pages in several."""
    return Typesetter(dict(macros))


def get_typesetter(app):
    macros = app.config.mathjax3_config["tex"]["macros"]
    return _start_typesetter(tuple(macros.items()), os.getpid())


def write_inline_formula(translator: HTML5Translator, node):
    translator.body.append(_formula_html(translator, node, node.astext(), "span"))
    raise nodes.SkipNode


def write_display_formula(translator: HTML5Translator, node):
    tex = node.astext()
    if not node["nowrap"] and r"\\" in tex:
        tex = rf"\begin{{split}}{tex}\end{{split}}"
    translator.body.append(_formula_html(translator, node, tex, "div"))
    raise nodes.SkipNode


def _formula_html(translator: HTML5Translator, node, tex, html_tag) -> str:
    tex = tex.strip()
    number = ""
    if node.get("number"):
        number = (
            f'<span class="eqno">({get_node_equation_number(translator, node)})</span>'
        )
    visible = get_typesetter(translator.builder.app).typeset(tex, html_tag == "div")
    start = translator.starttag(
        node, html_tag, "", CLASS="math notranslate nohighlight", **{"data-tex": tex}
    )
    return f"{start}{number}{visible}</{html_tag}>"


def copy_fonts_and_style(app):
    """Write the style sheet, which becomes a part of the book's (bundled_styles.py), and the fonts."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        style = re.sub(r"\s+", " ", get_typesetter(app).style.replace("%%URL%%", ""))
        (static / MATHJAX_STYLE_SHEET_NAME).write_text(
            style + HIDDEN_MATHML_STYLE, "utf-8"
        )
        shutil.copytree(
            mathjax_folder() / MATHJAX_FONT_FOLDER,
            static / "mathjax" / "fonts",
            dirs_exist_ok=True,
        )


def add_font_fetching_to_context(app, pagename, templatename, context, doctree):
    """Fetch them at once on a page with formulas; on another, for the next page, when idle."""
    has_formulas = "<mjx-container" in context.get("body", "")
    context["fetch_when"] = "preload" if has_formulas else "prefetch"
    context["fonts_fetched_early"] = COMMON_FONT_FILES


def choose_math_renderer(app, config):
    config.html_math_renderer = "set_ahead"


def setup(app):
    app.add_html_math_renderer(
        "set_ahead", (write_inline_formula, None), (write_display_formula, None)
    )
    app.connect("config-inited", choose_math_renderer)
    app.connect("builder-inited", copy_fonts_and_style)
    app.connect("html-page-context", add_font_fetching_to_context)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
