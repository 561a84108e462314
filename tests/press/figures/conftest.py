"""Fixtures: every example, to be drawn, and all of them drawn once."""

import pytest

from tests.press.figures.examples import EXAMPLES


@pytest.fixture(params=EXAMPLES)
def make(request):
    return EXAMPLES[request.param]


@pytest.fixture(scope="session")
def drawn():
    return {name: draw() for name, draw in EXAMPLES.items()}
