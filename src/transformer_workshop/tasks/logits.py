"""The output layer: one number for each word of the vocabulary."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def logits(x, E):  # (batch, n, d_model) -> (batch, n, words)
    """Compare each vector with the embedding of every word, by the dot product of the two.

    The larger this number, the likelier the word. x: (batch, n, d_model), what the last layer
    returns. E: (words, d_model), the matrix of the embeddings, used a second time. Return the dot
    products themselves; softmax comes later, in another function.
    """
'''

SLIPS = (
    Slip(
        "softmax",
        "returned probabilities, because you took the softmax",
        repair="Return the dot products themselves; the loss takes the softmax.",
    ),
    Slip(
        "log softmax",
        "returned the logarithms of probabilities",
        repair="Return the dot products themselves; the loss takes the softmax.",
    ),
    Slip(
        "times root",
        "multiplied by √d_model, as for the input",
        repair="The factor belongs to the embeddings at the input; here E is used as it is.",
    ),
    Slip(
        "over root",
        "divided by √d_model, as for the scores of attention",
        repair="Logits are the dot products as they are.",
    ),
    Slip(
        "straight",
        "multiplied by E as it is instead of E transposed",
        repair="A logit is a dot product with a row of E, so E has to be transposed.",
    ),
    Slip(
        "transposed",
        "returned a row for each word of the vocabulary instead of a row for each position",
        repair="Positions come first, and words are the last axis: multiply x by E transposed.",
    ),
    Slip(
        "last",
        "returned the logits of the last position alone",
        repair="Every position predicts its next word, so return the logits of all positions.",
    ),
    Slip(
        "chosen",
        "returned the most likely word instead of its logits",
        repair="Return all the numbers; decoding chooses among the words later.",
    ),
    Slip(
        "norm",
        "normalised the vectors once more",
        "M24",
        "A Post-LN layer ends with a norm already; multiply x as it is.",
    ),
    Slip(
        "cosine",
        "divided by the lengths of both vectors, which makes it the cosine similarity",
        repair="Each logit is the dot product as it is.",
    ),
    Slip(
        "unit rows",
        "scaled the rows of E to length 1",
        repair="Use E as it is.",
    ),
    Slip(
        "sign",
        "returned the negative logits",
        repair="A large dot product has to give a large logit.",
    ),
)


def reference(x, E, slips: Set[str] = frozenset()):
    with np.errstate(all="ignore"):
        if "norm" in slips:
            deviation = x - x.mean(axis=-1, keepdims=True)
            variance = (deviation**2).mean(axis=-1, keepdims=True)
            x = deviation / np.sqrt(variance + 1e-5)
        if "cosine" in slips:
            x = x / np.linalg.norm(x, axis=-1, keepdims=True)
        if "cosine" in slips or "unit rows" in slips:
            E = E / np.linalg.norm(E, axis=-1, keepdims=True)
    y = x @ E if "straight" in slips else np.einsum("bnd,wd->bnw", x, E)
    root = np.sqrt(x.shape[-1])
    y = y * root if "times root" in slips else y
    y = y / root if "over root" in slips else y
    y = -y if "sign" in slips else y
    if "softmax" in slips or "log softmax" in slips:
        y = y - y.max(axis=-1, keepdims=True)
        y = y - np.log(np.exp(y).sum(axis=-1, keepdims=True))
        y = np.exp(y) if "softmax" in slips else y
    y = y[:, -1:] if "last" in slips else y
    if "chosen" in slips:
        return y.argmax(axis=-1)
    return np.swapaxes(y, -1, -2) if "transposed" in slips else y


def logits(x, E):
    return x @ E.T


def trial_arguments(rng) -> Iterator[tuple]:
    yield np.array([[[2.0, 1.0]]]), np.array([[1.0, 0.0], [1.0, 1.0]])
    # The lesson's three words: black, cat and rug.
    E = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    yield np.array([[[2.0, 1.0]]]), E
    yield np.array([[[1.0, 3.0], [-2.0, 1.0]]]), np.array([[1.0, 1], [0, 3], [2, -1]])
    for batch, n, words, d_model, dtype in (
        (1, 3, 4, 4, float),
        (2, 3, 5, 4, float),
        (3, 2, 4, 6, float),
        (2, 4, 7, 3, np.float32),
    ):
        shapes = (batch, n, d_model), (words, d_model)
        yield tuple(rng.normal(size=shape).astype(dtype) for shape in shapes)


def _doubles_with_input(function, arguments, returned_arrays) -> bool:
    x, E = arguments
    return np.allclose(
        function(2 * x, E)[0], 2 * returned_arrays[0], rtol=1e-3, atol=1e-4
    )


def _follows_word_order(function, arguments, returned_arrays) -> bool:
    x, E = arguments
    return np.allclose(
        function(x, E[::-1].copy())[0], returned_arrays[0][..., ::-1], atol=1e-4
    )


TASK = Task(
    "logits",
    "transformer/stacks#from-the-last-vector-to-the-next-word",
    STUB,
    reference,
    logits,
    trial_arguments,
    SLIPS,
    properties=(
        Property("twice the vectors do not give twice the logits", _doubles_with_input),
        Property(
            "the logit of a word depends on its place in the table", _follows_word_order
        ),
    ),
    hints=(
        "A logit is the dot product of the vector at a position with the embedding of a word.",
        "All dot products at once are one matrix product, with E transposed.",
        "x @ E.T has the shape (batch, n, words).",
    ),
    differentiable=("x", "E"),
)
