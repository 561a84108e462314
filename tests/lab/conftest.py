import pytest

from tests.train.conftest import one_thread
from transformer_book import data

__all__ = ["one_thread"]
SENTENCE = "the black cat sat on the couch and the brown dog slept on the rug"
WORDS = SENTENCE.split()


@pytest.fixture(scope="module")
def text():
    """A text so small that a model is trained on it in no time."""
    return data.Text.of([WORDS] * 20, [WORDS] * 10, 50)
