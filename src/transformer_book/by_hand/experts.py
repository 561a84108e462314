"""A feed-forward network in several parts, the experts, of which each word passes a few."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Float

from ..expect import expect_integer, is_integer, refusal
from ..options import ConfigError
from ..shapes import ShapeError, checked
from .attention import softmax


@checked
def route(
    x: Float[np.ndarray, "*batch d_model"],
    W_router: Float[np.ndarray, "d_model experts"],
    active: int,
    capacity: int | None = None,
) -> tuple[Float[np.ndarray, "*batch experts"], Float[np.ndarray, "*batch experts"]]:
    r"""Choose for each word the experts with the largest probabilities, and weigh them.

    .. math:: P = \mathrm{softmax}(xW_{router}), \qquad
              w_i = \frac{P_i}{\sum_{j\,\mathrm{chosen}} P_j} \;\text{ for the chosen, else } 0

    Of several active experts the weights sum to 1, as in Jiang et al. (2024). A single one keeps its
    probability as its weight, as in Fedus et al. (2022): divided by itself it would always be 1, and
    nothing would teach the router.

    Parameters
    ----------
    x : array, (..., d_model)
        Vectors of words; all leading axes together are the words of one batch.
    W_router : array, (d_model, experts)
    active : int
        Experts of a word.
    capacity : int, optional
        The most words that an expert takes of the batch. First choices come before second ones, and
        among these an earlier word before a later. What is beyond is dropped: its weight becomes 0, and
        those of the word's other experts stay as they are. Without it nothing is dropped.

    Returns
    -------
    weights : array, (..., experts)
        0 for the experts that do not get the word.
    P : array, (..., experts)
        The router's probabilities.

    Raises
    ------
    ShapeError, ConfigError
        Naming the argument, what was given and what is expected: the first for arrays, the second for
        numbers of experts or words.
    """
    experts = W_router.shape[-1]
    check_active("route", active, experts)
    check_capacity("route", capacity)
    P = softmax(x.reshape(-1, x.shape[-1]) @ W_router)  # (words, experts)
    chosen = np.argsort(-P, axis=-1, kind="stable")[:, :active]  # (words, active)
    weights = np.take_along_axis(P, chosen, axis=-1)
    if active > 1:
        weights = weights / weights.sum(axis=-1, keepdims=True)
    if capacity is not None:
        takes = np.eye(experts, dtype=int)[chosen.T.ravel()]  # first choices first
        place = (takes.cumsum(axis=0) * takes).sum(axis=-1)  # in its expert's queue
        weights = weights * (place <= capacity).reshape(active, -1).T
    w = np.zeros_like(P)  # (words, experts)
    np.put_along_axis(w, chosen, weights, axis=-1)
    shape = (*x.shape[:-1], experts)
    return w.reshape(shape), P.reshape(shape)


@checked
def mixture_of_experts(
    x: Float[np.ndarray, "*batch d_model"],
    W_router: Float[np.ndarray, "d_model experts"],
    experts: Sequence[Callable],
    active: int,
    capacity: int | None = None,
) -> tuple[Float[np.ndarray, "*batch d_model"], Float[np.ndarray, "*batch experts"]]:
    r"""Pass each word through its experts, and add up what they make of it by their weights.

    .. math:: y = \sum_{i\,\mathrm{chosen}} w_i\,\mathrm{expert}_i(x)

    Each expert is called once, with the rows of its words. A word that all its experts have dropped
    gets 0, and only the residual connection carries it on. Shazeer et al. (2017).

    Parameters
    ----------
    x, W_router, active, capacity
        As in :func:`route`.
    experts : sequence of callable
        Each takes rows, (words, d_model), and returns as many, such as a ``feed_forward`` with its weights.

    Returns
    -------
    output : array, (..., d_model)
    weights : array, (..., experts)
        Of :func:`route`.

    Raises
    ------
    ShapeError, ConfigError
        As :func:`route`; the first also if there are not as many experts as columns of ``W_router``.
    """
    check_experts("mixture_of_experts", len(experts), W_router.shape[-1])
    weights, _ = route(x, W_router, active, capacity)
    rows, w = x.reshape(-1, x.shape[-1]), weights.reshape(-1, len(experts))
    output = np.zeros_like(rows)
    for i, expert in enumerate(experts):
        words = np.flatnonzero(w[:, i])  # gather the rows of this expert's words
        output[words] += w[words, i, None] * expert(rows[words])  # and put them back
    return output.reshape(x.shape), weights


@checked
def balancing_loss(P: Float[np.ndarray, "*batch experts"], active: int) -> float:
    r"""Return how unevenly the words of a batch are spread over the experts; 1 where all get as many.

    .. math:: E \sum_{i=1}^{E} f_i\,\bar{P}_i

    With E experts, the share f of all choices that falls on each, whatever is dropped later, and the mean
    of each one's probability over the words. Equation (4) of Fedus et al. (2022), for any number of
    choices.

    Parameters
    ----------
    P : array, (..., experts)
        The router's probabilities for each word.
    active : int
        Experts of a word.

    Returns
    -------
    float

    Raises
    ------
    ShapeError, ConfigError
        Naming the argument, what was given and what is expected: the first for arrays, the second for
        numbers of experts or words.
    """
    experts = P.shape[-1]
    check_active("balancing_loss", active, experts)
    P = P.reshape(-1, experts)
    chosen = np.argsort(-P, axis=-1, kind="stable")[:, :active]
    f = np.bincount(chosen.ravel(), minlength=experts) / chosen.size
    return experts * float(f @ P.mean(axis=0))


def check_active(function_name: str, active: int, expert_count: int) -> None:
    """Raise ConfigError unless a word can be sent to ``active`` of the experts."""
    if not is_integer(active) or not 1 <= active <= expert_count:
        actual = f"active is {active!r} and there are {expert_count} experts"
        expected = f"a whole number from 1 to {expert_count}"
        remedy = "Choose fewer active experts, or have more experts."
        raise refusal(ConfigError, function_name, actual, expected, remedy)


def check_capacity(function_name: str, capacity: int | None) -> None:
    """Raise ConfigError unless it is None or a number of words that an expert can take."""
    if capacity is not None:
        what, remedy = "None, or a number of words", "Choose None to drop no word."
        expect_integer(
            ConfigError, function_name, "capacity", capacity, what, remedy=remedy
        )


def check_experts(function_name: str, expert_count: int, router_columns: int) -> None:
    """Raise ShapeError unless the router has a column for each expert."""
    if expert_count != router_columns:
        actual = f"{expert_count} experts and a W_router of {router_columns} columns"
        expected, remedy = (
            "a column for each expert",
            "Give as many experts as the router knows.",
        )
        raise refusal(ShapeError, function_name, actual, expected, remedy)
