"""R-Drop: two passes with other dropout, whose predictions are pulled together (Liang et al., 2021)."""

from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..shapes import check_same_shape, checked
from .loss import blockwise_loss, label_log_probabilities


@checked
def symmetric_divergence(
    logits_1: Float[Tensor, "*batch words"], logits_2: Float[Tensor, "*batch words"]
) -> Float[Tensor, "*batch"]:
    r"""Return how far two predictions are apart, the mean of the divergences both ways.

    .. math:: \mathrm{KL}(p \,\|\, q) = \sum_w p_w (\log p_w - \log q_w)

    .. math:: D = \tfrac12 [\mathrm{KL}(p \,\|\, q) + \mathrm{KL}(q \,\|\, p)]
                = \tfrac12 \sum_w (p_w - q_w)(\log p_w - \log q_w)

    It is 0 where the predictions are equal, and else positive. With respect to the logits of p, z,

    .. math:: \frac{\partial D}{\partial z_w} = \tfrac12 [
              p_w (\log p_w - \log q_w - \mathrm{KL}(p \,\|\, q)) + p_w - q_w].

    Equation 2 of Liang et al. (2021).

    Parameters
    ----------
    logits_1, logits_2 : tensor, (..., words)
        Of which p and q are the softmax.

    Returns
    -------
    tensor, (...)
        In nats.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given.
    """
    check_same_shape("symmetric_divergence", "logits_2", logits_2, "logits_1", logits_1)
    log_p, log_q = (torch.log_softmax(z, dim=-1) for z in (logits_1, logits_2))
    return ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum(dim=-1) / 2


@checked
def consistent_loss(
    x_1: Float[Tensor, "*batch d_model"],
    x_2: Float[Tensor, "*batch d_model"],
    output: Float[Tensor, "words d_model"],
    labels: Int[Tensor, "*batch"],
    consistency: float,
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    r"""Sum, over all labels but padding, the loss of two passes and how far they are apart.

    .. math:: \tfrac12 [\mathrm{CE}(p) + \mathrm{CE}(q)] + \tfrac\alpha2\, D(p, q)

    CE is :func:`smoothed_cross_entropy`, D is :func:`symmetric_divergence`. This is half of equation 4
    of Liang et al. (2021), which adds up what two passes cost. So the loss stays that of one pass
    where the two agree, and alpha weighs as much as theirs, which is 5 for translation.

    As :func:`output_loss` it holds a block of the logits at a time, of both passes, and computes
    their gradient in place: ``(softmax - q) / 2`` of the label smoothed to q, plus alpha / 2 times
    what :func:`symmetric_divergence` says.

    Parameters
    ----------
    x_1, x_2 : tensor, (..., d_model)
        The decoder's vectors in the two passes.
    output : tensor, (words, d_model)
        The output layer, ``model.output``.
    labels : integer tensor, (...)
    consistency : float
        Alpha.
    smoothing, pad_id
        As in :func:`smoothed_cross_entropy`.

    Returns
    -------
    tensor, ()
        The sum in nats. Its gradient can be taken once. Precision is as of :func:`output_loss`.

    Raises
    ------
    ShapeError
        Naming the argument, the shape expected and the shape given; also if a label is no word.
    """
    check_same_shape("consistent_loss", "x_2", x_2, "x_1", x_1)
    word = labels != pad_id
    x = torch.stack([x_1[word], x_2[word]])  # (2, n, d_model)
    block_loss = partial(
        _consistent_block_loss, consistency=consistency, smoothing=smoothing
    )
    return blockwise_loss(x, output, labels[word], block_loss)


def _consistent_block_loss(
    logits, labels, needs_gradient, consistency, smoothing
) -> tuple:
    """Return the loss of logits of two passes, (2, rows, words), and its gradient for them."""
    log_p, weight = torch.log_softmax(logits, dim=-1), consistency / 4
    mixture = (1 - smoothing) * label_log_probabilities(
        "consistent_loss", log_p, labels.expand(2, -1)
    )
    if smoothing:
        mixture += smoothing * log_p.mean(dim=-1)
    loss = -mixture.sum(dtype=torch.float64) / 2
    ratio = log_p[0] - log_p[1]  # ln p/q, (rows, words)
    p = log_p.exp_()  # q is p[1]
    d_logits = torch.empty_like(p)
    for i, gradient in enumerate(d_logits):  # (rows, words)
        torch.mul(p[i], ratio, out=gradient)
        divergence = gradient.sum(dim=-1, keepdim=True)  # KL(p || q), then KL(q || p)
        loss += weight * divergence.sum(dtype=torch.float64)
        # In place, for each pass over so many numbers takes as long as a part of the product.
        gradient.mul_(weight).addcmul_(p[i], 0.5 + weight - weight * divergence)
        gradient.sub_(p[1 - i], alpha=weight)
        ratio.neg_()  # ln q/p
    if smoothing:
        d_logits -= smoothing / 2 / logits.shape[-1]
    rows = torch.arange(len(labels), device=labels.device)
    d_logits[:, rows, labels] -= (1 - smoothing) / 2
    return loss, d_logits
