"""The translator that the book trains on the sentences of its grammar."""

import json

import torch

from transformer_book import data, decode, nn, storage, train
from transformer_book.train.history import History
from transformer_book.train.settings import Settings

from .files import ModelFiles, load_or_train

MODEL_NAME = "The book's translator"
# 0.7 million parameters.
BOOK_CHOICES = {"preset": "tiny", "N": 2}
# Plain labels: smoothed with 0.1, a tenth of every step's probability would go to words that are
# wrong, and the model's hesitation would not be that of the grammar.
# Pages describe single heads and sentences of this model, so it has to be the same on every
# processor. In float32 and with twice these rates, what two sets of instructions round differently
# grows until the weights differ by 0.2; in float64, with these rates and this clip, by 4e-9.
SETTINGS = Settings(
    steps=900,
    tokens=2_000,
    warmup=200,
    factor=0.3,
    cooldown=500,
    smoothing=0.0,
    clip=1.0,
)
TRAINING_DTYPE = torch.float64
FILE_DTYPE = torch.float16  # of the file: half the bytes for the reader's browser
ASK_EVERY = 100  # steps between two questions to the model that learns
TRAINING_ENDING = ".json"  # the ending of the file that tells of the training


def translator() -> tuple[nn.Transformer, data.ParallelCorpus]:
    """Return the trained translator and its corpus; train it first where nobody has yet.

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
    files = translator_files(corpus)

    def load_model_and_corpus() -> tuple:
        return nn.load_weights(files.weights), corpus

    return load_or_train(
        load_model_and_corpus, lambda: train_and_write_translator(corpus), MODEL_NAME
    )


def translator_training() -> tuple[History, dict[int, dict]]:
    """Return how the translator was trained, and what it answered on the way.

    Returns
    -------
    history : History
        Without the seconds.
    answers : dict of int to dict
        For step 0 and each that is a multiple of 100: ``"translation"``, a str, of the sentence
        that the book follows, and ``"right"``, (m,), the probability of each token of its right
        translation after all right ones before it.

    Raises
    ------
    StorageError
        If nobody has trained it yet and its weights cannot be written.
    """
    corpus = data.load_parallel("grammar")
    files = translator_files(corpus)

    def read_training_files() -> tuple[History, dict]:
        nn.load_weights(files.weights)  # else the record tells of other weights
        return files.read_training(TRAINING_ENDING, "answers")

    return load_or_train(
        read_training_files, lambda: train_and_write_translator(corpus), MODEL_NAME
    )


def train_and_write_translator(corpus: data.ParallelCorpus) -> None:
    """Train the translator, ask it for its translation on the way, and write all of it.

    Parameters
    ----------
    corpus : ParallelCorpus

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    model = train.translator(corpus, SETTINGS.seed, **BOOK_CHOICES).to(TRAINING_DTYPE)
    answers = {}
    english, chinese = data.parallel_corpus.FOLLOWED_PAIR
    source = data.collate([(corpus.source_ids(english), [])]).source  # (1, n)
    right = corpus.target_vocabulary.ids(list(chinese))

    def record_answers(history_so_far: History) -> None:
        (log_p,) = decode.log_probability(model, source, [right])
        translation = decode.translate(model, corpus, english)
        answer = {"translation": translation, "right": log_p.exp().tolist()}
        answers[history_so_far.step_count] = answer

    record_answers(History())
    settings = SETTINGS.changed(validate_every=ASK_EVERY)
    history = train.train(model, corpus, settings, report=record_answers)
    write_translator(model, corpus, history, answers)


def write_translator(
    model: nn.Transformer,
    corpus: data.ParallelCorpus,
    history: History,
    answers_by_step: dict[int, dict],
) -> None:
    """Write the translator where :func:`translator` finds it, with its two vocabularies.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    history : History
    answers_by_step : dict
        As of :func:`translator_training`.

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    files = translator_files(corpus)
    words = {
        "source": list(corpus.source_vocabulary),
        "target": list(corpus.target_vocabulary),
    }
    text = json.dumps(words, ensure_ascii=False)
    storage.write_file(files.weights.with_name("vocabulary.json"), text.encode())
    nn.save_weights(files.weights, model, FILE_DTYPE)
    files.write_training(TRAINING_ENDING, history, answers=answers_by_step)
    files.remove_older_files()


def translator_files(corpus: data.ParallelCorpus) -> ModelFiles:
    """Return the files of the translator, named by settings and sentences."""
    return ModelFiles(
        "book", repr((BOOK_CHOICES, SETTINGS, TRAINING_DTYPE, FILE_DTYPE, corpus.train))
    )
