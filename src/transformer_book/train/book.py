"""The translator that the book trains once, and that several of its chapters look at."""

import hashlib
import json
import os
from pathlib import Path

import torch

from .. import data, nn, storage
from ..data.downloads import cache_folder
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


def book_model():
    """Return the trained translator and its corpus; train it first where nobody has yet.

    The chapter on training makes and keeps it. Without that chapter's run, or after a change of
    settings or sentences, it is trained here, which takes minutes.

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
        model = translator(corpus, SETTINGS.seed, **BOOK)
        train(model, corpus, SETTINGS)
        keep_book_model(model, corpus)
        return model, corpus


def keep_book_model(model, corpus) -> Path:
    """Write the book's translator where ``book_model`` finds it, with its two vocabularies.

    Parameters
    ----------
    model : Transformer
        Its weights are rounded to float16, as the file's are, so that whoever trained the model
        and whoever loads it, in Python or in a browser, look at the same.
    corpus : ParallelCorpus

    Returns
    -------
    pathlib.Path
        The file of weights. ``vocabulary.json`` stands beside it.

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
    for old in set(path.parent.glob("book-*.safetensors")) - {path}:
        old.unlink(missing_ok=True)
    return path


def book_file(corpus) -> Path:
    """Return where the trained weights are kept: a name that changes with all that makes them.

    The folder is that of ``TRANSFORMER_BOOK_MODEL``, or the user's cache.

    Parameters
    ----------
    corpus : ParallelCorpus
    """
    folder = os.environ.get(FOLDER_SETTING) or cache_folder() / "model"
    makings = (BOOK, SETTINGS, KEPT, corpus.train)
    key = hashlib.sha256(repr(makings).encode()).hexdigest()[:16]
    return Path(folder) / f"book-{key}.safetensors"
