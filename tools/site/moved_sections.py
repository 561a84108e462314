"""Old addresses: a fragment that has moved to a lesson's laboratory, or to another page, leads on there.

The other halves are templates/components/prev-next.html and _static/js/reading.js.
"""

import json
import re

from docutils import nodes

from tools.pages import book_pages

from .contents import update_shared_value

# Pages beside laboratories to which sections have moved.
OTHER_DESTINATIONS_BY_PAGE = {
    "reference/api": ["reference/api_measured", "reference/api_printed"]
}
NUMBERED_ID = re.compile(r"id\d+")  # by docutils, and so of any page


def record_anchors(app, doctree):
    """Keep the fragments that lead somewhere on a page."""
    names = {name for node in doctree.findall(nodes.Element) for name in node["ids"]}
    names |= {
        f"{node['name']}-live" for node in doctree.findall() if node.tagname == "widget"
    }
    anchors = sorted(name for name in names if not NUMBERED_ID.fullmatch(name))
    app.env.metadata[app.env.docname]["anchors"] = anchors


def record_moved_anchors(app, env):
    """Note which fragments a laboratory has and its lesson has not: these have moved there."""
    moved = {}
    for page in sorted(env.found_docs):
        laboratory = book_pages.laboratory_name(page)
        destinations = [laboratory, *OTHER_DESTINATIONS_BY_PAGE.get(page, [])]
        for there in env.found_docs.intersection(destinations):
            here = set(env.metadata[page]["anchors"])
            names = [
                name for name in env.metadata[there]["anchors"] if name not in here
            ]
            moved.setdefault(page, {})[there] = names
    return update_shared_value(env, "moved_anchors", moved)


def add_moved_anchors(app, pagename, templatename, context, doctree):
    """Say at the end of a page what has moved, by the address to which it has moved."""
    if moved := app.env.moved_anchors.get(pagename):
        addresses = {
            app.builder.get_relative_uri(pagename, there): anchors
            for there, anchors in sorted(moved.items())
        }
        text = json.dumps(addresses, ensure_ascii=False)
        context["moved"] = text.replace("<", "\\u003c")  # ends no script


def setup(app):
    app.setup_extension("tools.site.contents")
    app.connect("doctree-read", record_anchors)
    app.connect("env-updated", record_moved_anchors)
    app.connect("html-page-context", add_moved_anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
