"""A model of one's own: the reader's loop trains the reader's functions, and they translate."""

import json
import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from transformer_book import storage
from transformer_book.data import DataError, load_parallel
from transformer_book.progress import is_watched, make_progress_bar
from transformer_book.special_ids import BOS, EOS, PAD
from transformer_book.storage import StorageError

from .errors import describe_error
from .isolation import run_isolated
from .machine import (
    MAX_TRANSLATION_LENGTH,
    ReaderTranslator,
    decoder_layer_weights,
    encoder_layer_weights,
)
from .reader_file import ReaderError, load_reader_file
from .trainable import check_trainable

MODEL_SIZES = {"preset": "tiny", "N": 2}  # those of the book's translator
TOKENS_PER_BATCH = 800  # of a batch, on either side
WARMUP, SMOOTHING = 200, 0.1
TEST_SENTENCE_COUNT = 200  # of the test
EXTRA_PROCESSOR_SECONDS = 300  # of the processor, to load PyTorch and to translate
MAX_EXTRA_TRAINING_BYTES = 2**32
MADE_BY_COMMAND = "python -m transformer_workshop train"
MAX_TRAINING_SECONDS = 24 * 3600


@dataclass
class TrainingResult:
    """What came of a training.

    Parameters
    ----------
    losses : list of float
        Of each step.
    right, sentences : int
        How many translations were right, of how many.
    """

    losses: list[float]
    right: int
    sentences: int

    @property
    def steps(self) -> int:
        """How many batches were learned from."""
        return len(self.losses)


def train_file(
    path,
    seconds: int = 120,
    seed: int = 0,
    max_steps: int | None = None,
    test_sentence_count: int = TEST_SENTENCE_COUNT,
) -> TrainingResult:
    """Train the functions of a file with its own loop, and write the weights beside the file.

    Parameters
    ----------
    path : path-like
        The reader's file.
    seconds : int
        Of the clock.
    seed : int
        Decides the first weights and the order of the batches.
    max_steps : int, optional
        End after so many, if there is time.
    test_sentence_count : int
        Of the test, to be translated.

    Returns
    -------
    TrainingResult

    Raises
    ------
    ReaderError
        If it cannot be done; the message says why.
    """
    if not 1 <= seconds <= MAX_TRAINING_SECONDS:
        raise ReaderError(
            f"--seconds is {seconds}; expected 1 to {MAX_TRAINING_SECONDS}"
        )
    if seed < 0:
        raise ReaderError(f"--seed is {seed}; expected a number of at least 0")
    weights_path = weights_path_beside(path)
    refuse_foreign_file(weights_path)
    terminal_fd = os.dup(2) if is_watched() and hasattr(os, "fork") else None
    try:
        outcome = run_isolated(
            train_or_explain,
            *(
                path,
                weights_path,
                seconds,
                seed,
                max_steps,
                test_sentence_count,
                terminal_fd,
            ),
            reader_path=path,
            max_processor_seconds=seconds * 2 + EXTRA_PROCESSOR_SECONDS,
            max_extra_bytes=MAX_EXTRA_TRAINING_BYTES,
        )
    finally:
        if terminal_fd is not None:
            os.close(terminal_fd)
    result: Any
    problem, result = outcome.value or (outcome.problem, None)
    if problem:
        raise ReaderError(f"{path}: {problem}")
    return result


def weights_path_beside(path) -> Path:
    """Return where the weights of a file's model are written."""
    return Path(path).with_suffix(".safetensors")


def refuse_foreign_file(weights_path: Path) -> None:
    """Raise ReaderError if there is a file already that no training of this kind wrote."""
    if not weights_path.exists():
        return
    try:
        made_by = storage.stored_tensors(weights_path)[1].get("made_by")
    except StorageError:
        made_by = None
    if made_by != MADE_BY_COMMAND:
        raise ReaderError(
            f"{weights_path} is there already and is not of {MADE_BY_COMMAND}, so it stays as it is. "
            "Move it first."
        )


