"""A feed-forward network in several parts, the experts, of which each word passes a few."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..by_hand.experts import check_active, check_capacity, check_experts
from ..expect import expect_integer
from ..options import ConfigError
from ..shapes import checked
from .feed_forward import FeedForward
from .linear import linear


@checked
def route(
    x: Float[Tensor, "*batch d_model"],
    W_router: Float[Tensor, "d_model experts"],
    active: int,
    capacity: int | None = None,
) -> tuple[Float[Tensor, "*batch experts"], Float[Tensor, "*batch experts"]]:
    """As ``by_hand.route``, with gradients."""
    check_active("route", active, W_router.shape[-1])
    check_capacity("route", capacity)
    P = _router_probabilities(x, W_router)
    w, chosen, accepted = _choose_experts(P.flatten(0, -2), active, capacity)
    weights = torch.zeros_like(P).view(-1, P.shape[-1])
    return weights.scatter(-1, chosen, w * accepted).view(P.shape), P


def _router_probabilities(
    x: Float[Tensor, "*batch d_model"], W_router: Float[Tensor, "d_model experts"]
) -> Float[Tensor, "*batch experts"]:
    """Return P, (..., experts); under autocast too in the dtype of the router.

    With fewer digits experts that are nearly as probable would change places. Fedus et al. (2022).
    """
    with torch.autocast(x.device.type, enabled=False):
        return linear(x.to(W_router.dtype), W_router).softmax(dim=-1)


def _choose_experts(
    P: Float[Tensor, "words experts"], active: int, capacity: int | None
) -> tuple[
    Float[Tensor, "words active"],
    Int[Tensor, "words active"],
    Bool[Tensor, "words active"],
]:
    """Return weights, experts, and whether they take the word: each (words, active), best first."""
    weights, chosen = P.topk(active, dim=-1)
    if active > 1:
        weights = weights / weights.sum(dim=-1, keepdim=True)
    accepted = torch.ones_like(chosen, dtype=torch.bool)
    if capacity is not None:
        queue = chosen.T.flatten()  # first choices first
        takes = torch.nn.functional.one_hot(queue, P.shape[-1])
        place = (takes.cumsum(dim=0) * takes).sum(dim=-1)  # in its expert's queue
        accepted = (place <= capacity).view(active, -1).T
    return weights, chosen, accepted


@checked
def mixture_of_experts(
    x: Float[Tensor, "*batch d_model"],
    W_router: Float[Tensor, "d_model experts"],
    experts: Sequence[Callable],
    active: int,
    capacity: int | None = None,
) -> tuple[Float[Tensor, "*batch d_model"], Float[Tensor, "*batch experts"]]:
    """As ``by_hand.mixture_of_experts``, with gradients. An expert without words is not called."""
    name = "mixture_of_experts"
    check_experts(name, len(experts), W_router.shape[-1])
    check_active(name, active, len(experts))
    check_capacity(name, capacity)
    rows = x.reshape(-1, x.shape[-1])  # (words, d_model)
    P = _router_probabilities(rows, W_router)
    w, chosen, accepted = _choose_experts(P, active, capacity)
    weights = torch.zeros_like(P).scatter(-1, chosen, w * accepted)
    if torch.compiler.is_compiling():
        # No size may depend on the choices: each expert gets all words.
        pairs = zip(experts, weights.T.unsqueeze(-1))
        output = sum(expert(rows) * weight for expert, weight in pairs)
    else:
        output = _run_chosen_experts(rows, w, chosen, accepted, experts)
    return output.view(x.shape), weights.view(*x.shape[:-1], -1)


def _run_chosen_experts(
    rows: Float[Tensor, "words d_model"],
    weights: Float[Tensor, "words active"],
    chosen_experts: Int[Tensor, "words active"],
    is_accepted: Bool[Tensor, "words active"],
    experts: Sequence[Callable],
) -> Float[Tensor, "words d_model"]:
    """Sort all choices by their expert, so that each has the rows of its words together."""
    # Behind the last expert stands nobody: there go the choices that were dropped.
    expert_of = chosen_experts.where(is_accepted, len(experts)).flatten()
    order = expert_of.argsort(stable=True)
    counts = expert_of.bincount(minlength=len(experts) + 1).tolist()
    word_of = order // chosen_experts.shape[-1]
    weight_of = weights.flatten().index_select(0, order)
    output = torch.zeros_like(rows)
    batches = zip(experts, word_of.split(counts), weight_of.split(counts))
    for expert, words, w in batches:
        if len(words):
            # Not rows[words]: the gradient of index_select is several times faster.
            # Under autocast the products have fewer digits than the sum.
            weighted = expert(rows.index_select(0, words)) * w.unsqueeze(-1)
            output.index_add_(0, words, weighted.to(output.dtype))
    return output


@checked
def balancing_loss(
    P: Float[Tensor, "*batch experts"], active: int
) -> Float[Tensor, ""]:
    """As ``by_hand.balancing_loss``, with gradients, which the probabilities alone have."""
    experts = P.shape[-1]
    check_active("balancing_loss", active, experts)
    P = P.flatten(0, -2)
    chosen = P.topk(active, dim=-1).indices.flatten()
    f = chosen.bincount(minlength=experts).to(P.dtype) / chosen.numel()
    return experts * (f * P.mean(dim=0)).sum()


class MixtureOfExperts(torch.nn.Module):
    """A mixture of experts with learned weights, in the place of a feed-forward network.

    Parameters
    ----------
    d_model, d_ff : int
        Widths of each expert, as in :class:`FeedForward`.
    experts : int
        How many there are: so many are held.
    active : int
        Experts of a word: so many are computed.
    capacity : int, optional
        As in :func:`route`.
    expert : callable
        ``expert(d_model, d_ff)`` makes one, a module from rows to rows.

    Raises
    ------
    ConfigError
        If a number is not a positive integer, or ``active`` is more than ``experts``.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        experts: int,
        active: int,
        capacity: int | None = None,
        expert=FeedForward,
    ):
        name = "MixtureOfExperts"
        what, remedy = "a number of experts", "For a single network use FeedForward."
        expect_integer(ConfigError, name, "experts", experts, what, remedy=remedy)
        check_active(name, active, experts)
        check_capacity(name, capacity)
        super().__init__()
        self.active, self.capacity = active, capacity
        self.experts = torch.nn.ModuleList(
            expert(d_model, d_ff) for _ in range(experts)
        )
        self.W_router = torch.nn.Parameter(torch.empty(d_model, experts))
        torch.nn.init.xavier_uniform_(self.W_router)

    def forward(self, x):
        """Apply ``mixture_of_experts`` with this module's weights."""
        return mixture_of_experts(
            x, self.W_router, self.experts, self.active, self.capacity
        )[0]

    def route(self, x) -> tuple[Tensor, Tensor]:
        """Return the weights and the probabilities of ``route`` for these vectors."""
        return route(x, self.W_router, self.active, self.capacity)


