"""The whole model in NumPy: what it refuses. What it computes is compared in tests/nn/test_transformer.py."""

import numpy as np
import pytest

from tests.nn.models import config, model
from transformer_book import by_hand, nn
from transformer_book.shapes import ShapeError

SOURCE_WORDS, TARGET_WORDS, LONGEST = 11, 7, 5


@pytest.fixture(scope="session")
def weights(tmp_path_factory):
    """The configuration and the weights of a model with a vocabulary for each language."""
    file = tmp_path_factory.mktemp("weights") / "model.safetensors"
    words = SOURCE_WORDS, TARGET_WORDS
    nn.save_weights(file, model(config(share="none", words=words, max_length=LONGEST)))
    return by_hand.load_weights(file)


def logits(weights, source, target):
    theirs, W = weights
    return by_hand.transformer(np.array(source), np.array(target), W, theirs)[0]


def test_every_id_of_the_vocabulary_and_every_length_up_to_the_longest_is_allowed(
    weights,
):
    source, target = [[1, 10, 2, 3, 0]], [[1, 6, 2, 3, 0]]
    found = logits(weights, source, target)
    assert found.shape == (1, LONGEST, TARGET_WORDS) and np.isfinite(found).all()


@pytest.mark.parametrize(
    "source, target, message",
    [
        (
            [[3, -1]],
            [[1]],
            "ids go from -1 to 3, in int64; expected whole numbers from 0 to 10",
        ),
        (
            [[3, 11]],
            [[1]],
            "ids go from 3 to 11, in int64; expected whole numbers from 0 to 10",
        ),
        (
            [[1]],
            [[-1, 2]],
            "ids go from -1 to 2, in int64; expected whole numbers from 0 to 6",
        ),
        (
            [[1]],
            [[7, 2]],
            "ids go from 2 to 7, in int64; expected whole numbers from 0 to 6",
        ),
        ([[1] * 6], [[1]], "a sentence has 6 tokens; expected at most 5"),
        ([[1]], [[1] * 6], "a sentence has 6 tokens; expected at most 5"),
    ],
)
def test_ids_beyond_the_vocabulary_and_longer_sentences_are_refused(
    weights, source, target, message
):
    with pytest.raises(ShapeError, match=f"^transformer: {message}"):
        logits(weights, source, target)
