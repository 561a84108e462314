"""Fixtures: the name of every example, and all of them drawn once."""

import pytest

from tests.press.figures.examples import EXAMPLES, figure_of


@pytest.fixture(params=EXAMPLES)
def name(request):
    return request.param


@pytest.fixture(scope="session")
def drawn():
    return {name: figure_of(name) for name in EXAMPLES}
