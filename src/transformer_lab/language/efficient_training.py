"""What cheaper training costs in quality: ``python -m transformer_lab efficient-training --help``."""

import copy
import time

import numpy as np
import torch

from transformer_book import data, nn, train
from transformer_book.marks import EOS
from transformer_book.train.settings import seed_of

from .. import book_models, experiment
from .small_models import CONTEXT, loss, settings, translations

# Of the products, and by how much the loss is multiplied on the way back. The gradients of a batch that is
# 2**14 times as large are 2**14 times as small, for its mean is divided by as many more tokens. 2**-4 is
# what a scale of 1024 makes of that.
PRECISIONS = (
    ("float32", 1.0),
    ("bfloat16", 1.0),
    ("bfloat16", 2.0**-14),
    ("float16", 1.0),
    ("float16", 2.0**-14),
    ("float16", 2.0**-4),
)
DECAYS: tuple[tuple[str, float], ...] = (
    ("none", 0.0),
    ("in the gradient", 1e-3),
    ("in the gradient", 1e-2),
    ("beside it", 1e-1),
    ("beside it", 1.0),
)
RANKS = (1, 2, 4, 8)
MATRICES = ("W_QKV", "W_O", "W_1", "W_2")
PEAKS = {"adapted": (0.03, 0.1), "all": (0.003, 0.01)}  # the largest learning rates
UNSEEN = 8_000  # tokens that a loss is measured on


def learn(model, ids, given, *, precision="float32", scale=1.0, decay=("none", 0.0)):
    """Teach a language model a text, in a precision, with a scaled loss and a decay.

    Parameters
    ----------
    model : LanguageModel
        Learns in place, as far as its parameters can.
    ids : integer tensor, (tokens,)
        The text.
    given : Settings
        Steps, tokens of a batch, learning rate, longest gradient, seed.
    precision : str
        Of the products: a dtype of torch. Weights and Adam stay float32.
    scale : float
        The loss is multiplied by it before ``backward``, and the gradients divided by it after.
    decay : (str, float)
        "in the gradient": the weight times the number is added to it, L2. "beside it": the weight
        shrinks by the learning rate times the number, AdamW. It is for the matrices.

    Returns
    -------
    int
        How many steps were left out, as a gradient was not finite.
    """
    dtype, skipped = getattr(torch, precision), 0
    optimiser = optimiser_of(model, *decay)
    learns = [W for W in model.parameters() if W.requires_grad]
    draw = torch.Generator().manual_seed(seed_of(given.seed))
    rows = given.tokens // CONTEXT
    model.train()
    for step in range(1, given.steps + 1):
        first = torch.randint(len(ids) - CONTEXT, (rows, 1), generator=draw)
        window = ids[first + torch.arange(CONTEXT + 1)]  # (rows, CONTEXT + 1)
        with torch.autocast("cpu", dtype, dtype != torch.float32):
            x, _ = model.vectors(window[:, :-1])
            labels = window[:, 1:]
            loss = train.output_loss(x, model.output, labels, 0.0, -1)
        optimiser.zero_grad()
        (loss * (scale / labels.numel())).backward()
        for W in learns:
            W.grad /= scale
        longest = given.clip or torch.inf
        if not torch.nn.utils.clip_grad_norm_(learns, longest).isfinite():
            skipped += 1
            continue
        for group in optimiser.param_groups:
            group["lr"] = given.learning_rate(step, model.config.d_model)
        optimiser.step()
    model.eval()
    return skipped


def optimiser_of(model, where, number):
    """Return Adam, with the decay of :func:`learn` for those parameters that are matrices."""
    learns = [W for W in model.parameters() if W.requires_grad]
    groups = [
        {"params": [W for W in learns if W.ndim == 2], "weight_decay": number},
        {"params": [W for W in learns if W.ndim != 2], "weight_decay": 0.0},
    ]
    kind = torch.optim.AdamW if where == "beside it" else torch.optim.Adam
    return kind(groups, betas=(0.9, 0.98), eps=1e-9, fused=True)


def sentences(text, pairs):
    """Return the ids of English sentences of the grammar, in the tokens of a text, each with EOS.

    Parameters
    ----------
    text : Text
    pairs : list of (list of str, list of str)

    Returns
    -------
    integer tensor, (tokens,)
    """
    words = (" ".join(w for w in source if w.isalpha()).lower() for source, _ in pairs)
    return torch.tensor([i for some in words for i in [*text.ids(some), EOS]])


