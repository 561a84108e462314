"""Names and links of pages as those of one book: each name unique, each link to one of them."""

import posixpath
import re


def is_package_page(page_name: str) -> bool:
    """Whether it is a page of the packages: 130 sheets to look things up in, not to read."""
    return page_name.startswith("reference/api")


def unique_element_id(page_name: str, fragment: str = "") -> str:
    """An identifier that no other page of the book has."""
    words = re.sub(r"[^A-Za-z0-9-]", "-", page_name)
    return (
        f"{words}--{re.sub(r'[^A-Za-z0-9_.-]', '-', fragment)}" if fragment else words
    )


def make_ids_and_links_unique(tree, page_name):
    """Make names and links those of a book: each name unique, each link to one of them."""
    for link in list(tree.iter("a")):
        is_download = "download" in (link.get("class") or "")  # a book has no files
        if is_download or is_package_page(
            linked_page_name(page_name, link.get("href", ""))
        ):
            link.drop_tag()
    for element in tree.iter():
        if name := element.get("id"):
            element.set("id", unique_element_id(page_name, name))
        if link := element.get("href"):
            element.set("href", address_in_book(page_name, link))


def linked_page_name(page_name: str, link_address: str) -> str:
    """The name of the page that a link of a page leads to; an address of another host as it is."""
    path = link_address.partition("#")[0]
    if not path or "://" in path:
        return path or page_name
    there = posixpath.join(posixpath.dirname(page_name), path.removesuffix(".html"))
    return posixpath.normpath(there)


def address_in_book(page_name: str, link_address: str) -> str:
    """Where a link of a page leads: another host, or a name in the book."""
    if "://" in link_address:
        return link_address
    return f"#{unique_element_id(linked_page_name(page_name, link_address), link_address.partition('#')[2])}"
