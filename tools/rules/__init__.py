"""The house rules that can be read off a page's source: ``python -m tools.rules``.

CONTRIBUTING has them in words. What needs an executed page is tested on the built book: how long
a lesson takes, how much of its height is code, which outputs differ between two runs.
"""

from dataclasses import dataclass
from pathlib import Path

from tools.pages import book_pages

from . import cells, lists, numbers, parts, prose
from .page import SourceBook, SourcePage

PAGE_CHECKS = (
    *(
        cells.check_cell_size,
        cells.check_cell_syntax,
        cells.check_last_cell,
        cells.check_assert_count,
        cells.check_names_in_open_cells,
    ),
    *(
        prose.check_calm_tone,
        prose.check_external_links,
        prose.check_pictures_have_text,
        prose.check_sources_are_named,
        prose.check_heads_count_from_1,
    ),
    *(
        prose.check_line_width,
        prose.check_accidental_lists,
        prose.check_grouped_citations,
        prose.check_terms_marked_once,
        prose.check_chinese_has_english,
    ),
    *(numbers.check_numbers_are_glued, numbers.check_comments_excuse_numbers),
    *(
        parts.check_lesson_part_order,
        parts.check_what_to_remember,
        parts.check_further_reading,
        parts.check_now_write_it,
        parts.check_exercises,
    ),
    *(
        cells.check_cell_options,
        lists.check_table_of_sections,
        lists.check_mistake_sections,
        lists.check_answers_are_proved,
    ),
)
PAGE_IN_BOOK_CHECKS = (
    *(parts.check_labels_are_unique, parts.check_prerequisites, parts.check_laboratory),
    parts.check_summary_card,
)


@dataclass(frozen=True, order=True)
class RuleFault:
    """What breaks a rule: the page, the line in its file, and what was found and is expected."""

    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


def find_page_faults(root: Path, page_names: list[str] | None = None) -> list:
    """Return what breaks a house rule, in the order of the book.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.
    page_names : list of str, optional
        Pages by name, as in attention/heads. Without it, all pages.

    Returns
    -------
    list of RuleFault
    """
    paths = [path for path in book_pages.page_paths(root) if path.exists()]
    pages = [
        SourcePage(book_pages.page_name(path, root), path.read_text("utf-8"))
        for path in paths
    ]
    book = SourceBook(pages)
    return [
        fault
        for page in pages
        if page_names is None or page.name in page_names
        for fault in faults_of_page(page, book)
    ]


def faults_of_page(page: SourcePage, book: SourceBook) -> list[RuleFault]:
    """What one page breaks, in the order of its lines."""
    pairs = [pair for rule in PAGE_CHECKS for pair in rule(page)]
    pairs += [pair for rule in PAGE_IN_BOOK_CHECKS for pair in rule(page, book)]
    return sorted({RuleFault(page.path, line, message) for line, message in pairs})


def format_faults(faults: list[RuleFault]) -> str:
    """A line for each fault."""
    return "\n".join(map(str, faults))
