"""What norms, bends and gates buy a small language model: ``python -m transformer_lab norms --help``."""

import torch

from transformer_book import data, nn, train

from .. import experiment
from ..book_models import wikipedia_text
from .small_models import CONTEXT, text_loss, training_settings, translation_text

# Of 256, the d_ff of the book's language model: with it the three matrices of a gated network
# hold as many numbers as the two of a plain one, to within half a per cent.
GATED_D_FF = 171
GATED_CHOICES = {"activation": "silu", "gated": True}
WAYS: dict[str, dict] = {
    "as in the paper": {},
    "RMSNorm": {"normalise": "rms"},
    "no biases": {"bias": False},
    "RMSNorm, no biases": {"normalise": "rms", "bias": False},
    "GELU": {"activation": "gelu"},
    "SwiGLU, as large": {**GATED_CHOICES, "d_ff": GATED_D_FF},
    "SwiGLU, half as large again": GATED_CHOICES,
    "QK-norm": {"qk_norm": True},
}
USUAL, TOO_HIGH = 0.005, 0.04  # the largest learning rate of a run
TEXT_NAMES = ("translations", "Wikipedia")
RUNS: tuple[tuple[str, float, str], ...] = (  # text, largest learning rate, way
    *((TEXT_NAMES[0], USUAL, way) for way in WAYS),
    *((TEXT_NAMES[0], TOO_HIGH, way) for way in ("as in the paper", "QK-norm")),
    *((TEXT_NAMES[1], USUAL, way) for way in ("as in the paper", "RMSNorm", "GELU")),
    (TEXT_NAMES[1], USUAL, "SwiGLU, as large"),
)
HELD_OUT_TOKENS = 20_000  # tokens held back, at most, on which a loss is measured


@torch.no_grad()
def largest_attention_score(model, ids: torch.Tensor) -> float:
    """Return the largest size of a score that a query gives to a word that it may see, in any layer.

    Parameters
    ----------
    model : LanguageModel
    ids : integer tensor, (batch, n)

    Returns
    -------
    float
    """
    largest, hooks = [], []

    def record_largest_score(attention, inputs) -> None:
        Q, K = (
            nn.split_heads(inputs[0] @ W, attention.h)
            for W in (attention.W_Q, attention.W_K)
        )
        if attention.q_norm is not None:
            Q, K = attention.q_norm(Q), attention.k_norm(K)
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        largest.append(scores.tril().abs().max().item())

    for layer in model.layers:
        hooks.append(
            layer.self_attention.register_forward_pre_hook(record_largest_score)
        )
    try:
        model(ids)
    finally:
        for hook in hooks:
            hook.remove()
    return max(largest)


def load_texts() -> dict[str, data.Text]:
    """Return the texts by name: sentences with their translations, and the book's articles."""
    return dict(zip(TEXT_NAMES, (translation_text(), wikipedia_text())))


def train_variant(
    text_name: str, peak_rate: float, way: str, text: data.Text, steps: int, seed
) -> dict:
    """Train a model from nothing on the text of that name; return a row of the record."""
    model = train.fresh_language_model(text, seed, **WAYS[way])
    run_settings = training_settings(steps, seed, peak_rate)
    history = train.train_language_model(model, text, run_settings, (CONTEXT,))
    held_out_ids = torch.from_numpy(text.validation[:HELD_OUT_TOKENS])
    tokens_in_windows = len(held_out_ids) // CONTEXT * CONTEXT
    return {
        "text": text_name,
        "peak": peak_rate,
        "way": way,
        "seed": seed,
        "loss": text_loss(model, held_out_ids),
        "largest score": largest_attention_score(
            model, held_out_ids[:tokens_in_windows].view(-1, CONTEXT)
        ),
        "parameters": sum(W.numel() for W in model.parameters()),
        "tokens": history.tokens,
        "seconds": round(history.seconds, 1),
    }


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "norms",
        "Train language models of the book's size with other norms, bends, gates and without "
        "biases, and some at a learning rate that is too high.",
        steps=(400, "of each training"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    by_name = load_texts()
    rows = [
        train_variant(text_name, peak, way, by_name[text_name], args.steps, seed)
        for seed in experiment.seeds_of(args)
        for text_name, peak, way in RUNS
    ]
    return {"runs": rows}
