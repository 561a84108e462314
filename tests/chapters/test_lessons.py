"""The lessons on the paper's Transformer take an afternoon."""

import pytest

from tests import lessons

pytestmark = pytest.mark.build


def test_the_paper_s_transformer_takes_at_most_six_hours(site):
    assert sum(map(lessons.taken, lessons.FIRST_PARTS)) <= lessons.ALL
