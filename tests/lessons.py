"""What a lesson is held to on the built book; ``tools.rules`` has what its source says."""

from tests.conftest import ROOT
from tools.pages import book_pages

PATHS = {book_pages.page_name(path, ROOT): path for path in book_pages.page_paths(ROOT)}
KINDS = {
    kind: [name for name in PATHS if book_pages.page_kind(name) == kind]
    for kind in ("tour", "lesson", "laboratory", "workshop", "reference")
}
LESSONS = KINDS["lesson"]
SHARE = 1 / 3  # of a lesson's height that code and output may take


def share_of(name):
    """A page that is a program may be all code."""
    return 1 if name.endswith("one_page") else SHARE
