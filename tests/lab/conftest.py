import pytest

from transformer_book import data

SENTENCE = "the black cat sat on the couch and the brown dog slept on the rug"
WORDS = SENTENCE.split()


@pytest.fixture(scope="session")
def text():
    """A text so small that a model is trained on it in no time."""
    return data.Text.from_articles([WORDS] * 20, [WORDS] * 10, 50)
