"""Names and links of pages as those of one book: each name unique, each link to one of them."""

import posixpath
import re


def is_left_to_site(name):
    """Whether it is a page of the packages: 130 sheets to look things up in, not to read."""
    return name.startswith("reference/api")


def unique_id(page, fragment=""):
    """An identifier that no other page of the book has."""
    words = re.sub(r"[^A-Za-z0-9-]", "-", page)
    return (
        f"{words}--{re.sub(r'[^A-Za-z0-9_.-]', '-', fragment)}" if fragment else words
    )


def link_within_book(tree, page):
    """Make names and links those of a book: each name unique, each link to one of them."""
    for link in list(tree.iter("a")):
        is_download = "download" in (link.get("class") or "")  # a book has no files
        if is_download or is_left_to_site(page_of_link(page, link.get("href", ""))):
            link.drop_tag()
    for element in tree.iter():
        if name := element.get("id"):
            element.set("id", unique_id(page, name))
        if link := element.get("href"):
            element.set("href", link_target(page, link))


def page_of_link(page, link):
    """The name of the page that a link of a page leads to; an address of another host as it is."""
    path = link.partition("#")[0]
    if not path or "://" in path:
        return path or page
    there = posixpath.join(posixpath.dirname(page), path.removesuffix(".html"))
    return posixpath.normpath(there)


def link_target(page, link):
    """Where a link of a page leads: another host, or a name in the book."""
    if "://" in link:
        return link
    return f"#{unique_id(page_of_link(page, link), link.partition('#')[2])}"
