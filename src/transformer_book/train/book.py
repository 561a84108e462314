"""The translator that the book trains once, and that several of its chapters look at."""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

import torch

from .. import data, decode, nn, storage
from ..data.downloads import cache_folder
from .history import History
from .loop import train
from .settings import Settings
from .translator import BOOK, translator

FOLDER_SETTING = "TRANSFORMER_BOOK_MODEL"
# Plain labels: smoothed with 0.1, a tenth of every step's probability would go to words that are
# wrong, and the model's hesitation would not be that of the grammar.
SETTINGS = Settings(
    steps=900, tokens=2_000, warmup=200, factor=0.6, cooldown=500, smoothing=0.0
)
KEPT = torch.float16  # half the bytes for the reader's browser
ASK_EVERY = 100  # steps between two questions to the model that learns


def book_model():
    """Return the trained translator and its corpus; train it first where nobody has yet.

    The build of the book trains it once. Without a build, or after a change of settings or
    sentences, it is trained here, which takes minutes.

    Returns
    -------
    model : Transformer
        In evaluation mode, with the weights of the file: rounded to float16, held in float32.
    corpus : ParallelCorpus
        The grammar's.

    Raises
    ------
    StorageError
        If the trained weights cannot be written.
    """
    corpus = data.load_parallel("grammar")
    try:
        return nn.load_weights(book_file(corpus)), corpus
    except storage.StorageError:  # not trained yet, or damaged
        return train_book_model(corpus), corpus


def book_training():
    """Return how the translator was trained, and what it answered on the way.

    Returns
    -------
    history : History
        Without the seconds.
    answers : dict of int to dict
        For step 0 and each that is a multiple of 100: ``"translation"``, a str, of the sentence
        that the book follows, and ``"right"``, (m,), the probability of each token of its right
        translation, given all right ones before it.

    Raises
    ------
    StorageError
        If nobody has trained it yet and its weights cannot be written.
    """
    corpus = data.load_parallel("grammar")
    record = book_file(corpus).with_suffix(".json")
    try:
        nn.load_weights(book_file(corpus))  # else the record tells of other weights
        training = json.loads(record.read_text("utf-8"))
    except (storage.StorageError, OSError, ValueError):
        train_book_model(corpus)
        training = json.loads(record.read_text("utf-8"))
    answers = {int(step): answer for step, answer in training["answers"].items()}
    return History(**training["history"]), answers


def train_book_model(corpus):
    """Train the translator, ask it for its translation on the way, and keep all of it.

    Parameters
    ----------
    corpus : ParallelCorpus

    Returns
    -------
    Transformer
        As of :func:`book_model`.

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    model, answers = translator(corpus, SETTINGS.seed, **BOOK), {}
    english, chinese = data.parallel.FOLLOWED
    source = data.collate([(corpus.source_ids(english), [])]).source  # (1, n)
    right = corpus.target_vocabulary.ids(list(chinese))

    def ask(history):
        (log_p,) = decode.log_probability(model, source, [right])
        translation = decode.translate(model, corpus, english)
        answer = {"translation": translation, "right": log_p.exp().tolist()}
        answers[history.step] = answer

    ask(History())
    settings = SETTINGS.changed(validate_every=ASK_EVERY)
    history = train(model, corpus, settings, report=ask)
    keep_book_model(model, corpus, history, answers)
    return model


def keep_book_model(model, corpus, history, answers) -> Path:
    """Write the book's translator where ``book_model`` finds it, with its two vocabularies.

    Parameters
    ----------
    model : Transformer
        Its weights are rounded to float16, as the file's are, so that whoever trained the model
        and whoever loads it, in Python or in a browser, look at the same.
    corpus : ParallelCorpus
    history : History
    answers : dict
        As of :func:`book_training`.

    Returns
    -------
    pathlib.Path
        The file of weights. Beside it are ``vocabulary.json``, and the training under the same
        name with ``.json``.

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    words = {
        "source": list(corpus.source_vocabulary),
        "target": list(corpus.target_vocabulary),
    }
    path = book_file(corpus)
    text = json.dumps(words, ensure_ascii=False)
    storage.write(path.with_name("vocabulary.json"), text.encode())
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(parameter.to(KEPT))
    nn.save_weights(path, model, KEPT)
    losses = asdict(history) | {"seconds": 0.0}  # the same run makes the same files
    training = json.dumps({"history": losses, "answers": answers})
    storage.write(path.with_suffix(".json"), training.encode())
    for old in path.parent.glob("book-*"):
        if old.stem != path.stem:
            old.unlink(missing_ok=True)
    return path


def book_file(corpus) -> Path:
    """Return where the trained weights are kept: a name that changes with settings and sentences.

    The folder is that of ``TRANSFORMER_BOOK_MODEL``, or the user's cache.

    Parameters
    ----------
    corpus : ParallelCorpus
    """
    folder = os.environ.get(FOLDER_SETTING) or cache_folder() / "model"
    makings = (BOOK, SETTINGS, KEPT, corpus.train)
    key = hashlib.sha256(repr(makings).encode()).hexdigest()[:16]
    return Path(folder) / f"book-{key}.safetensors"
