"""Word vectors with gensim, and the run that the book records.

``python -m transformer_lab word-vectors --corpus text8-prefix --out FILE`` repeats the run.
"""

import argparse
import math
import time
from collections import Counter
from numbers import Integral
from pathlib import Path

import numpy as np

from transformer_book import data, progress

from .. import experiment
from .analogies import analogy_accuracy

METHOD_BY_SG = {1: "skip-gram", 0: "CBOW"}  # by gensim's name for the choice, sg
NEIGHBOURS_OF = ("black", "brown", "cat", "king")
# The two words that the chapters follow, with their positions in the sentence.
POSITION_BY_FOLLOWED_WORD = {"black": 1, "brown": 9}


def train_word_vectors(
    sentences,
    sg: int,
    epochs: int,
    vector_size=512,
    window=2,
    min_count=1,
    seed=1,
    alpha=0.025,
):
    """Train word vectors (Mikolov et al., 2013) and return them.

    One worker trains, so that the same seed gives the same vectors.

    Parameters
    ----------
    sentences : list of list of str
        The text, in lists of words. Of a longer list gensim reads the first 10,000 words, counted
        after it has left out some of the most frequent.
    sg : int
        1 for skip-gram (a word predicts its neighbours), 0 for CBOW (they predict the word).
    epochs : int
        How often the text is read.
    vector_size : int
        Numbers per vector.
    window : int
        How many words on either side count as neighbours, at most.
    min_count : int
        Words that occur less often get no vector.
    seed : int
        Seed of all random numbers.
    alpha : float
        The step size at the start, from which it falls in a straight line; gensim's default.

    Returns
    -------
    gensim.models.KeyedVectors

    Raises
    ------
    ValueError
        If an argument is out of its range, or no word occurs ``min_count`` times.
    """
    sentences = _checked_sentences(sentences)
    if sg not in METHOD_BY_SG:
        raise ValueError(f"sg is {sg!r}, expected 1 for skip-gram or 0 for CBOW.")
    _check_counts(
        epochs=epochs, vector_size=vector_size, window=window, min_count=min_count
    )
    # gensim takes seconds to import.
    from gensim.models import Word2Vec

    sentences_to_read = (epochs + 1) * len(sentences)
    with progress.make_progress_bar(
        sentences_to_read, " sentences", METHOD_BY_SG[sg]
    ) as progress_bar:
        try:
            model = Word2Vec(
                _ProgressSentences(sentences, progress_bar),
                sg=int(sg),
                epochs=epochs,
                vector_size=vector_size,
                window=window,
                min_count=min_count,
                seed=seed,
                alpha=alpha,
                workers=1,
            )
        except RuntimeError as error:  # gensim's: "you must first build vocabulary"
            raise ValueError(
                f"No word occurs min_count = {min_count} times in these {len(sentences):,} "
                "sentences. Lower min_count or give more text."
            ) from error
    return model.wv


class _ProgressSentences:
    """The sentences, which gensim reads once per epoch, moving a progress bar as they are read."""

    def __init__(self, sentences, progress_bar):
        self.sentences, self.progress_bar = sentences, progress_bar

    def __iter__(self):
        for sentence in self.sentences:
            yield sentence
            self.progress_bar.update()


def _checked_sentences(sentences) -> list[list[str]]:
    if isinstance(sentences, str) or any(
        isinstance(sentence, str) for sentence in sentences
    ):
        raise ValueError(
            "The sentences are strings; expected lists of words, else each letter counts as a "
            "word. Cut them first, for example with data.word_tokens(text)."
        )
    sentences = [list(sentence) for sentence in sentences]
    if not any(sentences):
        raise ValueError(
            f"These {len(sentences)} sentences hold no word; expected at least one. "
            "Check what the text was read from."
        )
    return sentences


def _check_counts(**counts) -> None:
    for name, value in counts.items():
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(
                f"{name} is {value!r}, expected a whole number of at least 1."
            )


