"""The loss in training: cross-entropy with label smoothing, as a mean over the words."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task

STUB = '''
def smoothed_loss(logits, labels, smoothing, pad_id):  # -> a number
    """Return the mean, over all labels that are not pad_id, of the cross-entropy in nats.

    logits: (batch, m, words), labels: (batch, m), ids. At each position, the cross-entropy is
    -sum(q · log p) over the words: p is the softmax of the logits, and q is (1 - smoothing) times the
    one-hot vector of the label, plus smoothing / words for every word, including the label and padding.
    Logits of 1000 and -1000 must not overflow: the loss stays finite.
    """
'''

SLIPS = (
    Slip(
        "means",
        "took the mean of each sentence, and then the mean of these means",
        "M42",
        "Sum over the whole batch, and divide once by the number of labels that are not pad_id.",
    ),
    Slip(
        "padding",
        "let the padding count like a word",
        repair="Positions whose label is pad_id do not count.",
    ),
    Slip(
        "divisor",
        "left the padding out of the sum, but divided by all positions",
        repair="Divide by the number of labels that are not pad_id.",
    ),
    Slip(
        "sentences",
        "divided by the number of sentences",
        repair="Divide by the number of labels that are not pad_id.",
    ),
    Slip(
        "sum",
        "returned the sum instead of the mean",
        repair="Divide by the number of labels that are not pad_id.",
    ),
    Slip(
        "zero",
        "took 0 for the id of the padding, whatever pad_id is",
        repair="Compare the labels with pad_id.",
    ),
    Slip(
        "sharp",
        "ignored the smoothing",
        repair="q gives every word the share smoothing / words.",
    ),
    Slip(
        "exchanged",
        "gave the label the share smoothing instead of 1 - smoothing",
        repair="With smoothing 0, q is the one-hot vector of the label.",
    ),
    Slip(
        "others",
        "spread the smoothing over the words - 1 other words",
        repair="The label gets the share smoothing / words as well.",
    ),
    Slip(
        "two less",
        "spread the smoothing over the words without the label and the padding",
        repair="Every word gets the share smoothing / words, including these two.",
    ),
    Slip(
        "less than 1",
        "left out the label's own share smoothing / words, so q sums to less than 1",
        repair="The label has 1 - smoothing + smoothing / words.",
    ),
    Slip(
        "more than 1",
        "did not take the smoothing off the label, so q sums to more than 1",
        repair="The one-hot vector is multiplied by 1 - smoothing.",
    ),
    Slip(
        "divergence",
        "subtracted the entropy of q, as the Kullback-Leibler divergence does",
        repair="The cross-entropy is -sum(q · log p) alone.",
    ),
    Slip("bits", "took the logarithm to the base 2", repair="Nats need np.log."),
    Slip("sign", "forgot the minus sign", repair="A loss is never negative."),
    Slip(
        "logits",
        "took the logits for log-probabilities",
        repair="log p is the logarithm of the softmax of the logits.",
    ),
    Slip(
        "probabilities",
        "took the logits for probabilities",
        repair="p is the softmax of the logits.",
    ),
    Slip(
        "twice",
        "applied softmax twice",
        repair="If a function takes the softmax itself, give it the logits, not p.",
    ),
    Slip(
        "positions",
        "normalised over the positions instead of the words",
        "M4",
        "The words are the last axis of the logits.",
    ),
    Slip(
        "reshape",
        "reshaped the logits to (batch, words, m) instead of exchanging two axes",
        repair="A reshape mixes the positions with the words: use logits.mT or swapaxes.",
    ),
    Slip(
        "overflow",
        "took the exponential of logits that are too large, so it overflowed",
        repair="Subtract the largest logit of each position first.",
    ),
    Slip(
        "log of 0",
        "took the logarithm of a probability that was rounded to 0",
        repair="Subtract the largest logit of each position first; then log p is the logit - "
        "log(sum(exp(logits))), and no p is needed.",
    ),
)


def log_softmax_with_slips(x: np.ndarray, slips: Set[str]) -> np.ndarray:
    axis = -2 if "positions" in slips else -1
    if "overflow" not in slips:
        x = x - x.max(axis=axis, keepdims=True)
    total = np.exp(x).sum(axis=axis, keepdims=True)
    return np.log(np.exp(x) / total) if "log of 0" in slips else x - np.log(total)


def reference(logits, labels, smoothing, pad_id, slips: Set[str] = frozenset()):
    words, x = logits.shape[-1], logits.astype(float)
    if "reshape" in slips:
        x = x.reshape(len(x), words, -1).swapaxes(1, 2)
    log_p = np.log(x) if "probabilities" in slips else log_softmax_with_slips(x, slips)
    if "twice" in slips:
        log_p = log_softmax_with_slips(np.exp(log_p), slips)
    log_p = x if "logits" in slips else log_p
    one_hot = labels[..., None] == np.arange(words)
    e = 0.0 if "sharp" in slips else smoothing
    e = 1 - e if "exchanged" in slips else e
    shares = {
        "others": (1 - e, e / (words - 1)),
        "two less": (1 - e, e / (words - 2)),
        "less than 1": (1 - e, e / words),
        "more than 1": (1 + e / words, e / words),
        "": (1 - e + e / words, e / words),
    }
    label, other = next(shares[s] for s in shares if s in slips or not s)
    q = np.where(one_hot, label, other)
    if "two less" in slips:
        q[..., pad_id] = 0
    terms = np.where(q == 0, 0, q * log_p)
    if "divergence" in slips:
        terms -= q * np.log(np.where(q > 0, q, 1))
    losses = terms.sum(axis=-1) * (1 if "sign" in slips else -1)
    losses = losses / np.log(2) if "bits" in slips else losses
    keep = labels != (0 if "zero" in slips else pad_id)
    keep = np.ones_like(keep) if "padding" in slips else keep
    losses = np.where(keep, losses, 0)
    if "means" in slips:
        return (losses.sum(axis=1) / keep.sum(axis=1)).mean()
    count = keep.size if "divisor" in slips else keep.sum()
    count = len(labels) if "sentences" in slips else 1 if "sum" in slips else count
    return losses.sum() / count


def smoothed_loss(logits, labels, smoothing, pad_id):
    x = logits - logits.max(axis=-1, keepdims=True)
    log_p = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    of_label = np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]
    losses = -(1 - smoothing) * of_label - smoothing * log_p.mean(axis=-1)
    return losses[labels != pad_id].mean()


def trial_arguments(rng) -> Iterator[tuple]:
    yield np.zeros((1, 2, 3)), np.array([[2, 0]]), 0.0, 0
    yield np.array([[[0.0, 1.0, 2.0], [1.0, 0.0, 0.0]]]), np.array([[0, 2]]), 0.0, 2
    pair = [[[0.0, 2.0, 1.0], [0.0, 1.0, 0.0]], [[1.0, 0.0, 3.0], [0.0, 0.0, 1.0]]]
    yield np.array(pair), np.array([[1, 2], [2, 0]]), 0.5, 0
    for batch, m, words, pad_id, kind in ((2, 3, 5, 0, "d"), (3, 4, 6, 2, "f")):
        logits = rng.normal(size=(batch, m, words)).astype(kind)
        labels = (rng.integers(1, words, (batch, m)) + pad_id) % words
        labels[0, 1:] = pad_id
        yield logits, labels, 0.1, pad_id
        yield 3 * logits, labels, 0.4, pad_id
    yield np.array([[[1000.0, 998.0, 999.0]]]), np.array([[1]]), 0.0, 0
    yield np.array([[[0.0, -1000.0, 1.0]]]), np.array([[1]]), 0.3, 0
    logits = np.array([[[1000.0, -1000.0, -1000.0]], [[-1000.0, -1000.0, -999.0]]])
    yield logits, np.array([[1], [2]]), 0.25, 0  # no shift serves both positions


def is_large_for_excluded_label(function, arguments, returned_arrays) -> bool:
    """Whether the loss of a label that is as good as ruled out is as large as it should be."""
    logits = np.array([[[0.0, -800.0, -800.0, 0.0]]])
    return function(logits, np.array([[1]]), 0.0, 0)[0] > 700


TASK = Task(
    "smoothed_loss",
    "transformer/training_lab#how-wrong-is-an-answer",
    STUB,
    reference,
    smoothed_loss,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the loss is not a finite number: exp overflows where a logit is 1000, unless the largest logit "
            "of the position is subtracted first",
            lambda function, x, returned_arrays: np.isfinite(returned_arrays[0]).all(),
        ),
        Property(
            "a label of probability 0 costs too little, as if p were clipped before the logarithm",
            is_large_for_excluded_label,
        ),
    ),
    hints=(
        "Compute log p of every word, then a loss for each position, then the mean without the padding.",
        "log p is logit - max - log(sum(exp(logit - max))). The loss of a position is -(1 - smoothing) "
        "times the label's log p, minus smoothing times the mean of log p over the words.",
        "np.take_along_axis(log_p, labels[..., None], axis=-1) picks the labels' entries. Then take "
        "losses[labels != pad_id].mean().",
    ),
    differentiable=("logits",),
)
