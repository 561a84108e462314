"""Marks of what was read: at the end of a lesson, and in the contents.

The other halves are templates/components/prev-next.html and _static/js/reading.js.
"""

from tools.pages import book_pages

from .contents import linked_page_name

READING_SCRIPT_FILE = "js/reading.js"
TOUR_PAGE = "tour"


def load_reading_script(app, pagename, templatename, context, doctree):
    """Let a lesson be marked as read at its end."""
    context["is_lesson"] = book_pages.page_kind(pagename) == "lesson"
    app.add_js_file(READING_SCRIPT_FILE, loading_method="defer")


def add_progress_to_contents(app, pagename, templatename, context, doctree):
    """Name the lessons in the contents, and leave a line above them for how many were read."""
    make_toctree = context["generate_toctree_html"]

    # The theme names its argument.
    def make_toctree_with_progress(kind, **options):
        tree = make_toctree(kind, **options)
        if kind == "sidebar" and not tree.select(".tb-progress"):
            write_progress_line(tree, pagename)
        return tree

    context["generate_toctree_html"] = make_toctree_with_progress


def write_progress_line(contents_html_tree, pagename):
    for link in contents_html_tree.select("a.reference"):
        page = linked_page_name(pagename, link["href"])
        if book_pages.page_kind(page) == "lesson":
            link["data-lesson"] = page
        elif page == TOUR_PAGE != pagename:
            link["data-tour"] = ""
    line = contents_html_tree.new_tag("p", attrs={"class": "tb-progress"})
    line.append(contents_html_tree.new_tag("span"))
    attributes = {"type": "button", "aria-label": "Forget which lessons were read"}
    forget = contents_html_tree.new_tag("button", attrs=attributes)
    forget.string = "Forget"
    line.append(forget)
    contents_html_tree.insert(0, line)
    following = contents_html_tree.new_tag("p", attrs={"class": "tb-continue"})
    following.append(contents_html_tree.new_tag("a", attrs={"class": "tb-next"}))
    contents_html_tree.insert(1, following)


def setup(app):
    app.connect("html-page-context", load_reading_script)
    # After the theme has put its function there.
    app.connect("html-page-context", add_progress_to_contents, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