def precisions(text, steps, seed):
    """Train a model from nothing in each of ``PRECISIONS``; return the rows."""
    rows = []
    ids, unseen = (torch.from_numpy(part) for part in (text.train, text.validation))
    for precision, scale in PRECISIONS:
        model = train.fresh_language_model(text, seed)
        given = settings(steps, seed).changed(tokens=2 * CONTEXT)
        skipped = learn(model, ids, given, precision=precision, scale=scale)
        rows.append(
            {
                "precision": precision,
                "scale": scale,
                "seed": seed,
                "loss": loss(model, unseen[:UNSEEN]),
                "skipped": skipped,
            }
        )
    return rows


def decays(text, steps, tokens, seed):
    """Train on a text so short that it is read again and again, with each of ``DECAYS``; return the rows."""
    rows = []
    ids, unseen = (torch.from_numpy(part) for part in (text.train, text.validation))
    for where, number in DECAYS:
        model = train.fresh_language_model(text, seed)
        learn(model, ids[:tokens], settings(steps, seed), decay=(where, number))
        weights = [W.norm().item() for W in model.parameters() if W.ndim == 2]
        rows.append(
            {
                "where": where,
                "decay": number,
                "seed": seed,
                "seen": loss(model, ids[:tokens][:UNSEEN]),
                "loss": loss(model, unseen[:UNSEEN]),
                "norm": float(np.linalg.norm(weights)),
            }
        )
    return rows


def adaptations(model, text, corpus, steps, seed):
    """Teach a trained model the grammar's sentences: with LoRA of each rank, and with all its weights.

    Parameters
    ----------
    model : LanguageModel
        Is not changed.
    text : Text
        What it was trained on.
    corpus : ParallelCorpus
    steps, seed : int

    Returns
    -------
    list of dict
        Of each rank and each learning rate how many parameters learn, and the losses on both texts. Rank 0 is
        the model as it was, rank None all its weights.
    """
    ids, unseen = (sentences(text, part) for part in (corpus.train, corpus.test))
    old = torch.from_numpy(text.validation)
    rows = []
    for r in (0, *RANKS, None):
        for peak in PEAKS["adapted" if r else "all"] if r != 0 else (0.0,):
            made = (
                nn.adapt(model, r, MATRICES, seed=seed) if r else copy.deepcopy(model)
            )
            if peak:
                learn(made, ids, settings(steps, seed, peak))
            learns = [W.numel() for W in made.parameters() if W.requires_grad]
            rows.append(
                {
                    "rank": r,
                    "peak": peak,
                    "seed": seed,
                    "learns": 0 if r == 0 else sum(learns),
                    "loss": loss(made, unseen[:UNSEEN]),
                    "old": loss(made, old[:UNSEEN]),
                }
            )
    return rows


def compiled(model, ids):
    """Compare a step of a model with the same step after ``torch.compile``; return a row.

    It needs a compiler for C++; where there is none torch says so.

    Parameters
    ----------
    model : LanguageModel
    ids : integer tensor, (tokens,)

    Returns
    -------
    dict
        The loss both ways, the largest difference of a gradient in units of the largest gradient, and
        the seconds of the first step, in which the program is written and compiled.
    """
    window = ids[: 8 * CONTEXT].view(8, CONTEXT)
    losses, gradients = [], []
    for call in (model, torch.compile(model)):
        began = time.perf_counter()
        model.zero_grad()
        logits, _ = call(window[:, :-1])
        value = torch.nn.functional.cross_entropy(logits.mT, window[:, 1:])
        value.backward()
        seconds = time.perf_counter() - began
        losses.append(value.item())
        gradients.append(torch.cat([W.grad.flatten() for W in model.parameters()]))
    apart = (gradients[1] - gradients[0]).abs().max() / gradients[0].abs().max()
    return {"losses": losses, "apart": apart.item(), "seconds": round(seconds, 1)}


def arguments():
    """Return the parser of this module's command line."""
    return experiment.parser_of(
        "efficient-training",
        "Train language models in sixteen bits and with two kinds of weight decay, and adapt the "
        "book's with LoRA of several ranks.",
        rounded=(100, "steps in each precision"),
        decayed=(200, "steps with each decay"),
        short=(10_000, "tokens of the text read with a decay"),
        adapted=(100, "steps with each rank"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run(arguments(), argv, _runs)


def _runs(given):
    text, (model, wikipedia) = translations(), book_models.language_model()
    corpus = data.load_parallel("grammar")
    rows: dict[str, list] = {"precisions": [], "decays": [], "adaptations": []}
    for seed in experiment.seeds(given):
        rows["precisions"] += precisions(text, given.rounded, seed)
        rows["decays"] += decays(text, given.decayed, given.short, seed)
        rows["adaptations"] += adaptations(
            model, wikipedia, corpus, given.adapted, seed
        )
    return {
        "whole": sum(W.numel() for W in model.parameters()),
        **rows,
        "compiled": compiled(model, torch.from_numpy(wikipedia.validation)),
    }
