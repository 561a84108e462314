"""The language model that only counts: interpolated Kneser-Ney, to compare ours with."""

import numpy as np
from jaxtyping import Float, Int

from transformer_book.expect import expect_integer, refusal
from transformer_book.options import ConfigError
from transformer_book.shapes import ShapeError


class KneserNey:
    r"""An n-gram model: how often a token followed the last few, mixed with fewer and fewer.

    .. math:: p(w \mid u) = \frac{\max(c(uw) - D, 0)}{c(u)} + \frac{D\, t(u)}{c(u)}\, p(w \mid u')

    with t(u) the different tokens that followed the context u, c(u) how often any did, and u' the
    context without its oldest token. Below the highest order a count is of contexts: in how many
    different ones uw stood. A context that was never seen leaves the word to u'. Kneser and Ney
    (1995), in the interpolated form of Chen and Goodman (1999), as ``nltk.lm`` has it.

    Parameters
    ----------
    ids : integer array, (tokens,)
        The text to count.
    order : int
        Tokens of a gram: 1 looks at none before, 2 at one.
    words : int
        Size of the vocabulary.
    discount : float
        D, what is taken from each count for what was never seen.

    Raises
    ------
    ShapeError
        If the text is shorter than a gram.
    ConfigError
        If there are more grams than 64 bits can tell apart.
    """

    def __init__(self, ids, order, words, discount=0.75):
        who, what = "KneserNey", "tokens of a gram"
        remedy = "Choose 1 to count single words."
        expect_integer(ConfigError, who, "order", order, what, remedy=remedy)
        name, remedy = "the number of tokens", "Take a longer text, or a lower order."
        expect_integer(
            ShapeError, who, name, len(ids), "a text", order + 1, remedy=remedy
        )
        if words ** (order + 1) >= 2**63:
            order_and_words = f"order is {order} with {words} words"
            expected = "so few that their grams can be numbered in 64 bits"
            raise refusal(
                ConfigError, who, order_and_words, expected, "Choose a lower order."
            )
        self.order, self.words, self.discount = order, words, discount
        self.tables = []
        for k in range(1, order + 1):
            grams, counts = self._count_grams(
                np.asarray(ids), k, is_highest_order=k == order
            )
            contexts, start = np.unique(grams // words, return_index=True)
            total, kinds = np.add.reduceat(counts, start), np.diff([*start, len(grams)])
            self.tables.append((grams, counts, contexts, total, kinds))

    def _count_grams(
        self, ids: np.ndarray, k: int, is_highest_order: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        if is_highest_order:
            return np.unique(self._gram_numbers(ids, k), return_counts=True)
        # The counts are not needed, but NumPy sorts to count and else hashes, which is far slower.
        longer, _ = np.unique(self._gram_numbers(ids, k + 1), return_counts=True)
        return np.unique(longer % self.words**k, return_counts=True)

    def _gram_numbers(self, ids: np.ndarray, k: int) -> np.ndarray:
        """Number each run of k tokens, (tokens - k + 1,); a run's last token counts least."""
        runs = np.lib.stride_tricks.sliding_window_view(ids.astype(np.int64), k)
        return runs @ self.words ** np.arange(k)[::-1]

    def losses(self, ids: Int[np.ndarray, "tokens"]) -> Float[np.ndarray, "tokens"]:
        """Return minus the log-probability of each token after those before it, in nats.

        The first tokens have a shorter context. A token that the counted text does not have costs
        infinitely much.
        """
        ids = np.asarray(ids)
        grams, counts, *_ = self.tables[0]
        p = _values_or_zeros(ids, grams, counts) / counts.sum()
        for k, (grams, counts, contexts, total, kinds) in enumerate(
            self.tables[1:], start=2
        ):
            grams_of_text = self._gram_numbers(ids, k)
            contexts_of_text = grams_of_text // self.words
            count = _values_or_zeros(grams_of_text, grams, counts)
            context_count = _values_or_zeros(contexts_of_text, contexts, total)
            followers = _values_or_zeros(contexts_of_text, contexts, kinds)
            lower = p[k - 1 :]
            discounted = np.maximum(count - self.discount, 0)
            mixed = discounted + self.discount * followers * lower
            mixed = mixed / np.maximum(context_count, 1)
            p[k - 1 :] = np.where(context_count > 0, mixed, lower)
        with np.errstate(divide="ignore"):
            return -np.log(p)


def _values_or_zeros(
    queries: np.ndarray, sorted_keys: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Return the value of each query, 0 where it is not among the sorted keys."""
    positions = np.searchsorted(sorted_keys, queries).clip(max=len(sorted_keys) - 1)
    return np.where(sorted_keys[positions] == queries, values[positions], 0)
