"""Old addresses: a fragment that has moved to a lesson's laboratory leads on there.

The other halves are templates/components/prev-next.html and _static/js/reading.js.
"""

import json
import re

from docutils import nodes

from tools.pages import book_pages

from .contents import update_shared_value

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
        if laboratory in env.found_docs:
            there, here = (env.metadata[p]["anchors"] for p in (laboratory, page))
            moved[page] = [name for name in there if name not in here]
    return update_shared_value(env, "moved_to_laboratories", moved)


def add_moved_anchors(app, pagename, templatename, context, doctree):
    """Say at the end of a lesson what has moved to its laboratory."""
    if (anchors := app.env.moved_to_laboratories.get(pagename)) is not None:
        there = app.builder.get_relative_uri(
            pagename, book_pages.laboratory_name(pagename)
        )
        moved = json.dumps({"to": there, "anchors": anchors}, ensure_ascii=False)
        context["moved"] = moved.replace("<", "\\u003c")  # ends no script


def setup(app):
    app.setup_extension("tools.site.contents")
    app.connect("doctree-read", record_anchors)
    app.connect("env-updated", record_moved_anchors)
    app.connect("html-page-context", add_moved_anchors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
