"""Names above titles, and neighbours: lessons follow each other, a laboratory leads back to its lesson.

The other half is templates/components/prev-next.html.
"""

from tools.pages import book_pages

from .contents import name_in_contents


def previous_and_next_page(page_names: list[str], page_name) -> tuple:
    """Return the page before and the page after; None where there is none."""
    path = [name for name in page_names if book_pages.page_kind(name) != "laboratory"]
    if page_name not in page_names:
        return None, None
    at = path.index(book_pages.lesson_name(page_name))
    after = path[at + 1] if at + 1 < len(path) else None
    if page_name not in path:
        return path[at], after
    return path[at - 1] if at else None, after


def neighbour_labels(page_name, previous_page, next_page) -> tuple:
    """What the links to the neighbours say before their names."""
    is_lesson = [
        book_pages.page_kind(page or "") == "lesson"
        for page in (previous_page, next_page)
    ]
    back = "Previous lesson" if is_lesson[0] else "Previous"
    if book_pages.page_kind(page_name) == "laboratory":
        back = f"Back to the {book_pages.page_kind(previous_page)}"
    return back, "Next lesson" if is_lesson[1] else "Next"


def label_neighbour_links(app, pagename, templatename, context, doctree):
    """Call a page's neighbours what the contents call them."""
    adjacent = previous_and_next_page(list(app.env.collect_relations()), pagename)
    link_labels = neighbour_labels(pagename, *adjacent)
    for link, page, label in zip(("prev", "next"), adjacent, link_labels, strict=True):
        context[link] = page and {
            "link": app.builder.get_relative_uri(pagename, page),
            "title": name_in_contents(app, page),
            "label": label,
        }


def show_short_name(app, pagename, templatename, context, doctree):
    """Call a page in its tab, and above its title, what the contents call it."""
    name = app.env.names_in_contents.get(pagename)
    if name:
        context["title"] = name
        mark = f'<p class="tb-page-name">{name}</p>\n<h1>'
        context["body"] = context["body"].replace("<h1>", mark, 1)


def setup(app):
    app.setup_extension("tools.site.contents")
    app.connect("html-page-context", label_neighbour_links)
    app.connect("html-page-context", show_short_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
