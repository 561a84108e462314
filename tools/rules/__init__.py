"""The house rules that can be read off a page's source: ``python -m tools.rules``.

CONTRIBUTING has them in words. What needs an executed page is tested on the built book: how long
a lesson takes, how much of its height is code, which outputs differ between two runs.
"""

from dataclasses import dataclass

from tools.pages import book_pages

from . import cells, lists, numbers, parts, prose
from .page import Book, Page

PAGE_RULES = (
    *(
        cells.check_cell_size,
        cells.check_python,
        cells.check_last_cell,
        cells.check_assert_count,
        cells.check_open_names,
    ),
    *(
        prose.check_calm_tone,
        prose.check_external_links,
        prose.check_picture_texts,
        prose.check_sources,
        prose.check_head_numbers,
    ),
    *(
        prose.check_line_width,
        prose.check_accidental_lists,
        prose.check_grouped_citations,
        prose.check_terms,
        prose.check_chinese,
    ),
    *(numbers.check_typed_results, numbers.check_comments),
    *(
        parts.check_part_order,
        parts.check_remembered_lines,
        parts.check_further_reading,
        parts.check_now_write_it,
        parts.check_exercises,
    ),
    *(
        cells.check_cell_options,
        lists.check_table,
        lists.check_mistakes,
        lists.check_answers_are_proved,
    ),
)
BOOK_RULES = (
    *(parts.check_labels, parts.check_prerequisites, parts.check_laboratory),
    parts.check_part_card,
)


@dataclass(frozen=True, order=True)
class Fault:
    """What breaks a rule: the page, the line in its file, and what was found and is expected."""

    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


def check_pages(root, names=None):
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
    paths = [path for path in book_pages.page_paths(root) if path.exists()]
    pages = [
        Page(book_pages.page_name(path, root), path.read_text("utf-8"))
        for path in paths
    ]
    book = Book(pages)
    return [
        fault
        for page in pages
        if names is None or page.name in names
        for fault in page_faults(page, book)
    ]


def page_faults(page, book):
    """What one page breaks, in the order of its lines."""
    pairs = [pair for rule in PAGE_RULES for pair in rule(page)]
    pairs += [pair for rule in BOOK_RULES for pair in rule(page, book)]
    return sorted({Fault(page.path, line, message) for line, message in pairs})


def format_faults(faults):
    """A line for each fault."""
    return "\n".join(map(str, faults))
