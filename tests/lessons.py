"""What a lesson is held to on the built book; ``tools.rules`` has what its source says."""

from tests.conftest import ROOT
from tools import minutes
from tools.pages import chapters, page_outputs

PATHS = {chapters.name(path, ROOT): path for path in chapters.pages(ROOT)}
KINDS = {
    kind: [name for name in PATHS if chapters.kind(name) == kind]
    for kind in ("tour", "lesson", "laboratory", "reference")
}
LESSONS = KINDS["lesson"]
FIRST_PARTS = [name for name in LESSONS if not name.startswith("beyond/")]
ALL = 6 * 60  # minutes, of the lessons of the first three parts
SHARE = 1 / 3  # of a lesson's height that code and output may take


def taken(name):
    """The minutes of a page, as the build has run it."""
    return minutes.reading(page_outputs.page(PATHS[name], ROOT / "_build")).minutes
