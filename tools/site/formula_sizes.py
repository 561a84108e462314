"""Room for each formula before MathJax sets it, so that the text around it does not move then.

Matplotlib sets the same letters, Computer Modern, and so measures them; what it cannot read is
measured by its signs.
"""

import functools
import html
import re

from matplotlib.font_manager import FontProperties
from matplotlib.mathtext import MathTextParser

FORMULA_ELEMENT = re.compile(
    r'<(span|div) class="math notranslate nohighlight"([^>]*)>(.*?)</\1>', re.DOTALL
)
FONT_SIZE = 100  # points; only what is relative to it counts
SIGN_WIDTH = 0.55  # ems, of an unknown formula
LINE_HEIGHT = 1.2  # ems
ROOT_EXCESS_WIDTH = 0.3  # ems by which Matplotlib's root is wider than MathJax's
BRACE_INSERTIONS = [  # an argument of one sign needs no braces in TeX
    (re.compile(r"\\(d?frac) ?(\w) ?(\w)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\sqrt ?(\w)"), r"\\sqrt{\1}"),
]
COMMAND_REPLACEMENTS = {
    r"\text": r"\mathrm",
    r"\operatorname": r"\mathrm",
    r"\lVert": "|",
    r"\rVert": "|",
}


def reserve_formula_sizes(app, pagename, templatename, context, doctree):
    if "body" in context:
        macros = app.config.mathjax3_config["tex"]["macros"]
        spaced = functools.partial(_add_size, macros=tuple(macros.items()))
        context["body"] = FORMULA_ELEMENT.sub(spaced, context["body"])


def _add_size(match, macros):
    tag, attributes, text = match.groups()
    tex = html.unescape(text).strip()
    wide, high = formula_size(tex.removeprefix(r"\(").removesuffix(r"\)"), macros)
    style = f' style="--wide:{wide:.2f};--high:{high:.2f}"'
    return (
        f'<{tag} class="math notranslate nohighlight"{attributes}{style}>{text}</{tag}>'
    )


@functools.cache
def formula_size(tex, macros=()):
    """Return the width and the height of a formula in ems."""
    if tex.startswith(r"\["):
        tex = tex[2:-2].replace(r"\frac", r"\dfrac")
    for short, full in BRACE_INSERTIONS:
        tex = short.sub(full, tex)
    tex = " ".join(tex.split())
    for name, meaning in macros:
        tex = _replace_command(tex, rf"\{name}", f"{{{meaning}}}")
    tex = re.sub(r"\\class\{[\w-]+\}", "", tex)
    for name, other in COMMAND_REPLACEMENTS.items():
        tex = _replace_command(tex, name, other)
    try:
        wide, high, *_ = _parser().parse(f"${tex}$", 72, _font())
    except ValueError:
        lines = tex.count(r"\\") + 1
        signs = re.sub(r"\\[a-zA-Z]+|[{}^_&\\]", "", tex)
        return SIGN_WIDTH * len(signs) / lines, LINE_HEIGHT * lines
    return wide / FONT_SIZE - ROOT_EXCESS_WIDTH * tex.count(r"\sqrt"), high / FONT_SIZE


def _replace_command(tex, command, other):
    return re.sub(rf"{re.escape(command)}(?![A-Za-z])", lambda _: other, tex)


@functools.cache
def _font():
    return FontProperties(size=FONT_SIZE, math_fontfamily="cm")


@functools.cache
def _parser():
    return MathTextParser("path")


def setup(app):
    app.connect("html-page-context", reserve_formula_sizes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