def train_or_explain(
    path,
    weights_path: Path,
    seconds: int,
    seed: int,
    max_steps: int | None,
    test_sentence_count: int,
    terminal_fd: int | None,
) -> tuple[str, TrainingResult | None]:
    """Return why a file cannot be trained, or nothing, and what came of it; write its weights."""
    try:
        module = load_reader_file(path)
        check_trainable(module)
        return "", train_module(
            module,
            weights_path,
            seconds,
            seed,
            max_steps,
            test_sentence_count,
            terminal_fd,
        )
    except Exception as error:
        known = isinstance(error, ReaderError | DataError | StorageError)
        return str(error) if known else describe_error(error), None


def train_module(
    module,
    weights_path: Path,
    seconds: int,
    seed: int,
    max_steps: int | None,
    test_sentence_count: int,
    terminal_fd: int | None,
) -> TrainingResult:
    """Let the file's loop train; write the weights, and translate sentences of the test."""
    import torch

    from transformer_book.train import translator

    torch.set_num_threads(1)  # so that the same steps give the same weights
    torch.manual_seed(seed)
    corpus = load_parallel("grammar")
    model = translator(corpus, seed, **MODEL_SIZES)
    before = [each.detach().clone() for each in model.parameters()]
    run = TrainingRun(module, model, corpus, seconds, seed, max_steps)
    run.call_training_loop(terminal_fd)
    check_parameters_changed_and_finite(before, model, run)
    W = {name: p.detach().numpy() for name, p in model.named_parameters()}
    write_weights(weights_path, W, model.config)
    reader_model = ReaderTranslator(module, model.config, W)
    reader_model.library = torch
    right = count_right_translations(
        reader_model, corpus, test_sentence_count, terminal_fd
    )
    return TrainingResult(run.losses, right, test_sentence_count)


class TrainingRun:
    """The three things that a training loop takes: parameters, loss and batches."""

    def __init__(self, module, model, corpus, seconds, seed, max_steps):
        self.module, self.config = module, model.config
        self.W = dict(model.named_parameters())
        self.pairs = corpus.ids(corpus.train)
        self.seconds, self.seed, self.max_steps = seconds, seed, max_steps
        self.losses = []

    def call_training_loop(self, terminal_fd: int | None) -> None:
        """Call the file's training_loop, with a progress bar on the terminal."""
        with progress_bar(self.seconds, "s", "training", terminal_fd) as progress:
            batches = self.batches(progress)
            parameters = list(self.W.values())
            self.module.training_loop(
                parameters, self.loss, batches, self.config.d_model, WARMUP
            )

    def batches(self, progress) -> Iterator[tuple]:
        """Yield pairs of ids until the time is up, or the number of steps is reached."""
        from transformer_book.train.settings import Settings

        begin = None
        settings = Settings(tokens=TOKENS_PER_BATCH, seed=self.seed)
        for taken, (_, _, batch) in enumerate(settings.batches(self.pairs)):
            begin = begin or time.monotonic()  # the first batch took a while to cut
            passed = time.monotonic() - begin
            progress.update(min(passed, self.seconds) - progress.n)
            if passed >= self.seconds or taken == self.max_steps:
                return
            yield batch.source, batch.target

    def loss(self, source, target):
        """Return the smoothed loss of the file's functions on a batch."""
        read, labels = self.module.shifted_batch(target)
        value = self.module.smoothed_loss(
            self.logits(source, read), labels, SMOOTHING, PAD
        )
        self.losses.append(float(value.detach()))
        return value

    def logits(self, source, decoder_input):
        """Put the file's functions together to an encoder–decoder; return its logits."""
        own, W, h = self.module, self.W, self.config.h
        E_source, E_target = W["source_embedding"], W["target_embedding"]
        mask = own.padding_mask(source, PAD)
        memory = own.embed(source, E_source).to(E_source.dtype)
        x = own.embed(decoder_input, E_target).to(E_target.dtype)
        for i in range(self.config.N):
            memory = own.encoder_layer(memory, encoder_layer_weights(W, i), h, mask)
        for i in range(self.config.N):
            x = own.decoder_layer(x, memory, decoder_layer_weights(W, i), h, mask)
        return own.logits(x, E_target)


