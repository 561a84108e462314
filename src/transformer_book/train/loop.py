"""The training loop: a batch, its loss, the gradients, a step of Adam; again."""

import time
from collections.abc import Callable
from contextlib import contextmanager

import torch
from tqdm import tqdm

from .. import progress
from ..config import ConfigError
from ..data.batches import bucketed_batches
from ..data.errors import DataError
from ..decode.errors import check_model
from ..nn import padding_mask
from . import distributed
from .checkpoint import RunFolder, check_finite
from .consistency import consistent_loss
from .loss import output_loss
from .settings import Settings, mix_seed


def train(
    model,
    corpus,
    settings=Settings(),
    folder=None,
    *,
    resume=False,
    report: Callable | None = None,
):
    """Teach a Transformer to translate, as section 5 of Vaswani et al. (2017) does.

    Parameters
    ----------
    model : Transformer
        Learns in place, and is in evaluation mode afterwards, also where that is interrupted.
        Dropout is its configuration's. A parameter that requires no gradient stays as it is.
    corpus : ParallelCorpus
        Of ``load_parallel``, or made by hand with ``ParallelCorpus.from_pairs``.
    settings : Settings
    folder : path-like, optional
        Where checkpoints and the weights of the best validation are kept; without it, nowhere.
    resume : bool
        Whether to go on from the checkpoint in ``folder``. Every loss then is, bit for bit, that
        of a run that was never interrupted, given as many threads and processes.
    report : callable, optional
        Called with the history after each validation.

    Returns
    -------
    History
        The losses, and what the run took.

    Raises
    ------
    ConfigError
        If snapshots are to be kept, but there is no folder, or no validation; or the model is no
        Transformer, or none of its parameters can learn, or two passes are to be consistent and the
        model has no dropout.
    DataError
        If there is nothing to learn from, or a pair is longer than ``settings.tokens``.
    FloatingPointError
        If the loss or a weight is not finite. The last checkpoint stays.
    StorageError
        If there is nothing to resume from, or a run of other settings, or ``folder`` holds a run
        and ``resume`` is not set.
    """
    check_learner("train", model, "Transformer")
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    learner = distributed.data_parallel(_model_with_loss(model, settings))
    pairs, unseen = corpus.ids(corpus.train), corpus.ids(corpus.validation)
    if not pairs:
        raise DataError(f"{corpus.name} has no training sentences; expected some.")
    if settings.snapshots and (folder is None or not unseen):
        raise ConfigError(
            f"Settings: snapshots is {settings.snapshots}, the weights after the last validations; "
            "expected 0 without a folder to keep them in, or without validation sentences."
        )
    files = RunFolder(folder, model, adam, settings, pairs)
    history = files.resume() if resume else files.begin_anew()
    batches = settings.remaining_batches(model, corpus, pairs, history)
    started = time.perf_counter() - history.seconds
    left = settings.steps - history.step_count
    with (
        evaluation_mode_afterwards(model),
        _random_state_restored(model.output.device),
        _progress_bar(left) as bar,
    ):
        while history.step_count < settings.steps:
            history.epoch, history.batch, batch = next(batches)
            loss = take_training_step(
                model, learner, adam, batch, settings, history.step_count + 1
            )
            history.losses.append(loss)
            history.tokens += batch.word_count
            if settings.validates(history.step_count) and unseen:
                loss = validation_loss(model, unseen, settings)
                history.validation.append((history.step_count, loss))
                files.save_best(history)
                files.save_snapshot(history)
            history.seconds = time.perf_counter() - started
            if settings.validates(history.step_count) and report:
                report(history)
            if settings.saves(history.step_count):
                files.save(history)
            bar.set_postfix_str(str(history), refresh=False)
            bar.update()
    return history


@contextmanager
def evaluation_mode_afterwards(model):
    """Leave a model that learns in evaluation mode, whatever ends the learning."""
    try:
        yield
    finally:
        model.eval()


def check_learner(function_name, model, model_class):
    """Raise ConfigError unless a model is of the kind that a function trains, and can learn."""
    check_model(function_name, model, model_class, ConfigError)
    if not any(p.requires_grad for p in model.parameters()):
        raise ConfigError(
            f"{function_name}: no parameter of the model requires a gradient; expected some that learn. "
            "Call model.requires_grad_()."
        )


