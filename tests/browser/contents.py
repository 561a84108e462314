"""The contents at the left of each page, and their entries."""

import re

TREE = ".bd-sidebar-primary nav"


def entry(page, name):
    """Return the link to a page of this name, which ends in its minutes, however many."""
    named = re.compile(rf"^{name} \d+ min$")
    return page.locator(TREE).get_by_role("link", name=named)