def position_effects_on_followed_words(wv) -> dict[str, float]:
    """Measure what adding positions does to the similarity of black and brown.

    Parameters
    ----------
    wv : gensim.models.KeyedVectors
        With vectors for both words, of even width d_model.

    Returns
    -------
    dict of str to float
        The cosine of the two: ``plain``; ``added``, after adding the encoding of their positions;
        ``scaled``, after multiplying the vectors by sqrt(d_model) and then adding it. Beside them
        ``mean_norm``, the mean length of all word vectors, and ``encoding_norm``.
    """
    from transformer_book.by_hand import positional_encoding

    words = np.stack([wv[word] for word in POSITION_BY_FOLLOWED_WORD]).astype(
        np.float64
    )
    places = positional_encoding(
        max(POSITION_BY_FOLLOWED_WORD.values()) + 1, wv.vector_size
    )
    places = places[list(POSITION_BY_FOLLOWED_WORD.values())]
    return {
        "plain": _cosine(*words),
        "added": _cosine(*(words + places)),
        "scaled": _cosine(*(words * math.sqrt(wv.vector_size) + places)),
        "mean_norm": float(np.linalg.norm(wv.vectors, axis=1).mean()),
        "encoding_norm": float(np.linalg.norm(places[0])),
    }


def _cosine(u: np.ndarray, v: np.ndarray) -> float:
    return float(u @ v / (np.linalg.norm(u) * np.linalg.norm(v)))


def _train_and_measure(
    sentences: list[list[str]], sg: int, epochs: int, training_options: dict
) -> dict:
    start = time.perf_counter()
    wv = train_word_vectors(sentences, sg, epochs, **training_options)
    seconds = time.perf_counter() - start
    accuracy, sections = analogy_accuracy(wv)
    return {
        "method": METHOD_BY_SG[sg],
        "sg": sg,
        "epochs": epochs,
        "seconds": round(seconds, 1),
        "black_brown": float(wv.similarity(*POSITION_BY_FOLLOWED_WORD)),
        "neighbours": {
            word: [
                [other, round(float(cosine), 4)]
                for other, cosine in wv.most_similar(word)
            ]
            for word in NEIGHBOURS_OF
        },
        "analogies": {
            "accuracy": None if math.isnan(accuracy) else accuracy,
            **{
                count: sum(section[count] for section in sections.values())
                for count in ("correct", "answerable", "asked")
            },
            "sections": sections,
        },
        "fusion": position_effects_on_followed_words(wv),
    }


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab word-vectors",
        description="Train skip-gram and CBOW vectors on a corpus and record what they know.",
    )
    parser.add_argument("--corpus", required=True, choices=list(data.CORPORA))
    parser.add_argument(
        "--out", required=True, type=Path, help="the JSON file to write"
    )
    parser.add_argument("--epochs", type=int, nargs="+", default=[5, 20])
    parser.add_argument("--vector-size", type=int, default=512)
    parser.add_argument("--window", type=int, default=2)
    parser.add_argument("--min-count", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    return parser


def main(argv=None):
    """Train both kinds of vectors, measure them, and write the record."""
    experiment.run_experiment(
        argument_parser(),
        argv,
        _train_all_variants,
        packages=("gensim", "numpy", "scipy"),
    )


def _train_all_variants(args) -> dict:
    if args.vector_size < 2 or args.vector_size % 2:
        raise ValueError(
            f"--vector-size is {args.vector_size}; the positions need an even one"
        )
    names = ("vector_size", "window", "min_count", "seed")
    parameters = {name: getattr(args, name) for name in names}
    sentences = data.load(args.corpus)
    _check_recorded_words(sentences, args.corpus, args.min_count)
    runs = [
        _train_and_measure(sentences, sg, epochs, parameters)
        for epochs in args.epochs
        for sg in METHOD_BY_SG
    ]
    corpus = data.CORPORA[args.corpus]
    return {
        "corpus": {
            "name": corpus.name,
            "title": corpus.title,
            "hash": corpus.hash,
            "words": sum(map(len, sentences)),
            "pieces": len(sentences),
            "distinct_words": len({word for words in sentences for word in words}),
        },
        "parameters": parameters | {"workers": 1},
        "seconds": round(sum(run["seconds"] for run in runs), 1),  # of training alone
        "runs": runs,
    }


def _check_recorded_words(
    sentences: list[list[str]], corpus_name: str, min_count: int
) -> None:
    counts = Counter(word for sentence in sentences for word in sentence)
    missing = [
        word
        for word in {*NEIGHBOURS_OF, *POSITION_BY_FOLLOWED_WORD}
        if counts[word] < min_count
    ]
    if missing:
        raise ValueError(
            f"The corpus {corpus_name} has {', '.join(sorted(missing))} fewer than {min_count} times, "
            "and the record needs these words. Choose a larger corpus or a lower --min-count."
        )
