"""A lesson takes at most fifteen minutes, and all of them an afternoon."""

import pytest

from tests import lessons

pytestmark = pytest.mark.build


@pytest.mark.parametrize("name", lessons.LESSONS)
def test_a_lesson_is_short(name, site):
    assert lessons.taken(name) <= lessons.MOST


def test_all_lessons_together_take_at_most_six_hours(site):
    assert sum(map(lessons.taken, lessons.LESSONS)) <= lessons.ALL


@pytest.mark.parametrize("name", sorted(lessons.WALLS))
def test_what_is_still_to_be_rewritten_is_no_lesson_yet(name, site):
    """Who has rewritten a page takes it out of WALLS."""
    long = lessons.taken(name) > lessons.MOST
    assert long or lessons.faults(lessons.PATHS[name].read_text("utf-8"))
