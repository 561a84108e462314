"""Training of a language model: the text is its own label, one token later."""

import time
from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from .. import progress
from ..data.errors import DataError
from ..data.text import Text
from ..decode.errors import check_model
from ..decode.sequences import evaluation_mode
from ..expect import expect_integer, is_integer
from ..nn import LanguageModel, balancing_loss, record_routes
from ..options import ConfigError
from ..shapes import ShapeError, checked
from .checkpoint import check_finite
from .history import History
from .loop import check_learner, evaluation_mode_afterwards
from .loss import output_loss
from .settings import Settings, mix_seed

POSITIONS_AT_A_TIME = 4_096  # that are read at a time where nothing is learned


def train_language_model(
    model,
    text: Text,
    settings=Settings(),
    contexts=(128,),
    report: Callable | None = None,
    balance=0.01,
):
    """Teach a language model to continue a text.

    Each batch is ``settings.tokens // context`` windows of the training text, drawn anywhere. The
    optimiser and its schedule are those of :func:`train`.

    Parameters
    ----------
    model : LanguageModel
        Learns in place, and is in evaluation mode afterwards, also where that is interrupted.
        Dropout is its configuration's.
    text : Text
    settings : Settings
        Without label smoothing, consistency, precision, checkpoints and snapshots, which are not used.
    contexts : sequence of int
        Tokens of a window, one number after the other for an equal share of the steps. Among few
        tokens a model finds sooner what stands one token back.
    report : callable, optional
        Called with the history after each validation.
    balance : float
        What the balancing loss of each mixture of experts counts in the sum that is minimised, where a
        model has any. The losses of the history are without it.

    Returns
    -------
    History
        The losses in nats per token, and what the run took.

    Raises
    ------
    ConfigError
        If the model is no LanguageModel, or none of its parameters can learn.
    DataError
        If a window is longer than the training text or than a batch.
    FloatingPointError
        If the loss or that of the validation is not finite.
    """
    check_learner("train_language_model", model, "LanguageModel")
    train, unseen = (torch.from_numpy(ids) for ids in (text.train, text.validation))
    for context in contexts:
        longest = min(settings.tokens, len(train) - 1)
        if not (is_integer(context) and 1 <= context <= longest):
            raise DataError(
                f"train_language_model: windows of {context} tokens, for batches of "
                f"{settings.tokens} and a text of {len(train)}; expected at most a batch, and "
                "less than the text. Choose a smaller context."
            )
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9, fused=True)
    draw = torch.Generator().manual_seed(mix_seed(settings.seed))
    history, began = History(), time.perf_counter()
    with (
        evaluation_mode_afterwards(model),
        torch.random.fork_rng(devices=[]),  # dropout's draws change no others
        progress.make_progress_bar(settings.steps, "step", "training") as bar,
    ):
        torch.default_generator.manual_seed(mix_seed(settings.seed))
        while history.step_count < settings.steps:
            context = contexts[history.step_count * len(contexts) // settings.steps]
            rows = settings.tokens // context
            first = torch.randint(len(train) - context, (rows, 1), generator=draw)
            window = train[first + torch.arange(context + 1)]  # (rows, context + 1)
            history.losses.append(
                _take_training_step(
                    model, adam, window, settings, history.step_count + 1, balance
                )
            )
            history.tokens += rows * context
            if settings.validates(history.step_count):
                # Without overlap, which takes half the time; a little worse than it could be.
                loss = token_losses(model, unseen, context, context).mean().item()
                check_finite(f"the validation loss is {loss}", loss)
                history.validation.append((history.step_count, loss))
            history.seconds = time.perf_counter() - began
            if settings.validates(history.step_count) and report:
                report(history)
            bar.set_postfix_str(str(history), refresh=False)
            bar.update()
    return history


def _take_training_step(model, adam, window, settings, step, balance):
    model.train()
    with record_routes(model) as routes:
        x, _ = model.vectors(window[:, :-1])
    labels = window[:, 1:]
    loss = output_loss(x, model.output, labels, 0.0, -1) / labels.numel()
    rate = settings.learning_rate(step, model.config.d_model)
    value = loss.item()
    check_finite(
        f"the loss of step {step} is {value}, at learning rate {rate:.2g}", value
    )
    for _, P in routes:  # of a model with experts
        loss = loss + balance * balancing_loss(P, model.config.active)
    adam.zero_grad()
    loss.backward()
    if settings.clip:
        torch.nn.utils.clip_grad_norm_(model.parameters(), settings.clip)
    for group in adam.param_groups:
        group["lr"] = rate
    adam.step()
    return value


@checked
def token_losses(
    model: LanguageModel, ids: Int[Tensor, "tokens"], context: int, stride: int = 0
) -> Float[Tensor, "tokens_less_1"]:
    r"""Return how wrong a language model is at each token of a text but the first.

    .. math:: -\ln p(x_t \mid x_{t-c}, \ldots, x_{t-1})

    The text is read in windows that overlap, so that every token is asked for once and has, except
    in the first window, at least ``context - stride`` tokens before it. Perplexity is e to the mean.

    Parameters
    ----------
    model : LanguageModel
        Its mode is left as it was.
    ids : integer tensor, (tokens,)
    context : int
        The most tokens that are read before one is asked for.
    stride : int
        By how many tokens one window begins after another; by default half the context.

    Returns
    -------
    tensor, (tokens - 1,)
        In nats, float64.

    Raises
    ------
    DecodeError
        If the model is no LanguageModel.
    ShapeError
        If there are fewer than two tokens.
    ConfigError
        If ``context`` or ``stride`` is not a number of them.
    """
    check_model("token_losses", model, "LanguageModel")
    stride = stride or max(1, context // 2)
    who, what = "token_losses", "a number of tokens"
    remedy = "Give the number that the model reads at once."
    expect_integer(ConfigError, who, "context", context, what, remedy=remedy)
    remedy = "Leave it out for half the context."
    expect_integer(ConfigError, who, "stride", stride, what, remedy=remedy)
    n, name, remedy = len(ids) - 1, "the number of tokens", "Take a longer text."
    expect_integer(ShapeError, who, name, len(ids), "a text", 2, remedy=remedy)
    width = min(context, n)
    last = n - width
    starts = torch.tensor([*range(0, last, min(stride, width)), last])
    windows = ids[starts[:, None] + torch.arange(width + 1)]  # (windows, width + 1)
    losses = torch.empty(n, dtype=torch.float64)
    with evaluation_mode(model):
        parts = windows.split(max(1, POSITIONS_AT_A_TIME // width))
        losses_of_parts = [_window_losses(model, part) for part in parts]
    # Later windows know less of their first tokens, so they are written first.
    for start, row in reversed(list(zip(starts.tolist(), torch.cat(losses_of_parts)))):
        losses[start : start + width] = row
    return losses


def _window_losses(model, windows):
    logits, _ = model(windows[:, :-1])
    labels = windows[:, 1:]
    return cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none").view(
        labels.shape
    )
