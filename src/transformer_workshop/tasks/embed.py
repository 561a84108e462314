"""The input of a Transformer: embeddings of the words, plus their positions."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from .positional_encoding import positional_encoding

STUB = '''
def embed(ids, E):  # (batch, n) -> (batch, n, d_model)
    """Look up a vector for each word, scale it, and add the vector of its position.

    ids: (batch, n), whole numbers, the rows of E to take. E: (words, d_model). The rows are
    multiplied by the square root of d_model. The positions of each sentence are 0 to n - 1, and
    their vectors are those of positional_encoding(n, d_model).
    """
'''

SLIPS = (
    Slip(
        "no factor",
        "did not multiply the embeddings by √d_model",
        repair="Scale the rows of E before you add the positions.",
    ),
    Slip(
        "no positions",
        "did not add the positions",
        repair="Add positional_encoding(n, d_model).",
    ),
    Slip(
        "sum",
        "multiplied the sum by √d_model, positions included",
        repair="The factor belongs to the embeddings alone.",
    ),
    Slip(
        "scaled positions",
        "multiplied the positions by √d_model instead of the embeddings",
        repair="The factor belongs to the embeddings.",
    ),
    Slip(
        "from 1",
        "counted the positions from 1",
        "M3",
        "The first word is at position 0.",
    ),
    Slip(
        "width",
        "multiplied by d_model instead of its square root",
        repair="The factor is √d_model.",
    ),
    Slip("divided", "divided by √d_model", repair="Multiply by √d_model."),
    Slip(
        "words",
        "took the root of the number of words in the table instead of d_model",
        repair="d_model is the width of E, its last axis.",
    ),
    Slip(
        "length",
        "took the root of the length of the sentence instead of d_model",
        repair="d_model is the width of E, its last axis.",
    ),
    Slip(
        "same place",
        "gave every word the position 0",
        repair="Compute n positions, and add row i to word i of each sentence.",
    ),
    Slip(
        "sentences",
        "gave all words of a sentence the position of the sentence in the batch",
        repair="Count the words of a sentence: n is the last axis of ids.",
    ),
    Slip(
        "batch",
        "asked for as many positions as there are sentences in the batch",
        repair="n is the length of a sentence: the last axis of ids.",
    ),
    Slip(
        "ids",
        "used the ids as positions",
        repair="The position is where a word is in the sentence, not which word it is.",
    ),
    Slip(
        "other ids",
        "looked up each id minus 1, as if the ids were those of a vocabulary that begins with 1",
        "M27",
        "Row i of E belongs to the id i.",
    ),
    Slip(
        "product",
        "multiplied the embeddings by the positions instead of adding them",
        repair="Add the two vectors.",
    ),
    Slip(
        "side by side",
        "put the positions beside the embeddings instead of adding them",
        repair="Add the two vectors; the width stays d_model.",
    ),
)


def position_vectors(positions: np.ndarray, d_model: int) -> np.ndarray:
    """Return the vectors of some positions, (..., d_model)."""
    pair = np.arange(d_model) // 2  # 0, 0, 1, 1, 2, 2, ...
    angle = positions[..., None] / 10000 ** (2 * pair / d_model)
    return np.where(np.arange(d_model) % 2 == 0, np.sin(angle), np.cos(angle))


def reference(ids, E, slips: Set[str] = frozenset()):
    (batch, n), (words, d_model) = ids.shape, E.shape
    size = words if "words" in slips else n if "length" in slips else d_model
    factor = size if "width" in slips else np.sqrt(size)
    factor = 1 / factor if "divided" in slips else factor
    positions = np.tile(np.arange(n), (batch, 1))
    if "same place" in slips:
        positions = 0 * positions
    elif "sentences" in slips:
        positions = np.tile(np.arange(batch)[:, None], (1, n))
    elif "batch" in slips:
        positions = np.broadcast_to(np.arange(batch), (batch, n))
    elif "ids" in slips:
        positions = ids
    PE = position_vectors(positions + ("from 1" in slips), d_model)
    x = E[ids - ("other ids" in slips)]
    if "scaled positions" in slips:
        PE = factor * PE
    elif "no factor" not in slips and "sum" not in slips:
        x = factor * x
    if "side by side" in slips:
        y = np.concatenate([x, PE], axis=-1)
    elif "product" in slips:
        y = x * PE
    else:
        y = x if "no positions" in slips else x + PE
    return factor * y if "sum" in slips else y


def embed(ids, E):
    n, d_model = ids.shape[-1], E.shape[-1]
    return E[ids] * np.sqrt(d_model) + positional_encoding(n, d_model)


def trial_arguments(rng) -> Iterator[tuple]:
    E = np.array([[0.0, 1.0, 2.0, 3.0], [1.0, 0.0, -1.0, 1.0], [2.0, 2.0, 0.0, 1.0]])
    yield np.array([[1]]), E  # √4 = 2, and position 0 is 0, 1, 0, 1
    yield np.array([[2, 0]]), E
    yield np.array([[1, 1, 0], [0, 2, 1]]), E
    for batch, n, words, d_model, dtype in (
        (1, 5, 7, 2, float),
        (2, 3, 5, 6, float),
        (3, 4, 11, 8, float),
        (4, 2, 3, 10, np.float32),
    ):
        ids = rng.integers(words, size=(batch, n))
        yield ids, rng.normal(size=(words, d_model)).astype(dtype)


def _tells_positions_apart(function, arguments, returned_arrays) -> bool:
    ids, E = arguments
    same = function(0 * ids, E)[0]  # one word in all places
    return ids.shape[1] == 1 or not np.allclose(same[:, 0], same[:, 1])


def _treats_sentences_separately(function, arguments, returned_arrays) -> bool:
    ids, E = arguments
    return np.allclose(function(ids[-1:], E)[0], returned_arrays[0][-1:], atol=1e-4)


TASK = Task(
    "embed",
    "words/fusion#the-input-of-a-transformer",
    STUB,
    reference,
    embed,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "a word has the same vector at every position", _tells_positions_apart
        ),
        Property(
            "a sentence gives one result alone and another result in a batch",
            _treats_sentences_separately,
        ),
    ),
    hints=(
        "Two vectors are added for each word: one says which word it is, the other where it is.",
        "E[ids] is the array of embeddings. Multiply it by √d_model, then add the vectors of the n "
        "positions, the same for each sentence of the batch.",
        "Return E[ids] * np.sqrt(d_model) + positional_encoding(n, d_model), where n is ids.shape[-1] and "
        "d_model is E.shape[-1].",
    ),
    differentiable=("E",),
)