class ModelWithLoss(torch.nn.Module):
    """The model and its loss in one module, as DDP watches over one call of ``forward``."""

    def __init__(self, model, smoothing):
        super().__init__()
        self.model, self.smoothing = model, smoothing

    def forward(self, source, target):
        """Return the loss, summed over the words that follow each position of the target."""
        model, pad_id = self.model, self.model.config.pad_id
        memory, _ = model.encode(source)
        decoder_input, labels = target[:, :-1], target[:, 1:]  # (batch, m)
        mask = padding_mask(source, pad_id)
        x, _ = model.decode(decoder_input, memory, mask)
        return output_loss(x, model.output, labels, self.smoothing, pad_id)


class ModelWithConsistentLoss(ModelWithLoss):
    """As ``ModelWithLoss``, of two passes, which :func:`consistent_loss` pulls together.

    Both are one batch of twice as many rows: dropout draws a mask for every row of it, so those of
    the two passes differ.
    """

    def __init__(self, model, smoothing, consistency):
        super().__init__(model, smoothing)
        self.consistency = consistency

    def forward(self, source, target):
        """Return the loss, summed over the words of one pass."""
        model, pad_id = self.model, self.model.config.pad_id
        twice = torch.cat([source, source])  # (2 batch, n)
        memory, _ = model.encode(twice)
        decoder_input = torch.cat([target, target])[:, :-1]  # (2 batch, m)
        x, _ = model.decode(decoder_input, memory, padding_mask(twice, pad_id))
        return consistent_loss(
            x[: len(target)],
            x[len(target) :],
            model.output,
            target[:, 1:],
            self.consistency,
            self.smoothing,
            pad_id,
        )


def _model_with_loss(model, settings):
    if not settings.consistency:
        return ModelWithLoss(model, settings.smoothing)
    if not model.config.dropout:
        raise ConfigError(
            f"Settings: consistency is {settings.consistency}, but the model has no dropout, so that "
            "both passes would be the same; expected 0, or a model with dropout."
        )
    return ModelWithConsistentLoss(model, settings.smoothing, settings.consistency)


def take_training_step(model, learner, adam, batch, settings, step):
    """Take one step: schedule, loss, gradients, Adam.

    Parameters
    ----------
    model : Transformer
    learner : WithLoss or WithConsistency
        Of that model, perhaps in DDP.
    adam : torch.optim.Adam
    batch : Batch
        All of it, also where several processes share it.
    settings : Settings
    step : int
        The first is 1.

    Returns
    -------
    float
        The loss per word of the whole batch, in nats; of two passes, their mean and what they are
        apart, weighted.
    """
    model.train()
    device = model.output.device
    lr = settings.learning_rate(step, model.config.d_model)
    # Dropout hangs on seed and step alone, so a run can go on from any step.
    _seed_device(device, mix_seed(settings.seed, step, distributed.rank()))
    mine = distributed.shard(batch).to(device)
    with _precision_context(device, settings):
        loss = learner(mine.source, mine.target) / batch.word_count
    value = distributed.all_reduce(loss.detach().clone()).item()
    what = f"the loss of step {step} is {value}, at learning rate {lr:.2g}"
    check_finite(what, value)
    adam.zero_grad()
    (loss * distributed.world_size()).backward()  # times size, as DDP takes the mean
    if settings.clip:
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
    for group in adam.param_groups:
        group["lr"] = lr
    adam.step()
    return value


@torch.no_grad()
def validation_loss(model, pairs, settings):
    """Return the loss per word, in nats, without dropout and label smoothing."""
    learner, device = ModelWithLoss(model.eval(), smoothing=0.0), model.output.device
    pad_id = model.config.pad_id
    batches = bucketed_batches(pairs, settings.tokens, settings.seed, pad_id)
    loss = torch.zeros((), dtype=torch.float64, device=device)
    for batch in batches:
        mine = distributed.shard(batch).to(device)
        with _precision_context(device, settings):
            loss += learner(mine.source, mine.target)
    value = distributed.all_reduce(loss).item() / sum(
        batch.word_count for batch in batches
    )
    check_finite(f"the validation loss is {value}", value)
    return value


def _precision_context(device, settings):
    return torch.autocast(device.type, torch.bfloat16, settings.precision == "bf16")


def _seed_device(device, seed):
    # Not torch.manual_seed, which takes longer than a small step.
    source = torch.cuda if device.type == "cuda" else torch.default_generator
    source.manual_seed(seed)


def _random_state_restored(device):
    # What torch draws next for the caller is the same with and without training.
    return torch.random.fork_rng([device] if device.type == "cuda" else [])


def _progress_bar(steps):
    if distributed.rank():
        return tqdm(disable=True)
    return progress.make_progress_bar(steps, "step", "training")
