"""Minutes: what each page asks of its reader, under its title and in the contents.

tools/minutes.py has counted them before the pages are written.
"""

import html
import json
import math
from pathlib import Path

from tools import minutes
from tools.pages import book_pages

from .contents import linked_page_name, name_in_contents, update_shared_value

TITLE_END_TAG = "</h1>"


def load_minutes(app, env):
    """Keep the minutes of all pages, which the contents of every page show."""
    record = Path(app.outdir).parent / minutes.MINUTES_FILE_NAME
    minutes_by_page = json.loads(record.read_text("utf-8")) if record.exists() else {}
    rounded = {page: math.ceil(taken) for page, taken in minutes_by_page.items()}
    return update_shared_value(env, "minutes_of_pages", rounded)


def minutes_text(minute_count: int) -> str:
    return f"about {minute_count} minute{'' if minute_count == 1 else 's'}"


def title_line_html(app, page_name: str) -> str:
    """What a page is, how long it takes, and where its proof or its lesson is, as HTML."""
    kind = book_pages.page_kind(page_name)
    laboratory = book_pages.laboratory_name(page_name)
    parts = [] if page_name == app.config.root_doc else [kind.capitalize()]
    if kind == "laboratory":
        lesson = book_pages.lesson_name(page_name)
        name = html.escape(name_in_contents(app, lesson))
        parts = [f"Laboratory of {_link_html(app, page_name, lesson, name)}"]
    if page_name in app.env.minutes_of_pages:
        # Nobody knows how long a reader writes.
        ending = " to read" if kind == "workshop" else ""
        parts.append(minutes_text(app.env.minutes_of_pages[page_name]) + ending)
    if laboratory in app.env.found_docs:
        words = "proof and more in the laboratory →"
        parts.append(_link_html(app, page_name, laboratory, words, "tb-laboratory"))
    return " · ".join(parts)


def _link_html(app, page_name, target_page, link_text, css_class="tb-lesson") -> str:
    address = app.builder.get_relative_uri(page_name, target_page)
    return f'<a class="{css_class}" href="{address}">{link_text}</a>'


def add_line_under_title(app, pagename, templatename, context, doctree):
    if "body" in context and pagename in app.env.found_docs:
        lines = f'{TITLE_END_TAG}\n<p class="tb-minutes">{title_line_html(app, pagename)}</p>'
        context["body"] = context["body"].replace(TITLE_END_TAG, lines, 1)


def add_minutes_to_contents(app, pagename, templatename, context, doctree):
    """Put the minutes behind each name, and say what is folded under a lesson."""
    make_toctree = context["generate_toctree_html"]

    # The theme names its argument.
    def make_toctree_with_minutes(kind, **options):
        tree = make_toctree(kind, **options)
        # The theme caches its trees, and so may return the same again.
        if kind == "sidebar" and not tree.select(".tb-time"):
            write_minutes_in_tree(tree, pagename, app.env.minutes_of_pages)
        return tree

    context["generate_toctree_html"] = make_toctree_with_minutes


def write_minutes_in_tree(contents_html_tree, pagename, minutes_by_page):
    for summary in contents_html_tree.select("li > details > summary"):
        name = summary.find_parent("li").find("a").get_text()
        summary["aria-label"] = f"Laboratory of {name}"
    for link in contents_html_tree.select("a.reference"):
        page = linked_page_name(pagename, link["href"])
        if page in minutes_by_page:
            time = contents_html_tree.new_tag("span", attrs={"class": "tb-time"})
            time.string = f"{minutes_by_page[page]} min"
            link.extend([" ", time])


def setup(app):
    app.setup_extension("tools.site.contents")
    app.connect("env-updated", load_minutes)
    app.connect("html-page-context", add_line_under_title, priority=600)
    # After the theme has put its function there.
    app.connect("html-page-context", add_minutes_to_contents, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
