"""What a run learns from, in which order: both directions of the pairs, then the wanted one."""

from transformer_book.config import ConfigError
from transformer_book.train import distributed

from ..translations.translate_corpus import translate_corpus

LENGTH_PENALTY = 1.0  # of the search that translates back


def turned_around(corpus, pairs):
    """Return pairs with source and target exchanged.

    Parameters
    ----------
    corpus : ParallelCorpus
        Whose ids the pairs hold.
    pairs : list of (list of int, list of int)

    Returns
    -------
    list of (list of int, list of int)

    Raises
    ------
    ConfigError
        If each language has a vocabulary of its own: an id then has two meanings.
    """
    if [*corpus.source_vocabulary] != [*corpus.target_vocabulary]:
        raise ConfigError(
            f"Settings: bidirectional is set, but in {corpus.name} each language has a vocabulary "
            "of its own; expected 0, or a corpus with a joint vocabulary, such as multi30k."
        )
    return [(target, source) for source, target in pairs]


def back_translations(model, pairs, beams):
    """Let a model that knows both directions translate each target back.

    For neural models this is by Sennrich, Haddow and Birch (2016), of targets that nobody has
    translated. Here the targets have a source already and get another one, as Nguyen et al.
    (2020) do it with several models.

    Parameters
    ----------
    model : Transformer
        Every process takes its shard.
    pairs : list of (list of int, list of int)
    beams : int

    Returns
    -------
    list of list of int
        A source for each pair, without marks; empty where the search came to no end.
    """
    rank, size = distributed.rank(), distributed.world_size()
    targets = [target for _, target in pairs]
    mine = translate_corpus(model, targets[rank::size], beams, LENGTH_PENALTY)
    parts = distributed.all_gather([h.ids if h.finished else [] for h in mine])
    found = [[] for _ in pairs]
    for other, part in enumerate(parts):
        found[other::size] = part
    return found


def both_directions(model, pairs, turned, settings, history, cut=list):
    """Give the batches of a run, from where its history stands.

    Parameters
    ----------
    model : Transformer
        Translates the targets back, once the second direction goes.
    pairs, turned : list of (list of int, list of int)
        What is to be learned, and what the first ``settings.bidirectional`` steps learn as well.
    settings : RunSettings
    history : History
        Of the caller, who counts the steps. Keeps what is found.
    cut : callable
        What becomes of the pairs of all epochs: as of :class:`Recutting`, or they stay as they are.

    Yields
    ------
    epoch, done, batch
        As of ``Settings.batches``. When the second direction goes, a new epoch begins.
    """
    epoch, done, pad_id = history.epoch, history.batch, model.config.pad_id
    if history.step < settings.bidirectional:
        for found in settings.batches(cut(pairs + turned), epoch, done, pad_id):
            yield found
            if history.step == settings.bidirectional:
                break
    if 0 < history.step == settings.bidirectional:
        epoch, done = history.epoch + 1, 0
    if settings.back_beams and history.synthetic is None:
        history.synthetic = back_translations(model, pairs, settings.back_beams)
    more = synthetic_pairs(pairs, history.synthetic or [], settings.tokens)
    yield from settings.batches(cut(pairs + more), epoch, done, pad_id)


def synthetic_pairs(pairs, back, tokens):
    """Return the pairs that ``back_translations`` add: none empty, too long or already there."""
    return [
        (found, target)
        for found, (source, target) in zip(back, pairs)
        if 0 < len(found) < tokens and found != source
    ]
