"""Terms: where a page first uses one, {term}`attention weight`, its definition shows on the spot.

The other half is _static/js/terms.js. Without it a term is a link to the glossary.
"""

import html

from docutils import nodes
from sphinx import addnodes

from .contents import update_shared_value

TERMS_SCRIPT_FILE = "js/terms.js"


class explained_term(nodes.inline):
    """A link to the glossary, with the definition that it leads to."""


class Glossary:
    """What the glossary says, read when the first page asks."""

    def __init__(self):
        self.pages, self.entries = set(), None

    def record_definitions(self, app, env):
        """Find where terms are defined; a new definition is shown by other pages."""
        objects = env.get_domain("std").objects.items()
        self.pages = {page for (kind, _), (page, _) in objects if kind == "term"}
        trees = [env.get_doctree(page) for page in sorted(self.pages)]
        definitions = [
            part.astext() for tree in trees for part in tree.findall(addnodes.glossary)
        ]
        return update_shared_value(env, "definitions", definitions)

    def load_definitions(self, app):
        """Return for each term's id the id of its entry, and its definition as HTML."""
        if self.entries is None:
            self.entries = {}
            for page in sorted(self.pages):
                tree = app.env.get_and_resolve_doctree(page, app.builder)
                for entry in tree.findall(nodes.definition_list_item):
                    self.entries |= self.read_definition(app, entry)
        return self.entries

    def read_definition(self, app, entry):
        ids = [name for part in entry.findall(nodes.term) for name in part["ids"]]
        text = next(entry.findall(nodes.paragraph), None)
        if not ids or text is None:
            return {}
        text = text.deepcopy()
        for link in [
            *text.findall(nodes.reference)
        ]:  # a tip has one link, to the glossary
            link.replace_self(link.children)
        for part in text.findall(nodes.Element):
            part["ids"] = []
        fragment = app.builder.render_partial(text)["fragment"].strip()
        formulas = bool(next(text.findall(nodes.math), None))
        definition = fragment.removeprefix("<p>").removesuffix("</p>")
        return dict.fromkeys(ids, (ids[0], definition, formulas))

    def show_definitions(self, app, doctree, docname):
        """Put its definition to each term of a page, once, outside of headings."""
        if app.builder.format != "html" or docname in self.pages:
            return
        shown = set()
        for link in [*doctree.findall(_is_term_link)]:
            entry = self.load_definitions(app).get(
                link.get("refuri", "").partition("#")[2]
            )
            if entry is None or entry[0] in shown or _is_in_title(link):
                continue
            name, definition, formulas = entry
            shown.add(name)
            tip = explained_term(name=name, definition=definition, to=link["refuri"])
            link.replace_self(tip)
            tip += link
            if formulas:
                app.env.get_domain("math").data["has_equations"][docname] = True


def _is_term_link(node: nodes.Node) -> bool:
    return isinstance(node, nodes.reference) and any(
        "std-term" in child["classes"] for child in node.findall(nodes.inline)
    )


def _is_in_title(node: nodes.Node) -> bool:
    while node is not None and not isinstance(node, nodes.title):
        node = node.parent
    return node is not None


def open_term_html(self, node):
    self.body.append('<span class="tb-term">')


def close_term_html(self, node):
    """Write the definition, and the link that a finger can reach."""
    name = html.escape(f"tip-{node['name']}")
    self.body.append(
        f'<span class="tb-tip" popover="manual"><span id="{name}">{node["definition"]}</span> '
        f'<a href="{html.escape(node["to"])}" tabindex="-1">In the glossary</a></span></span>'
    )


def add_terms_script(app, pagename, templatename, context, doctree):
    if doctree is not None and next(doctree.findall(explained_term), None):
        app.add_js_file(TERMS_SCRIPT_FILE, loading_method="defer")


def setup(app):
    glossary = Glossary()
    app.add_node(explained_term, html=(open_term_html, close_term_html))
    app.connect("env-updated", glossary.record_definitions)
    # After links have been resolved, and before formulas are counted.
    app.connect("doctree-resolved", glossary.show_definitions, priority=800)
    app.connect("html-page-context", add_terms_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
