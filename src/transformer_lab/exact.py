"""How many sentences a model translates exactly."""

from transformer_book.data import collate
from transformer_book.decode.greedy import greedy


def exact_match(model, corpus, pairs, write=greedy, rows=250) -> float:
    """Return the share of sentences whose translation is the corpus's own, token by token.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
        For example ``corpus.test``.
    write : callable
        Turns a model and source ids into lists of target ids, as :func:`greedy` does.
    rows : int
        How many sentences are translated at one time.

    Returns
    -------
    float
        From 0 to 1.

    Raises
    ------
    DataError
        If there is no pair.
    """
    ids, right = corpus.ids(pairs), 0
    for start in range(0, max(len(ids), 1), rows):
        some = ids[start : start + rows]
        written = write(model, collate(some).source)
        right += sum(
            list(out) == list(target) for out, (_, target) in zip(written, some)
        )
    return right / len(ids)
