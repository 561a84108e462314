"""A lesson takes at most fifteen minutes, and those on the paper's Transformer an afternoon."""

import pytest

from tests import lessons

pytestmark = pytest.mark.build


@pytest.mark.parametrize("name", lessons.LESSONS)
def test_a_lesson_is_short(name, site):
    assert lessons.taken(name) <= lessons.MOST


def test_the_paper_s_transformer_takes_at_most_six_hours(site):
    assert sum(map(lessons.taken, lessons.FIRST_PARTS)) <= lessons.ALL
