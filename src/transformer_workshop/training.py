"""A model of one's own: the reader's loop trains the reader's functions, and they translate."""

import json
import math
import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from transformer_book import storage
from transformer_book.data import DataError, load_parallel
from transformer_book.progress import is_watched, make_progress_bar
from transformer_book.special_ids import BOS, EOS, PAD
from transformer_book.storage import StorageError

from .errors import describe_error
from .isolation import run_isolated
from .machine import LONGEST, Machine, decoder_weights, encoder_weights
from .reader_file import ReaderError, load
from .trainable import check_file

SIZES = {"preset": "tiny", "N": 2}  # those of the book's translator
TOKENS = 800  # of a batch, on either side
WARMUP, SMOOTHING = 200, 0.1
SENTENCES = 200  # of the test
MORE_SECONDS = 300  # of the processor, to load PyTorch and to translate
MEMORY = 2**32
MADE_BY = "python -m transformer_workshop train"
LONGEST_RUN = 24 * 3600


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
    def steps(self):
        """How many batches were learned from."""
        return len(self.losses)


def train_file(path, seconds=120, seed=0, steps=None, sentences=SENTENCES):
    """Train the functions of a file with its own loop, and write the weights beside the file.

    Parameters
    ----------
    path : path-like
        The reader's file.
    seconds : int
        Of the clock.
    seed : int
        Decides the first weights and the order of the batches.
    steps : int, optional
        End after so many, if there is time.
    sentences : int
        Of the test, to be translated.

    Returns
    -------
    TrainingResult

    Raises
    ------
    ReaderError
        If it cannot be done; the message says why.
    """
    if not 1 <= seconds <= LONGEST_RUN:
        raise ReaderError(f"--seconds is {seconds}; expected 1 to {LONGEST_RUN}")
    if seed < 0:
        raise ReaderError(f"--seed is {seed}; expected a number of at least 0")
    out = weights_of(path)
    check_own(out)
    terminal = os.dup(2) if is_watched() and hasattr(os, "fork") else None
    try:
        outcome = run_isolated(
            train_or_explain,
            *(path, out, seconds, seed, steps, sentences, terminal),
            file=path,
            seconds=seconds * 2 + MORE_SECONDS,
            memory=MEMORY,
        )
    finally:
        if terminal is not None:
            os.close(terminal)
    problem, result = outcome.value or (outcome.problem, None)
    if problem:
        raise ReaderError(f"{path}: {problem}")
    return result


def weights_of(path):
    """Return where the weights of a file's model are written."""
    return Path(path).with_suffix(".safetensors")


def check_own(out):
    """Raise ReaderError if there is a file already that no training of this kind wrote."""
    if not out.exists():
        return
    try:
        made_by = storage.stored_tensors(out)[1].get("made_by")
    except StorageError:
        made_by = None
    if made_by != MADE_BY:
        raise ReaderError(
            f"{out} is there already and is not of {MADE_BY}, so it stays as it is. Move it first."
        )


def train_or_explain(path, out, seconds, seed, steps, sentences, terminal):
    """Return why a file cannot be trained, or nothing, and what came of it; write its weights."""
    try:
        module = load(path)
        check_file(module)
        return "", train(module, out, seconds, seed, steps, sentences, terminal)
    except Exception as error:
        known = isinstance(error, ReaderError | DataError | StorageError)
        return str(error) if known else describe_error(error), None


def train(module, out, seconds, seed, steps, sentences, terminal):
    """Let the file's loop train; write the weights, and translate sentences of the test."""
    import torch

    from transformer_book.train import translator

    torch.set_num_threads(1)  # so that the same steps give the same weights
    torch.manual_seed(seed)
    corpus = load_parallel("grammar")
    model = translator(corpus, seed, **SIZES)
    before = [each.detach().clone() for each in model.parameters()]
    run = Run(module, model, corpus, seconds, seed, steps)
    run.call_training_loop(terminal)
    check_changed(before, model, run)
    W = {name: p.detach().numpy() for name, p in model.named_parameters()}
    write_weights(out, W, model.config)
    machine = Machine(module, model.config, W)
    machine.kind = torch
    right = count_right(machine, corpus, sentences, terminal)
    return TrainingResult(run.losses, right, sentences)


