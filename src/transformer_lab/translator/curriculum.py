"""What a run learns from, in which order: both directions of the pairs, then the wanted one."""

from collections.abc import Callable

from transformer_book.config import ConfigError
from transformer_book.train import distributed

from ..translations.translate_corpus import translate_corpus

BACK_TRANSLATION_LENGTH_PENALTY = 1.0  # of the search that translates back


def swapped_pairs(corpus, pairs) -> list[tuple]:
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
        If the languages have different vocabularies: an id then has two meanings.
    """
    if [*corpus.source_vocabulary] != [*corpus.target_vocabulary]:
        raise ConfigError(
            f"Settings: bidirectional is set, but in {corpus.name} each language has its "
            "own vocabulary; expected 0, or a corpus with a joint vocabulary, such as multi30k."
        )
    return [(target, source) for source, target in pairs]


def back_translations(model, pairs, beams: int) -> list[list[int]]:
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
    hypotheses = translate_corpus(
        model, targets[rank::size], beams, BACK_TRANSLATION_LENGTH_PENALTY
    )
    all_translations = distributed.all_gather(
        [h.ids if h.finished else [] for h in hypotheses]
    )
    back = [[] for _ in pairs]
    for process, translations in enumerate(all_translations):
        back[process::size] = translations
    return back


def both_direction_batches(
    model, pairs, reversed_pairs, settings, history, cut_pairs: Callable = list
):
    """Give the batches of a run, from where its history stands.

    Parameters
    ----------
    model : Transformer
        Translates the targets back, once the second direction goes.
    pairs, reversed_pairs : list of (list of int, list of int)
        What is to be learned, and what the first ``settings.bidirectional`` steps learn as well.
    settings : RunSettings
    history : History
        Of the caller, who counts the steps. Gets the back-translations.
    cut_pairs : callable
        What becomes of the pairs of all epochs: as of :class:`Recutting`, or they stay as they are.

    Yields
    ------
    epoch, done, batch
        As of ``Settings.batches``. When the second direction goes, a new epoch begins.
    """
    epoch, done, pad_id = history.epoch, history.batch, model.config.pad_id
    if history.step_count < settings.bidirectional:
        for batch in settings.batches(
            cut_pairs(pairs + reversed_pairs), epoch, done, pad_id
        ):
            yield batch
            if history.step_count == settings.bidirectional:
                break
    if 0 < history.step_count == settings.bidirectional:
        epoch, done = history.epoch + 1, 0
    if settings.back_beams and history.synthetic is None:
        history.synthetic = back_translations(model, pairs, settings.back_beams)
    extra = synthetic_pairs(pairs, history.synthetic or [], settings.tokens)
    yield from settings.batches(cut_pairs(pairs + extra), epoch, done, pad_id)


def synthetic_pairs(
    pairs, back_translated: list[list[int]], max_tokens: int
) -> list[tuple]:
    """Return the pairs that ``back_translations`` add: none empty, too long or already there."""
    return [
        (translation, target)
        for translation, (source, target) in zip(back_translated, pairs)
        if 0 < len(translation) < max_tokens and translation != source
    ]
