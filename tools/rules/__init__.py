"""The house rules that can be read off a page's source: ``python -m tools.rules``.

CONTRIBUTING has them in words. What needs an executed page is tested on the built book: how long
a lesson takes, how much of its height is code, which outputs differ between two runs.
"""

from dataclasses import dataclass

from tools.pages import chapters

from . import cells, lists, numbers, parts, prose
from .page import Book, Page

OF_A_PAGE = (
    *(cells.size, cells.python, cells.last, cells.asserts, cells.open_names),
    *(prose.calm, prose.links, prose.pictures, prose.sources, prose.heads),
    *(prose.width, prose.numbered, prose.terms, prose.chinese),
    *(numbers.typed_results, numbers.comments),
    *(parts.order, parts.remember, parts.read_on, parts.exercises),
    *(cells.options, lists.table, lists.mistakes, lists.answers),
)
OF_THE_BOOK = (parts.labels, parts.needs, parts.laboratory)


@dataclass(frozen=True, order=True)
class Fault:
    """What breaks a rule: the page, the line in its file, and what was found and is expected."""

    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


def check(root, names=None):
    """Return what breaks a house rule, in the order of the book.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.
    names : list of str, optional
        Pages by name, as in attention/heads. Without it, all pages.

    Returns
    -------
    list of Fault
    """
    paths = [path for path in chapters.pages(root) if path.exists()]
    pages = [Page(chapters.name(path, root), path.read_text("utf-8")) for path in paths]
    book = Book(pages)
    return [
        fault
        for page in pages
        if names is None or page.name in names
        for fault in faults(page, book)
    ]


def faults(page, book):
    """What one page breaks, in the order of its lines."""
    pairs = [pair for rule in OF_A_PAGE for pair in rule(page)]
    pairs += [pair for rule in OF_THE_BOOK for pair in rule(page, book)]
    return sorted({Fault(page.path, line, message) for line, message in pairs})


def report(faults):
    """A line for each fault."""
    return "\n".join(map(str, faults))
