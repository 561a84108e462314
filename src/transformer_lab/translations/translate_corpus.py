"""Beam search for more sentences than fit into a batch."""

from transformer_book import progress
from transformer_book.data.batches import collate
from transformer_book.decode.beam import Hypothesis, beam_search

SENTENCES_AT_ONCE = 100  # sentences that are translated at one time


def translate_corpus(
    model, sources: list[list[int]], beams: int, length_penalty, copied_ids=()
) -> list[Hypothesis]:
    """Translate many sentences by beam search, those of similar length together.

    Parameters
    ----------
    model : Transformer
    sources : list of list of int
        Ids without marks.
    beams, length_penalty, copied_ids
        As in :func:`beam_search`.

    Returns
    -------
    list of Hypothesis
        The best one for each sentence, in the order of the sentences.

    Raises
    ------
    DecodeError
        Naming the setting, its value and what was expected.
    """
    best: list = [None] * len(sources)
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    with progress.make_progress_bar(len(sources), "sentence", "translating") as bar:
        for start in range(0, len(order), SENTENCES_AT_ONCE):
            indices = order[start : start + SENTENCES_AT_ONCE]
            pairs = [(sources[i], []) for i in indices]
            source = collate(pairs, model.config.pad_id).source
            for i, (hypothesis, *_) in zip(
                indices,
                beam_search(
                    model, source, beams, length_penalty, copied_ids=copied_ids
                ),
            ):
                best[i] = hypothesis
            bar.update(len(indices))
    return best