def progress_bar(total: int, unit: str, label: str, terminal_fd: int | None):
    """Return a progress bar on a terminal that the process above has opened, or a silent one."""
    if terminal_fd is None:
        return make_progress_bar(total, unit, label)
    from tqdm import tqdm

    file = os.fdopen(os.dup(terminal_fd), "w", encoding="utf-8")
    shape = "{l_bar}{bar}| {n:.0f}/{total:.0f} {unit}"
    return tqdm(
        total=total, unit=unit, desc=label, file=file, leave=False, bar_format=shape
    )


def check_parameters_changed_and_finite(
    parameters_before, model, run: TrainingRun
) -> None:
    """Raise ReaderError if the loop trained nothing, or made numbers that are none."""
    now = list(model.parameters())
    if not run.losses:
        raise ReaderError("training_loop never called the loss")
    if all((a == b).all() for a, b in zip(parameters_before, now)):
        raise ReaderError(
            "training_loop changed no parameter. Check it: check training_loop"
        )
    if not all(each.isfinite().all() for each in now):
        bad = next((i for i, x in enumerate(run.losses, 1) if not math.isfinite(x)), 0)
        when = f" from step {bad} on" if bad else " after the last step"
        raise ReaderError(
            f"the weights became NaN or infinite (the loss is no number{when}). "
            "Is the learning rate too large?"
        )


def write_weights(weights_path: Path, W: dict, config) -> None:
    """Write the weights as nn.save_weights does, and by what they were made."""
    from safetensors.numpy import save

    about = {"config": json.dumps(config.as_dict()), "made_by": MADE_BY_COMMAND}
    refuse_foreign_file(weights_path)
    data = save({k: np.ascontiguousarray(v) for k, v in W.items()}, about)
    storage.write_file(weights_path, with_sorted_header(data))


def with_sorted_header(safetensors_bytes: bytes) -> bytes:
    """Return the bytes of a safetensors file with its header sorted, which save leaves to chance."""
    end = 8 + int.from_bytes(safetensors_bytes[:8], "little")
    header = json.dumps(json.loads(safetensors_bytes[8:end]), sort_keys=True).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + safetensors_bytes[end:]


def count_right_translations(
    model: ReaderTranslator, corpus, test_sentence_count: int, terminal_fd: int | None
) -> int:
    """Return how many sentences of the test the file's greedy translates right."""
    right = 0
    with progress_bar(
        test_sentence_count, " sentences", "translating", terminal_fd
    ) as progress:
        for pair in corpus.test[:test_sentence_count]:
            (source, _), *_ = corpus.ids([pair])
            next_logits = model.make_next_logits(np.array([[*source, EOS]]))
            ids = [
                int(i)
                for i in model.greedy(next_logits, BOS, EOS, MAX_TRANSLATION_LENGTH)
            ]
            right += is_right_translation(corpus, pair, ids)
            progress.update()
    return right


def is_right_translation(corpus, sentence_pair, ids: list[int]) -> bool:
    """Whether ids are one of the right translations of a sentence_pair's sentence."""
    return tuple(corpus.target_vocabulary.tokens(ids)) in corpus.references(
        sentence_pair
    )


def count_right_of_book(
    weights_path, test_sentence_count: int = TEST_SENTENCE_COUNT
) -> int:
    """Return how many of the same sentences the book's translator translates right.

    Parameters
    ----------
    weights_path : path-like
    test_sentence_count : int

    Returns
    -------
    int
    """
    from transformer_book import data, decode, nn

    model, corpus = nn.load_weights(weights_path), load_parallel("grammar")
    pairs = corpus.test[:test_sentence_count]
    sources = data.collate([(source, []) for source, _ in corpus.ids(pairs)]).source
    found = decode.greedy(model, sources, max_length=MAX_TRANSLATION_LENGTH)
    return sum(
        is_right_translation(corpus, pair, ids) for pair, ids in zip(pairs, found)
    )