class Run:
    """The three things that a training loop takes: parameters, loss and batches."""

    def __init__(self, module, model, corpus, seconds, seed, steps):
        self.module, self.config = module, model.config
        self.W = dict(model.named_parameters())
        self.pairs = corpus.ids(corpus.train)
        self.seconds, self.seed, self.steps = seconds, seed, steps
        self.losses = []

    def call_training_loop(self, terminal):
        """Call the file's training_loop, with a progress bar on the terminal."""
        with progress_bar(self.seconds, "s", "training", terminal) as shown:
            batches = self.batches(shown)
            parameters = list(self.W.values())
            self.module.training_loop(
                parameters, self.loss, batches, self.config.d_model, WARMUP
            )

    def batches(self, shown):
        """Yield pairs of ids until the time is up, or the number of steps is reached."""
        from transformer_book.train.settings import Settings

        begin = None
        settings = Settings(tokens=TOKENS, seed=self.seed)
        for taken, (_, _, batch) in enumerate(settings.batches(self.pairs)):
            begin = begin or time.monotonic()  # the first batch took a while to cut
            passed = time.monotonic() - begin
            shown.update(min(passed, self.seconds) - shown.n)
            if passed >= self.seconds or taken == self.steps:
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

    def logits(self, source, target):
        """Put the file's functions together to an encoder–decoder; return its logits."""
        own, W, h = self.module, self.W, self.config.h
        E_source, E_target = W["source_embedding"], W["target_embedding"]
        mask = own.padding_mask(source, PAD)
        memory = own.embed(source, E_source).to(E_source.dtype)
        x = own.embed(target, E_target).to(E_target.dtype)
        for i in range(self.config.N):
            memory = own.encoder_layer(memory, encoder_weights(W, i), h, mask)
        for i in range(self.config.N):
            x = own.decoder_layer(x, memory, decoder_weights(W, i), h, mask)
        return own.logits(x, E_target)


def progress_bar(total, unit, label, terminal):
    """Return a progress bar on a terminal that the process above has opened, or a silent one."""
    if terminal is None:
        return make_progress_bar(total, unit, label)
    from tqdm import tqdm

    file = os.fdopen(os.dup(terminal), "w", encoding="utf-8")
    shape = "{l_bar}{bar}| {n:.0f}/{total:.0f} {unit}"
    return tqdm(
        total=total, unit=unit, desc=label, file=file, leave=False, bar_format=shape
    )


def check_changed(before, model, run):
    """Raise ReaderError if the loop trained nothing, or made numbers that are none."""
    now = list(model.parameters())
    if not run.losses:
        raise ReaderError("training_loop never called the loss")
    if all((a == b).all() for a, b in zip(before, now)):
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


def write_weights(out, W, config):
    """Write the weights as nn.save_weights does, and by what they were made."""
    from safetensors.numpy import save

    about = {"config": json.dumps(config.as_dict()), "made_by": MADE_BY}
    check_own(out)
    data = save({k: np.ascontiguousarray(v) for k, v in W.items()}, about)
    storage.write_file(out, with_sorted_header(data))


def with_sorted_header(data):
    """Return the bytes of a safetensors file with its header sorted, which save leaves to chance."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data[end:]


def count_right(machine, corpus, sentences, terminal):
    """Return how many sentences of the test the file's greedy translates right."""
    right = 0
    with progress_bar(sentences, " sentences", "translating", terminal) as shown:
        for pair in corpus.test[:sentences]:
            (source, _), *_ = corpus.ids([pair])
            next_logits = machine.reader(np.array([[*source, EOS]]))
            ids = [int(i) for i in machine.greedy(next_logits, BOS, EOS, LONGEST)]
            right += is_right(corpus, pair, ids)
            shown.update()
    return right


def is_right(corpus, pair, ids):
    """Whether ids are one of the right translations of a pair's sentence."""
    return tuple(corpus.target_vocabulary.tokens(ids)) in corpus.references(pair)


def count_right_of_book(weights, sentences=SENTENCES):
    """Return how many of the same sentences the book's translator translates right.

    Parameters
    ----------
    weights : path-like
    sentences : int

    Returns
    -------
    int
    """
    from transformer_book import data, decode, nn

    model, corpus = nn.load_weights(weights), load_parallel("grammar")
    pairs = corpus.test[:sentences]
    sources = data.collate([(source, []) for source, _ in corpus.ids(pairs)]).source
    found = decode.greedy(model, sources, max_length=LONGEST)
    return sum(is_right(corpus, pair, ids) for pair, ids in zip(pairs, found))
