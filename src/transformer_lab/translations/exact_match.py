"""How many sentences a model translates exactly."""

from transformer_book.data import collate
from transformer_book.decode.greedy import greedy


def exact_match(model, corpus, pairs, translate=greedy, batch_rows=250) -> float:
    """Return the share of sentences whose translation is one of the references.

    Exact match with multiple references: a translation counts if it is, token by token, one of
    those that ``corpus.references`` gives. In the grammar these are all that are right; a corpus
    of one translation for each sentence has that one reference.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
        For example ``corpus.test``.
    translate : callable
        Turns a model and source ids into lists of target ids, as :func:`greedy` does.
    batch_rows : int
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
    correct = 0
    for start in range(0, max(len(pairs), 1), batch_rows):
        chunk = pairs[start : start + batch_rows]
        translations = translate(
            model, collate(corpus.ids(chunk), model.config.pad_id).source
        )
        correct += sum(
            is_reference(corpus, pair, ids) for ids, pair in zip(translations, chunk)
        )
    return correct / len(pairs)


def is_reference(corpus, pair, ids) -> bool:
    """Say whether a translation is one of the references of a pair.

    Parameters
    ----------
    corpus : ParallelCorpus
    pair : (sequence of str, sequence of str)
        The translation in the pair is a reference, too.
    ids : iterable of int
        The translation, without marks.

    Returns
    -------
    bool
    """
    tokens = tuple(corpus.target_vocabulary.tokens(ids))
    return tokens == tuple(pair[1]) or tokens in corpus.references(pair)