@contextmanager
def record_routes(
    model: torch.nn.Module,
) -> Iterator[list[tuple[Tensor, Tensor]]]:
    """Record, while a model runs, how each of its mixtures of experts routes the words.

    Parameters
    ----------
    model : torch.nn.Module
        Of which some modules are :class:`MixtureOfExperts`, or none.

    Yields
    ------
    list of (weights, P)
        Of ``route``; one pair for each mixture that has run, in the order in which they ran. What
        backward runs again, as of ``train.recomputing``, counts once.

    Raises
    ------
    ConfigError
        If the model, or a part of it, is compiled: torch then runs no hook that is set later.
    """
    if any(map(_is_compiled, model.modules())):
        raise ConfigError(
            "record_routes: the model is compiled; expected a plain one, as a compiled one tells no "
            "routes. Give the model that was compiled, or compile it without record_routes around it."
        )
    routes = []

    def record_route(mixture: MixtureOfExperts, inputs: tuple, output: Tensor) -> None:
        if torch._C._current_graph_task_id() != -1:  # backward runs the mixture again
            return
        # Saved, where all else is recomputed: when backward comes, this may have ended.
        with torch.autograd.graph.saved_tensors_hooks(torch.Tensor.detach, lambda x: x):
            routes.append(mixture.route(*inputs))

    mixtures = [m for m in model.modules() if isinstance(m, MixtureOfExperts)]
    hooks = [mixture.register_forward_hook(record_route) for mixture in mixtures]
    try:
        yield routes
    finally:
        for hook in hooks:
            hook.remove()


def _is_compiled(module: torch.nn.Module) -> bool:
    return hasattr(module, "_orig_mod") or module._compiled_call_impl is not None
