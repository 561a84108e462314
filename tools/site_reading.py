"""What follows a reader through the lessons: old addresses, and marks of what was read.

The other halves are templates/components/prev-next.html and _static/js/reading.js.
"""

import json
import re

from docutils import nodes

from tools.site_pages import shown_everywhere, target

from .pages import chapters

SCRIPT = "js/reading.js"
COUNTED = re.compile(r"id\d+")  # by docutils, and so of any page


def note_anchors(app, doctree):
    """Keep the fragments that lead somewhere on a page."""
    found = {name for node in doctree.findall(nodes.Element) for name in node["ids"]}
    found |= {f"{n['name']}-live" for n in doctree.findall() if n.tagname == "widget"}
    kept = sorted(name for name in found if not COUNTED.fullmatch(name))
    app.env.metadata[app.env.docname]["anchors"] = kept


def note_moved(app, env):
    """Note which fragments a laboratory has and its lesson has not: these have moved there."""
    found = {}
    for page in sorted(env.found_docs):
        laboratory = chapters.laboratory(page)
        if laboratory in env.found_docs:
            there, here = (env.metadata[p]["anchors"] for p in (laboratory, page))
            found[page] = [name for name in there if name not in here]
    return shown_everywhere(env, "moved_to_laboratories", found)


def at_the_end(app, pagename, templatename, context, doctree):
    """Let a lesson be marked as read, and say what has moved to its laboratory."""
    context["is_lesson"] = chapters.kind(pagename) == "lesson"
    if (anchors := app.env.moved_to_laboratories.get(pagename)) is not None:
        there = app.builder.get_relative_uri(pagename, chapters.laboratory(pagename))
        moved = json.dumps({"to": there, "anchors": anchors}, ensure_ascii=False)
        context["moved"] = moved.replace("<", "\\u003c")  # ends no script
    app.add_js_file(SCRIPT, loading_method="defer")


def in_the_contents(app, pagename, templatename, context, doctree):
    """Name the lessons in the contents, and leave a line above them for how many were read."""
    made = context["generate_toctree_html"]

    def with_progress(kind, **options):
        tree = made(kind, **options)
        if kind == "sidebar" and not tree.select(".tb-progress"):
            add_progress(tree, pagename)
        return tree

    context["generate_toctree_html"] = with_progress


def add_progress(tree, pagename):
    for link in tree.select("a.reference"):
        page = target(pagename, link["href"])
        if chapters.kind(page) == "lesson":
            link["data-lesson"] = page
    line = tree.new_tag("p", attrs={"class": "tb-progress"})
    line.append(tree.new_tag("span"))
    about = {"type": "button", "aria-label": "Forget which lessons were read"}
    forget = tree.new_tag("button", attrs=about)
    forget.string = "Forget"
    line.append(forget)
    tree.insert(0, line)


def setup(app):
    app.setup_extension("site_pages")
    app.connect("doctree-read", note_anchors)
    app.connect("env-updated", note_moved)
    app.connect("html-page-context", at_the_end)
    # After the theme has put its function there.
    app.connect("html-page-context", in_the_contents, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
