"""Positions of seven kinds, beyond the trained length: ``python -m transformer_lab positions --help``."""

import copy

import torch

from transformer_book import data, nn, train
from transformer_book.config import POSITIONS

from .. import experiment
from .small_models import CONTEXT, training_settings, translation_text

LONGEST_WINDOW = 512  # tokens of the longest window in a test
MODEL_SIZES = {"d_model": 64, "d_ff": 128, "h": 4, "N": 2}  # d_k = 16
# Beside the kinds: where in the stack positions are added.
PLACEMENTS = ("sinusoidal in every layer", "rope in the first layer")
WAYS = (*POSITIONS, *PLACEMENTS)
ROPE_FACTORS = (2.0, 8.0)  # by which a trained RoPE is slowed down


def untrained_variant(way: str, text: data.Text, seed=0) -> nn.LanguageModel:
    """Return an untrained language model with positions in one of ``WAYS``."""
    kind = way.split(" ")[0]
    longest = CONTEXT if kind == "learned" else LONGEST_WINDOW
    model = train.fresh_language_model(
        text, seed, positions=kind, max_length=longest, **MODEL_SIZES
    )
    if way == "sinusoidal in every layer":
        for layer in model.layers[1:]:
            layer.register_forward_pre_hook(_position_adding_hook(model.PE))
    if way == "rope in the first layer":
        for layer in model.layers[1:]:
            layer.self_attention.positions = None
    return model


def _position_adding_hook(PE: torch.Tensor):
    def add_positions(layer, args) -> tuple:  # of a text read at once, without a cache
        x, *others = args
        return x + PE[: x.shape[-2]].to(x.dtype), *others

    return add_positions


def rope_scalings(
    d_k: int, factor: float, trained_length=CONTEXT
) -> dict[str, tuple[torch.Tensor, float]]:
    """Return three ways to slow a trained RoPE down, by name: frequencies and YaRN's factor.

    Parameters
    ----------
    d_k : int
    factor : float
        How many times longer the text may be.
    trained_length : int
        Tokens of the texts of the training.

    Returns
    -------
    dict of str to (tensor, float)
    """
    return {
        "linear": (nn.linear_frequencies(d_k, factor), 1.0),
        "NTK-aware": (nn.ntk_frequencies(d_k, factor), 1.0),
        "YaRN": nn.yarn_frequencies(d_k, factor, trained_length),
    }


def set_rope_frequencies(
    model, frequencies: torch.Tensor, yarn_factor: float = 1.0
) -> nn.LanguageModel:
    """Turn queries and keys of a model with RoPE at other frequencies from now on."""
    for layer in model.layers:
        attention = layer.self_attention
        d_k = len(attention.W_Q) // attention.h
        attention.positions = nn.RotaryPositions(d_k, frequencies, yarn_factor)
    return model


@torch.no_grad()
def losses_by_position_block(
    model,
    text: data.Text,
    window_tokens=LONGEST_WINDOW,
    block_tokens=CONTEXT,
    read_tokens: int | None = None,
) -> list[float]:
    """Return the loss at places 1 to ``block_tokens`` of a window, at as many after them, and so on.

    At all of them the same tokens are asked for: a window begins every ``block_tokens`` tokens, so that
    each token is read once in each block of places.

    Parameters
    ----------
    model : LanguageModel
    text : Text
        Of which what is held back is read.
    window_tokens, block_tokens : int
        Tokens of a window, and of a block of places.
    read_tokens : int, optional
        Of each window only so many tokens are read; for a model that can read no more.

    Returns
    -------
    list of float
        In nats per token.
    """
    held_out_ids, blocks = (
        torch.from_numpy(text.validation),
        window_tokens // block_tokens,
    )
    read_tokens = read_tokens or window_tokens
    starts = torch.arange(0, len(held_out_ids) - window_tokens, block_tokens)
    common = len(starts) - blocks + 1  # stretches of the text that all blocks read
    losses = torch.zeros(read_tokens // block_tokens, len(starts))
    for batch_starts in starts.split(8):
        window = held_out_ids[batch_starts[:, None] + torch.arange(read_tokens + 1)]
        logits, _ = model(window[:, :-1])
        token_losses = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), window[:, 1:].flatten(), reduction="none"
        )
        block_losses = token_losses.view(len(batch_starts), -1, block_tokens).mean(-1)
        losses[:, batch_starts // block_tokens] = block_losses.T
    return [
        row[blocks - 1 - place :][:common].mean().item()
        for place, row in enumerate(losses)
    ]


def train_variant(
    way: str, text: data.Text, steps: int, seed
) -> tuple[nn.LanguageModel, dict]:
    """Train a model from nothing; return it and a row of the record."""
    model = untrained_variant(way, text, seed)
    history = train.train_language_model(
        model, text, _run_settings(steps, seed), (CONTEXT,)
    )
    read_tokens = (
        CONTEXT if way == "learned" else LONGEST_WINDOW
    )  # where its table ends
    return model, {
        "way": way,
        "seed": seed,
        "losses": losses_by_position_block(model, text, read_tokens=read_tokens),
        "parameters": sum(W.numel() for W in model.parameters()),
        "tokens": history.tokens,
        "seconds": round(history.seconds, 1),
    }


def try_scalings(
    model: nn.LanguageModel, text: data.Text, more_steps: int, seed
) -> list[dict]:
    """Slow a model trained with RoPE down in each way; return the rows of the record.

    Those for the longest windows are also trained on, on such windows, beside the model as it was.

    Parameters
    ----------
    model : LanguageModel
        Is not changed.
    text : Text
    more_steps : int
        Of that training.
    seed : int

    Returns
    -------
    list of dict
    """
    d_k = MODEL_SIZES["d_model"] // MODEL_SIZES["h"]
    ways = [("as trained", 1.0, (nn.rope_frequencies(d_k), 1.0))]
    for factor in ROPE_FACTORS:
        ways += [
            (name, factor, rope) for name, rope in rope_scalings(d_k, factor).items()
        ]
    rows = []
    for name, factor, rope in ways:
        slowed_model = set_rope_frequencies(copy.deepcopy(model), *rope)
        row = {"scaling": name, "factor": factor, "seed": seed}
        row["losses"] = losses_by_position_block(slowed_model, text)
        if factor in (1.0, LONGEST_WINDOW / CONTEXT):
            train.train_language_model(
                slowed_model,
                text,
                _run_settings(more_steps, seed, 0.002),
                (LONGEST_WINDOW,),
            )
            row["trained on"] = losses_by_position_block(slowed_model, text)
        rows.append(row)
    return rows


def _run_settings(steps: int, seed: int, peak_rate=0.005):
    return training_settings(steps, seed, peak_rate, MODEL_SIZES["d_model"])


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "positions",
        "Train small language models whose positions enter in different ways, and read texts "
        f"{LONGEST_WINDOW // CONTEXT} times as long with them.",
        steps=(1_000, "of each training"),
        on=(100, "steps on long windows, once slowed down"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    text, runs, scaled_runs = translation_text(held_out_count=300, n_merges=400), [], []
    for seed in experiment.seeds_of(args):
        for way in WAYS:
            model, row = train_variant(way, text, args.steps, seed)
            runs.append(row)
            if way == "rope":
                scaled_runs += try_scalings(model, text, args.on, seed)
    return {"runs": runs, "scalings": scaled_runs}
