"""What a mixture of experts buys, and how it spreads words: ``python -m transformer_lab experts --help``."""

import time

import torch

from transformer_book import data, nn, train

from .. import book_models, experiment
from .small_models import CONTEXT, training_settings

ROUTED_TOKENS = 20_000  # tokens of the text held back whose routes are looked at
BALANCE_WEIGHT = 0.01  # of Fedus et al. (2022)
DENSE: tuple[dict[str, int], ...] = ({"d_ff": 256}, {"d_ff": 512}, {"d_ff": 1024})
MIXTURES: tuple[dict[str, int], ...] = tuple(
    {"experts": experts, "active": active} for experts in (4, 8) for active in (1, 2)
)


def networks_to_train() -> list[tuple[dict, float]]:
    """Return what is trained: dense networks, and mixtures with and without the balancing loss.

    Returns
    -------
    list of (dict, float)
        Settings that differ from the book's model, and what the balancing loss counts.
    """
    return [
        *((way, 0.0) for way in DENSE),
        *((way, balance) for way in MIXTURES for balance in (0.0, BALANCE_WEIGHT)),
    ]


def stored_and_active_feed_forward_parameters(
    model: nn.LanguageModel,
) -> tuple[int, ...]:
    """Return the parameters of all feed-forward networks, and of those that a word passes.

    Parameters
    ----------
    model : LanguageModel

    Returns
    -------
    stored, active : int
        The router's count in both.
    """
    c = model.config
    network = 2 * c.d_model * c.d_ff + c.d_ff + c.d_model
    router = c.d_model * (c.experts or 0)
    return tuple(c.N * (k * network + router) for k in (c.experts or 1, c.active or 1))


@torch.no_grad()
def route_text(
    model: nn.LanguageModel, ids: torch.Tensor, context=CONTEXT
) -> tuple[torch.Tensor, ...]:
    """Return how each layer of a model routes a text, read in windows.

    Parameters
    ----------
    model : LanguageModel
        With experts.
    ids : integer tensor, (tokens,)
        What does not fill a window is left out.
    context : int
        Tokens of a window.

    Returns
    -------
    routing_weights, P : tensor, (N, tokens, experts)
        As of ``nn.route``.
    """
    windows = ids[: len(ids) // context * context].view(-1, context)
    with nn.record_routes(model) as by_layer:
        model.eval().vectors(windows)
    routing_weights, P = zip(*by_layer)
    return tuple(torch.stack(x).flatten(1, 2) for x in (routing_weights, P))


def expert_choice_shares(routing_weights: torch.Tensor) -> torch.Tensor:
    """Return the share of all choices that falls on each expert, (..., experts)."""
    chosen = (routing_weights > 0).double().mean(dim=-2)
    return chosen / chosen.sum(dim=-1, keepdim=True)


def dropped_share(
    P: torch.Tensor, active, capacity_factor: float, batch_tokens: int
) -> float:
    """Return the share of choices that a capacity would drop.

    Parameters
    ----------
    P : tensor, (tokens, experts)
        Probabilities of the router.
    active : int
    capacity_factor : float
        The capacity is so many times an expert's equal share of a batch.
    batch_tokens : int
        Tokens of a batch.
    """
    dropped, experts = [], P.shape[-1]
    for batch_P in P.split(batch_tokens):
        chosen = batch_P.topk(active, dim=-1).indices.flatten()
        counts = chosen.bincount(minlength=experts)
        capacity = max(1, round(capacity_factor * len(chosen) / experts))
        dropped.append((counts - capacity).clamp(min=0).sum().item() / len(chosen))
    return sum(dropped) / len(dropped)


def first_expert_predicted_shares(
    routing_weights: torch.Tensor, ids: torch.Tensor
) -> tuple[float, ...]:
    """Return how often a token's first expert is predicted: knowing the token, and knowing nothing.

    The first half of the text says which expert a token goes to most often; on the second half this is
    tested. A token that the first half lacks is predicted to go where most go.

    Parameters
    ----------
    routing_weights : tensor, (tokens, experts)
    ids : integer tensor, (tokens,)

    Returns
    -------
    float, float
    """
    first_expert, half = routing_weights.argmax(dim=-1), len(ids) // 2
    words, experts = int(ids.max()) + 1, routing_weights.shape[-1]
    counts = torch.zeros(words, experts)
    ones = torch.ones(half)
    counts.index_put_((ids[:half], first_expert[:half]), ones, accumulate=True)
    most_frequent = counts.sum(dim=0).argmax()
    by_token = counts.argmax(dim=-1).where(counts.sum(dim=-1) > 0, most_frequent)
    actual = first_expert[half:]
    return tuple(
        (predicted == actual).double().mean().item()
        for predicted in (by_token[ids[half:]], most_frequent)
    )


def describe_routing(
    model: nn.LanguageModel, ids: torch.Tensor, batch_tokens: int
) -> list[dict]:
    """Return what the record says of each layer of a model with experts."""
    routing_weights, P = route_text(model, ids)
    active = model.config.active
    return [
        {
            "shares": [round(x, 4) for x in expert_choice_shares(w).tolist()],
            "balance": nn.balancing_loss(p, active).item(),
            "dropped": {
                str(factor): dropped_share(p, active, factor, batch_tokens)
                for factor in (1.0, 1.25)
            },
            "told": first_expert_predicted_shares(w, ids[: w.shape[0]]),
        }
        for w, p in zip(routing_weights, P)
    ]


def train_variant(
    network_sizes: dict, balance_weight: float, text: data.Text, steps: int, seed
) -> tuple[nn.LanguageModel, dict]:
    """Train a model from nothing; return it and a row of the record, with its processor's seconds."""
    start = time.process_time()
    model = train.fresh_language_model(text, seed, **network_sizes)
    run_settings = training_settings(steps, seed)
    history = train.train_language_model(
        model, text, run_settings, (CONTEXT,), balance=balance_weight
    )
    held_out_ids = torch.from_numpy(text.validation[:ROUTED_TOKENS])
    stored, active = stored_and_active_feed_forward_parameters(model)
    row = {
        "way": network_sizes,
        "balance": balance_weight,
        "seed": seed,
        "loss": history.validation[-1][1],  # on all that is held back
        "held": stored,
        "active": active,
        "seconds": round(time.process_time() - start, 1),
    }
    if model.config.experts:
        row["layers"] = describe_routing(model, held_out_ids, run_settings.tokens)
    return model, row


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "experts",
        "Train language models of the book's size with dense feed-forward networks and with "
        "mixtures of experts, with and without a balancing loss.",
        steps=(300, "of each training"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run_experiment(
        argument_parser(), argv, _train_all_variants, time.process_time
    )


def _train_all_variants(args) -> dict:
    text = book_models.wikipedia_text()
    rows = [
        train_variant(way, balance, text, args.steps, seed)[1]
        for seed in experiment.seeds_of(args)
        for way, balance in networks_to_train()
    ]
    return {"runs": rows}
