"""What norms, bends and gates buy a small language model: ``python -m transformer_lab norms --help``."""

import torch

from transformer_book import nn, train

from .. import experiment
from ..book_models import wikipedia_text
from .small_models import CONTEXT, loss, settings, translations

# Of 256, the d_ff of the book's language model: with it the three matrices of a gated network
# hold as many numbers as the two of a plain one, to within half a per cent.
GATED_WIDTH = 171
GATED = {"activation": "silu", "gated": True}
WAYS: dict[str, dict] = {
    "as in the paper": {},
    "RMSNorm": {"normalise": "rms"},
    "no biases": {"bias": False},
    "RMSNorm, no biases": {"normalise": "rms", "bias": False},
    "GELU": {"activation": "gelu"},
    "SwiGLU, as large": {**GATED, "d_ff": GATED_WIDTH},
    "SwiGLU, half as large again": GATED,
    "QK-norm": {"qk_norm": True},
}
USUAL, TOO_HIGH = 0.005, 0.04  # the largest learning rate of a run
TEXTS = ("translations", "Wikipedia")
RUNS = (
    *((TEXTS[0], USUAL, way) for way in WAYS),
    *((TEXTS[0], TOO_HIGH, way) for way in ("as in the paper", "QK-norm")),
    *((TEXTS[1], USUAL, way) for way in ("as in the paper", "RMSNorm", "GELU")),
    (TEXTS[1], USUAL, "SwiGLU, as large"),
)
HELD_OUT_TOKENS = 20_000  # tokens held back, at most, on which a loss is measured


@torch.no_grad()
def largest_score(model, ids):
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

    def record_scores(attention, inputs):
        Q, K = (
            nn.split_heads(inputs[0] @ W, attention.h)
            for W in (attention.W_Q, attention.W_K)
        )
        if attention.q_norm is not None:
            Q, K = attention.q_norm(Q), attention.k_norm(K)
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        largest.append(scores.tril().abs().max().item())

    for layer in model.layers:
        hooks.append(layer.self_attention.register_forward_pre_hook(record_scores))
    try:
        model(ids)
    finally:
        for hook in hooks:
            hook.remove()
    return max(largest)


def load_texts():
    """Return the texts by name: sentences with their translations, and the book's articles."""
    return dict(zip(TEXTS, (translations(), wikipedia_text())))


def train_variant(text_name, peak, way, text, steps, seed):
    """Train a model from nothing on the text of that name; return a row of the record."""
    model = train.fresh_language_model(text, seed, **WAYS[way])
    run_settings = settings(steps, seed, peak)
    history = train.train_language_model(model, text, run_settings, (CONTEXT,))
    held_out_ids = torch.from_numpy(text.validation[:HELD_OUT_TOKENS])
    tokens_in_windows = len(held_out_ids) // CONTEXT * CONTEXT
    return {
        "text": text_name,
        "peak": peak,
        "way": way,
        "seed": seed,
        "loss": loss(model, held_out_ids),
        "largest score": largest_score(
            model, held_out_ids[:tokens_in_windows].view(-1, CONTEXT)
        ),
        "parameters": sum(W.numel() for W in model.parameters()),
        "tokens": history.tokens,
        "seconds": round(history.seconds, 1),
    }


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.parser_of(
        "norms",
        "Train language models of the book's size with other norms, bends, gates and without "
        "biases, and some at a learning rate that is too high.",
        steps=(400, "of each training"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run(argument_parser(), argv, _record_runs)


def _record_runs(args):
    by_name = load_texts()
    rows = [
        train_variant(text_name, peak, way, by_name[text_name], args.steps, seed)
        for seed in experiment.chosen_seeds(args)
        for text_name, peak, way in RUNS
    ]
    return {"runs": rows}
