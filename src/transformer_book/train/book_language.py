"""The language model that the book trains once, and that the chapters of its last part run on."""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

import torch

from .. import data, decode, nn, storage
from ..config import TransformerConfig
from ..data.downloads import cache_folder
from ..data.registry import CORPORA, DEFAULT
from .book import FOLDER_SETTING
from .history import History
from .language_model import train_language_model
from .settings import Settings, seed_of

# Small, so that it sees its text twice in two minutes of one thread. With embedding and output
# layer apart it learns faster in that time than with one matrix for both.
LANGUAGE = {
    "N": 2,
    "d_model": 128,
    "d_ff": 256,
    "h": 4,
    "norm": "pre",
    "share": "none",
    "dropout": 0.0,
}
MERGES = 500
HELD_BACK = 20  # one article in so many is for validation
CONTEXTS = (32, 128, 128)  # tokens of a window in training, at first and later
LONGEST = 512  # positions of the model
BEGINNING, GOES_ON = (
    "the black cat sat on the",
    20,
)  # what it is asked to go on with, in tokens
LANGUAGE_SETTINGS = Settings(
    steps=4_000,
    tokens=512,
    warmup=600,
    factor=1.6,
    cooldown=3_000,
    smoothing=0.0,
    clip=1.0,
    validate_every=1_000,
)


def book_text():
    """Return the text of the book's language model: the sample of Wikipedia inside gensim.

    It takes some seconds to read; :func:`book_language_model` has it ready.

    Returns
    -------
    Text
    """
    articles = data.load(DEFAULT)
    train = [words for i, words in enumerate(articles) if i % HELD_BACK]
    return data.Text.of(train, articles[::HELD_BACK], MERGES)


def fresh_language_model(text, seed=0, **changes):
    """Return a language model for a text, untrained.

    Parameters
    ----------
    text : Text
    seed : int
        Decides the weights.
    **changes
        Settings of ``TransformerConfig`` that differ from those of the book's model.

    Returns
    -------
    LanguageModel

    Raises
    ------
    ConfigError
        Naming the setting, what was given and what is expected.
    """
    words = len(text.vocabulary)
    sizes = {**LANGUAGE, "max_length": LONGEST, **changes}
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed_of(seed))
        return nn.LanguageModel(TransformerConfig(words, words, **sizes))


def book_language_model():
    """Return the trained language model and its text; train it first where nobody has yet.

    The build of the book trains it once. Without a build it is trained here, which takes minutes.

    Returns
    -------
    model : LanguageModel
        In evaluation mode.
    text : Text

    Raises
    ------
    StorageError
        If the trained weights cannot be written.
    """
    path = language_model_file()
    try:
        kept = json.loads(path.with_suffix(".json").read_text("utf-8"))
        return nn.load_language_model(path), data.Text.from_dict(kept)
    except (storage.StorageError, OSError, ValueError, KeyError):  # missing or damaged
        return train_book_language_model()


def book_language_training():
    """Return how the language model was trained, and what it wrote on the way.

    Returns
    -------
    history : History
        Without the seconds.
    continuations : dict of int to str
        For step 0 and each validation, how the model went on with ``BEGINNING``.

    Raises
    ------
    StorageError
        If nobody has trained it yet and its weights cannot be written.
    """
    book_language_model()
    record = _training_file()
    try:
        training = json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        train_book_language_model()
        training = json.loads(record.read_text("utf-8"))
    continuations = {int(step): said for step, said in training["wrote"].items()}
    return History(**training["history"]), continuations


def train_book_language_model():
    """Train the language model, let it write on the way, and keep all of it.

    Returns
    -------
    model : LanguageModel
    text : Text

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    text, wrote = book_text(), {}
    model = fresh_language_model(text, LANGUAGE_SETTINGS.seed)
    prompt = torch.tensor([text.ids(BEGINNING)])  # (1, n)

    nucleus = decode.Sampling(top_p=0.9)

    def write(history):
        draw = torch.Generator().manual_seed(0)
        (ids,) = decode.generate(model, prompt, GOES_ON, nucleus, generator=draw)
        wrote[history.step] = text.words(ids)

    write(History())
    history = train_language_model(
        model, text, LANGUAGE_SETTINGS, CONTEXTS, report=write
    )
    keep_language_model(model, text, history, wrote)
    return model, text


def keep_language_model(model, text, history, wrote) -> Path:
    """Write the book's language model and its text where ``book_language_model`` finds them.

    Parameters
    ----------
    model : LanguageModel
    text : Text
    history : History
    wrote : dict
        As of :func:`book_language_training`.

    Returns
    -------
    pathlib.Path
        The file of weights. The text stands beside it, under the same name with ``.json``, and
        the training with ``.training.json``.

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    path = language_model_file()
    storage.write(path.with_suffix(".json"), json.dumps(text.as_dict()).encode())
    losses = asdict(history) | {"seconds": 0.0}  # the same run makes the same files
    training = json.dumps({"history": losses, "wrote": wrote})
    storage.write(_training_file(), training.encode())
    nn.save_weights(path, model)
    for old in path.parent.glob("language_model-*"):
        if not old.name.startswith(path.stem):
            old.unlink(missing_ok=True)
    return path


def _training_file():
    return language_model_file().with_suffix(".training.json")


def language_model_file() -> Path:
    """Return where the weights are kept: a name that changes with settings and text."""
    folder = os.environ.get(FOLDER_SETTING) or cache_folder() / "model"
    makings = (LANGUAGE, MERGES, HELD_BACK, CONTEXTS, LONGEST, LANGUAGE_SETTINGS)
    text = repr((*makings, CORPORA[DEFAULT].hash))
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Path(folder) / f"language_model-{key}.safetensors"
