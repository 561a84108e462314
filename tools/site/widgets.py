"""The directive ``{widget}``: a figure that the reader can change, drawn by JavaScript.

The content introduces it and asks one question. Options: ``:data:`` names a string of JSON that a
cell above has glued, the numbers the widget starts with; ``:instead-of: figure`` lets it take the
place of the nearest figure above, which stays where there is no JavaScript.

The role ``{poke}`` sets one from within a sentence: {poke}`set the shift to 3 <positions.k=3>`; one
of another page so: {poke}`in the trained model <intro?map.at=5&map.head=2>`.
"""

import ast
import html
import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType

from docutils import nodes
from docutils.parsers.rst import directives
from myst_nb.core.variables import RetrievalError
from myst_nb.ext.glue.utils import retrieve_glue_data
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

# What is made of widgets' scripts and style sheets lies there (bundled_scripts.py, bundled_styles.py).
BUNDLE_FOLDER = "live"
WIDGET_SCRIPT_FILE = f"{BUNDLE_FOLDER}/book.js"
# Shown when book.js itself does not arrive, so it cannot stand there.
LOAD_FAILURE_HTML = (
    "This figure has a live version, which could not be loaded. In most browsers, live figures do \
not work when the book is opened as a file. Run <code>make serve</code> to see them."
)
logger = getLogger(__name__)


class widget(nodes.Element):
    """The place of a widget; its children are the sentences that introduce it."""


class WidgetDirective(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec = MappingProxyType(
        {
            "data": directives.unchanged_required,
            "instead-of": lambda kind: directives.choice(kind, ("figure",)),
        }
    )

    def run(self):
        name = self.arguments[0]
        module = Path(self.env.srcdir, "_static", "js", "widgets", f"{name}.js")
        self.env.note_dependency(str(module))
        if not module.exists():
            missing = f"_static/js/widgets/{name}.js"
            return self._warn(f"there is no widget {name!r}: no file {missing}")
        self.env.metadata[self.env.docname].setdefault("widgets", []).append(name)
        node = widget(name=name, instead="instead-of" in self.options, data=None)
        if "data" in self.options:
            try:
                node["data"] = self._glued_data(self.options["data"])
            except (RetrievalError, ValueError, SyntaxError) as error:
                repair = "glue json.dumps(...) in a cell above"
                return self._warn(f"widget {name!r}: {error}; {repair}")
        self.state.nested_parse(self.content, self.content_offset, node)
        return [node]

    def _glued_data(self, glued_name: str):
        output = retrieve_glue_data(self.state.document, glued_name)
        return json.loads(ast.literal_eval(output.data["text/plain"]))

    def _warn(self, message: str) -> list:
        logger.warning(message, location=self.get_location())
        return []


def open_widget_html(self, node):
    """Open the widget's place: the data, then the sentences."""
    instead = ' data-instead-of="figure"' if node["instead"] else ""
    self.body.append(
        f'<div class="tb-widget" id="{html.escape(node["name"])}-live"'
        f' data-widget="{html.escape(node["name"])}"{instead}>\n'
    )
    if node["data"] is not None:
        # "<" is never written, so nothing in the data can end the script element.
        data = json.dumps(node["data"], ensure_ascii=False).replace("<", "\\u003c")
        self.body.append(f'<script type="application/json">{data}</script>\n')
    self.body.append('<div class="tb-intro">\n')


def close_widget_html(self, node):
    self.body.append(f'</div>\n<p class="tb-lost">{LOAD_FAILURE_HTML}</p>\n</div>\n')


def mark_replaced_figures(app, doctree):
    """Mark the cell right above a widget that takes its figure's place, so that it never shows."""
    for node in doctree.findall(widget):
        place = node.parent.index(node)
        above = node.parent[place - 1] if place else None
        if node["instead"] and above is not None and "cell" in above["classes"]:
            above["classes"].append("tb-makes-way")


def make_widget_setting_link(
    name, rawtext, text, lineno, inliner, options=None, content=None
) -> tuple:
    """Make a link that sets a widget; without JavaScript it changes nothing.

    ``page?`` before the settings names another page of the book, as the contents do.
    """
    pattern = r"(.+?)\s*<(?:([\w/]+)\?)?((\w+)\.\w+=[^<>?]+)>"
    match = re.fullmatch(pattern, text, re.DOTALL)
    if not match:
        message = f"poke: got {text!r}; expected words <widget.field=value>"
        return [], [inliner.reporter.error(message, line=lineno)]
    words, page, settings, widget_name = match.groups()
    env = inliner.document.settings.env
    if page and page not in env.found_docs:
        message = f"poke: there is no page {page!r}; name one as the contents do"
        return [], [inliner.reporter.error(message, line=lineno)]
    address = env.app.builder.get_relative_uri(env.docname, page) if page else ""
    uri = f"{address}?{settings}#{widget_name}-live"
    link = nodes.reference("", words, refuri=uri, internal=True)
    link["classes"].append("tb-poke")
    return [link], []


def widget_names_by_page(env) -> dict[str, list[str]]:
    """Return the names of the widgets of each page that has some, of all pages that were read."""
    return {
        page: sorted(set(about["widgets"]))
        for page, about in env.metadata.items()
        if about.get("widgets")
    }


def widget_style_sheet_name(widget_names: Iterable[str]) -> str:
    """Return the name, below ``_static``, of the style sheet of a page with these widgets."""
    return f"{BUNDLE_FOLDER}/styles/{'-'.join(sorted(widget_names))}.css"


def remove_global_scripts(app, config):
    """jupyter-book puts every script of ``_static`` on every page, modules too."""
    config.html_js_files = [
        file for file in config.html_js_files if not str(file).startswith("js/")
    ]


def add_widget_scripts(app, pagename, templatename, context, doctree):
    """Load what widgets need on the pages that hold one."""
    if names := widget_names_by_page(app.env).get(pagename):
        lost = "for (const w of document.querySelectorAll('.tb-widget')) w.dataset.lost = ''"
        app.add_js_file(WIDGET_SCRIPT_FILE, type="module", onerror=lost)
        app.add_css_file(widget_style_sheet_name(names))


def setup(app):
    app.add_node(widget, html=(open_widget_html, close_widget_html))
    app.add_directive("widget", WidgetDirective)
    app.add_role("poke", make_widget_setting_link)
    app.connect("config-inited", remove_global_scripts)
    app.connect("doctree-read", mark_replaced_figures)
    app.connect("html-page-context", add_widget_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
