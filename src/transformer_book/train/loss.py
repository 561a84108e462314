"""The loss: cross-entropy with label smoothing, section 5.4 of the paper, and a fast way to it."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..nn.linear import linear
from ..shapes import checked

ROWS = 256  # positions in a block of logits; more where words are few
LOGITS = 2**20


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
        The sum in nats; divide by the number of words for the mean.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)  # (..., words)
    of_label = log_p.gather(-1, labels[..., None])[..., 0]  # (...)
    losses = -(1 - smoothing) * of_label - smoothing * log_p.mean(dim=-1)
    return losses.masked_fill(labels == pad_id, 0.0).sum()


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
        The sum in nats. Its gradient can be taken once. Under autocast the matrix products have
        the lower precision; the softmax and all sums keep that of ``x``.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    word = labels != pad_id
    return _OutputLoss.apply(
        x[word], output, labels[word], smoothing, torch.is_grad_enabled()
    )


def block_rows(words: int) -> int:
    """Return how many positions a block of ``output_loss`` has, a power of two."""
    return max(ROWS, 1 << max(1, LOGITS // words).bit_length() - 1)


class _OutputLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, output, labels, smoothing, learns):
        device, words = x.device.type, len(output)
        mixed = torch.is_autocast_enabled(device)
        low = torch.get_autocast_dtype(device) if mixed else x.dtype
        W = output.to(low)
        dx = torch.empty_like(x)
        d_output = torch.zeros_like(output) if ctx.needs_input_grad[1] else None
        loss = x.new_zeros((), dtype=torch.float64)
        rows = block_rows(words)
        with torch.autocast(device, enabled=False):
            blocks = zip(x.split(rows), labels.split(rows), dx.split(rows))
            for some, label, dx_some in blocks:
                at = torch.arange(len(some), device=x.device), label
                logits = linear(some.to(low), W.T).to(x.dtype)  # (rows, words)
                log_p = torch.log_softmax(logits, dim=-1)
                mean = log_p.mean(dim=-1)
                mixture = (1 - smoothing) * log_p[at] + smoothing * mean
                loss -= mixture.sum(dtype=loss.dtype)
                if learns:
                    d_logits = log_p.exp_().sub_(smoothing / words)
                    d_logits[at] -= 1 - smoothing
                    d_logits = d_logits.to(low)
                    dx_some.copy_(linear(d_logits, W))
                    if d_output is not None:
                        d_output += linear(d_logits.T, some.to(low))
        ctx.save_for_backward(dx, d_output)
        return loss.to(x.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        dx, d_output = ctx.saved_tensors
        # In place: a fresh copy of each would cost more than the product itself.
        if d_output is not None:
            d_output.mul_(grad_output)
        return dx.mul_(grad_output), d_output, None, None, None
