"""Minutes: what each page asks of its reader, under its title and in the contents.

tools/minutes.py has counted them before the pages are written.
"""

import html
import json
import math
from pathlib import Path

from tools import minutes
from tools.pages import chapters

from .contents import name_of, shown_everywhere, target

TITLE = "</h1>"


def note_minutes(app, env):
    """Keep the minutes of all pages, which the contents of every page show."""
    record = Path(app.outdir).parent / minutes.RECORD
    minutes_by_page = json.loads(record.read_text("utf-8")) if record.exists() else {}
    rounded = {page: math.ceil(taken) for page, taken in minutes_by_page.items()}
    return shown_everywhere(env, "minutes_of_pages", rounded)


def duration(taken):
    return f"about {taken} minute{'' if taken == 1 else 's'}"


def line(app, page):
    """What a page is, how long it takes, and where its proof or its lesson is, as HTML."""
    kind = chapters.kind(page)
    laboratory = chapters.laboratory(page)
    parts = [] if page == app.config.root_doc else [kind.capitalize()]
    if kind == "laboratory":
        lesson = chapters.lesson(page)
        name = html.escape(name_of(app, lesson))
        parts = [f"Laboratory of {_link(app, page, lesson, name)}"]
    if page in app.env.minutes_of_pages:
        parts.append(duration(app.env.minutes_of_pages[page]))
    if laboratory in app.env.found_docs:
        words = "proof and more in the laboratory →"
        parts.append(_link(app, page, laboratory, words, "tb-laboratory"))
    return " · ".join(parts)


def _link(app, page, target_page, words, kind="tb-lesson"):
    return f'<a class="{kind}" href="{app.builder.get_relative_uri(page, target_page)}">{words}</a>'


def under_the_title(app, pagename, templatename, context, doctree):
    if "body" in context and pagename in app.env.found_docs:
        lines = f'{TITLE}\n<p class="tb-minutes">{line(app, pagename)}</p>'
        context["body"] = context["body"].replace(TITLE, lines, 1)


def in_the_contents(app, pagename, templatename, context, doctree):
    """Put the minutes behind each name, and say what is folded under a lesson."""
    make_toctree = context["generate_toctree_html"]

    def with_minutes(kind, **options):
        tree = make_toctree(kind, **options)
        # The theme caches its trees, and so may return the same again.
        if kind == "sidebar" and not tree.select(".tb-time"):
            add_minutes(tree, pagename, app.env.minutes_of_pages)
        return tree

    context["generate_toctree_html"] = with_minutes


def add_minutes(tree, pagename, taken):
    for summary in tree.select("li > details > summary"):
        name = summary.find_parent("li").find("a").get_text()
        summary["aria-label"] = f"Laboratory of {name}"
    for link in tree.select("a.reference"):
        page = target(pagename, link["href"])
        if page in taken:
            time = tree.new_tag("span", attrs={"class": "tb-time"})
            time.string = f"{taken[page]} min"
            link.extend([" ", time])


def setup(app):
    app.setup_extension("tools.site.contents")
    app.connect("env-updated", note_minutes)
    app.connect("html-page-context", under_the_title, priority=600)
    # After the theme has put its function there.
    app.connect("html-page-context", in_the_contents, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
