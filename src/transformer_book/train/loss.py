"""The loss: cross-entropy with label smoothing, section 5.4 of the paper, and a fast way to it."""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..nn.gradient import once_differentiable
from ..nn.linear import linear
from ..shapes import ShapeError, checked

MIN_BLOCK_ROWS = 256  # positions in a block of logits; more where words are few
LOGITS_PER_BLOCK = 2**20


@checked
def smoothed_cross_entropy(
    logits: Float[Tensor, "*batch words"],
    labels: Int[Tensor, "*batch"],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    r"""Sum, over all labels but padding, how far the prediction is from the smoothed label.

    .. math:: -\sum_w q_w \log p_w, \qquad
              q_w = (1 - \epsilon)\,[w = \mathrm{label}] + \epsilon / \mathrm{words}

    Section 5.4 of Vaswani et al. (2017); Szegedy et al. (2016).

    Parameters
    ----------
    logits : tensor, (..., words)
    labels : integer tensor, (...)
        The word that does follow.
    smoothing : float
        How much of the probability is spread over all words, epsilon.
    pad_id : int
        The label that counts for nothing.

    Returns
    -------
    tensor, ()
        The sum in nats; divide by the number of words for the mean. Of logits in float16 or bfloat16
        it is computed in float32.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if a label is no word.
    """
    padding = labels == pad_id
    logits = logits.to(_dtype_of_at_least_float32(logits))
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)  # (..., words)
    of_label = label_log_probabilities(
        "smoothed_cross_entropy", log_p, labels.masked_fill(padding, 0)
    )
    losses = -(1 - smoothing) * of_label  # (...)
    if smoothing:  # 0 times the -inf of a word that is ruled out would be NaN
        losses = losses - smoothing * log_p.mean(dim=-1)
    return losses.masked_fill(padding, 0.0).sum()


def label_log_probabilities(function_name, log_p, labels):
    """Return of log-probabilities, (..., words), those of the labels, (...)."""
    try:
        return log_p.gather(-1, labels.long().unsqueeze(-1)).squeeze(-1)
    except RuntimeError:
        least, most = map(int, labels.aminmax())
        if least >= 0 and most < log_p.shape[-1]:
            raise  # for another reason, such as no memory
        raise ShapeError(
            f"{function_name}: labels hold ids from {least} to {most}; expected 0 to "
            f"{log_p.shape[-1] - 1}, or pad_id where nothing is to be learned. Use the vocabulary "
            "of this model."
        ) from None


def _dtype_of_at_least_float32(x):
    return torch.promote_types(x.dtype, torch.float32)


@checked
def output_loss(
    x: Float[Tensor, "*batch d_model"],
    output: Float[Tensor, "words d_model"],
    labels: Int[Tensor, "*batch"],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    r"""Return ``smoothed_cross_entropy(x @ output.T, labels)`` without ever holding all logits.

    With many words the logits, a number for each position and each word, are the largest tensor of
    a training step. Here they are computed in blocks of some rows, up to three of which are alive at
    one time. Each block's log-probabilities are overwritten by the gradient of its logits,

    .. math:: \frac{\partial\,\mathrm{loss}}{\partial\,\mathrm{logits}}
              = \mathrm{softmax}(\mathrm{logits}) - q,

    and padding has no logits at all.

    Parameters
    ----------
    x : tensor, (..., d_model)
        The decoder's vectors.
    output : tensor, (words, d_model)
        The output layer, ``model.output``. Where it does not learn its gradient costs nothing.
    labels, smoothing, pad_id
        As in :func:`smoothed_cross_entropy`.

    Returns
    -------
    tensor, ()
        The sum in nats. Its gradient can be taken once. Under autocast, or where ``x`` is in
        float16 or bfloat16, the matrix products have that precision; the softmax and all sums have
        float32.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if a label is no word.
    """
    word = labels != pad_id
    block_loss = partial(_smoothed_loss, smoothing=smoothing)
    return blockwise_loss(x[word], output, labels[word], block_loss)


def rows_per_block(words: int) -> int:
    """Return how many positions a block of ``output_loss`` has, a power of two."""
    return max(MIN_BLOCK_ROWS, 1 << max(1, LOGITS_PER_BLOCK // words).bit_length() - 1)


def blockwise_loss(x, output, labels, block_loss: Callable):
    """Sum a loss of the logits ``x @ output.T`` over blocks of positions, and compute its gradient.

    Parameters
    ----------
    x : tensor, (n, d_model), or (passes, n, d_model)
    output : tensor, (words, d_model)
    labels : integer tensor, (n,)
    block_loss : callable
        ``block_loss(logits, labels, learns)`` returns the loss of a block and its gradient for these
        logits, (rows, words) or (passes, rows, words); None for that where nothing learns.

    Returns
    -------
    tensor, ()
    """
    passes = x.shape[:-2].numel()
    rows = rows_per_block(len(output)) // passes
    learns = torch.is_grad_enabled()
    return _BlockwiseLoss.apply(x, output, labels, block_loss, rows, learns)


class _BlockwiseLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, output, labels, block_loss: Callable, rows, needs_gradient):
        device = x.device.type
        mixed = torch.is_autocast_enabled(device)
        low = torch.get_autocast_dtype(device) if mixed else x.dtype
        W, wide = output.to(low), _dtype_of_at_least_float32(x)
        dx, d_output = torch.empty_like(x), None
        if ctx.needs_input_grad[1]:
            d_output = torch.zeros_like(output, dtype=wide)
        loss = x.new_zeros((), dtype=torch.float64)
        with torch.autocast(device, enabled=False):
            blocks = zip(x.split(rows, -2), labels.split(rows), dx.split(rows, -2))
            for x_block, label, dx_block in blocks:
                x_block = x_block.to(low)
                logits = linear(x_block, W.T).to(wide)  # (..., rows, words)
                added, d_logits = block_loss(logits, label, needs_gradient)
                loss += added
                if needs_gradient:
                    d_logits = d_logits.to(low)
                    dx_block.copy_(linear(d_logits, W))
                    if d_output is not None:
                        d_rows, x_rows = d_logits.flatten(0, -2), x_block.flatten(0, -2)
                        d_output += linear(d_rows.T, x_rows)
        ctx.save_for_backward(dx, d_output)
        return loss.to(wide)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output) -> tuple:
        dx, d_output = ctx.saved_tensors
        # In place: a fresh copy of each would cost more than the product itself.
        if d_output is not None:
            d_output.mul_(grad_output)
        return dx.mul_(grad_output), d_output, None, None, None, None


def _smoothed_loss(logits, labels, needs_gradient, smoothing) -> tuple:
    """Return the smoothed cross-entropy of logits, (rows, words), and its gradient for them."""
    log_p = torch.log_softmax(logits, dim=-1)
    mixture = (1 - smoothing) * label_log_probabilities("output_loss", log_p, labels)
    if smoothing:
        mixture += smoothing * log_p.mean(dim=-1)
    loss = -mixture.sum(dtype=torch.float64)
    if not needs_gradient:
        return loss, None
    d_logits = log_p.exp_().sub_(smoothing / logits.shape[-1])
    rows = torch.arange(len(labels), device=labels.device)
    d_logits[rows, labels] -= 1 - smoothing
    return loss, d_logits
