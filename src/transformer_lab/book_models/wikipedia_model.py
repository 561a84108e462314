"""The language model that the book trains on a sample of Wikipedia."""

import json

import torch

from transformer_book import data, decode, nn, storage, train
from transformer_book.data.corpus_registry import CORPORA, DEFAULT_CORPUS
from transformer_book.train.fresh_language_model import (
    LANGUAGE_MODEL_CHOICES,
    MAX_LENGTH,
)
from transformer_book.train.history import History
from transformer_book.train.settings import Settings

from .files import ModelFiles, load_or_train

MODEL_NAME = "The book's language model"
BPE_MERGE_COUNT = 500
ARTICLES_PER_HELD_BACK = 20  # one article in so many is for validation
CONTEXTS = (32, 128, 128)  # tokens of a window in training, at first and later
# What it is asked to go on with, and for how many tokens.
BEGINNING, TOKENS_TO_WRITE = "the black cat sat on the", 20
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
TEXT_ENDING, TRAINING_ENDING = (
    ".json",
    ".training.json",
)  # the endings of the files beside the weights


def wikipedia_text() -> data.Text:
    """Return the text of the book's language model: the sample of Wikipedia inside gensim.

    It takes some seconds to read; :func:`language_model` has it ready.

    Returns
    -------
    Text
    """
    articles = data.load(DEFAULT_CORPUS)
    learned = [words for i, words in enumerate(articles) if i % ARTICLES_PER_HELD_BACK]
    return data.Text.from_articles(
        learned, articles[::ARTICLES_PER_HELD_BACK], BPE_MERGE_COUNT
    )


def language_model() -> tuple[nn.LanguageModel, data.Text]:
    """Return the trained language model and its text; train it first where nobody has yet.

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
    files = language_model_files()

    def load_model_and_text() -> tuple:
        text = json.loads(files.file_with_ending(TEXT_ENDING).read_text("utf-8"))
        return nn.load_language_model(files.weights), data.Text.from_dict(text)

    return load_or_train(
        load_model_and_text, train_and_write_language_model, MODEL_NAME
    )


def language_model_training() -> tuple[History, dict[int, str]]:
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
    files = language_model_files()

    def read_training_files() -> tuple[History, dict]:
        nn.load_language_model(files.weights)  # else the record tells of other weights
        return files.read_training(TRAINING_ENDING, "wrote")

    return load_or_train(
        read_training_files, train_and_write_language_model, MODEL_NAME
    )


def train_and_write_language_model() -> None:
    """Train the language model, let it write on the way, and write all of it to its files.

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    text, continuations = wikipedia_text(), {}
    model = train.fresh_language_model(
        text, LANGUAGE_SETTINGS.seed, **LANGUAGE_MODEL_CHOICES
    )
    prompt = torch.tensor([text.ids(BEGINNING)])  # (1, n)
    nucleus = decode.Sampling(top_p=0.9)

    def record_continuation(history_so_far: History) -> None:
        draw = torch.Generator().manual_seed(0)
        (ids,) = decode.generate(
            model, prompt, TOKENS_TO_WRITE, nucleus, generator=draw
        )
        continuations[history_so_far.step_count] = text.decode_text(ids)

    record_continuation(History())
    history = train.train_language_model(
        model, text, LANGUAGE_SETTINGS, CONTEXTS, report=record_continuation
    )
    files = language_model_files()
    storage.write_file(
        files.file_with_ending(TEXT_ENDING), json.dumps(text.as_dict()).encode()
    )
    files.write_training(TRAINING_ENDING, history, wrote=continuations)
    nn.save_weights(files.weights, model)
    files.remove_older_files()


def language_model_files() -> ModelFiles:
    """Return the files of the language model, named by settings and text."""
    settings = (
        LANGUAGE_MODEL_CHOICES,
        BPE_MERGE_COUNT,
        ARTICLES_PER_HELD_BACK,
        CONTEXTS,
        MAX_LENGTH,
        LANGUAGE_SETTINGS,
    )
    makings = repr((*settings, CORPORA[DEFAULT_CORPUS].hash))
    return ModelFiles("language_model", makings)
