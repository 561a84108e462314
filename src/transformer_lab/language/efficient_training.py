"""What cheaper training costs in quality: ``python -m transformer_lab efficient-training --help``."""

import copy
import time

import numpy as np
import torch

from transformer_book import data, nn, train
from transformer_book.special_ids import EOS
from transformer_book.train.settings import mix_seed

from .. import book_models, experiment
from .small_models import CONTEXT, text_loss, training_settings, translation_text

# Of the products, and by how much the loss is multiplied on the way back. The gradients of a batch that is
# 2**14 times as large are 2**14 times as small, for its mean is divided by as many more tokens. 2**-4 is
# what a scale of 1024 makes of that.
PRECISIONS_AND_LOSS_SCALES = (
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
LORA_RANKS = (1, 2, 4, 8)
LORA_MATRICES = ("W_QKV", "W_O", "W_1", "W_2")
PEAK_RATES: dict[str, tuple[float, ...]] = {
    "adapted": (0.03, 0.1),
    "all": (0.003, 0.01),
}  # the largest learning rates
EVALUATED_TOKENS = 8_000  # tokens that a loss is measured on


def train_and_count_skipped_steps(
    model: nn.LanguageModel,
    ids: torch.Tensor,
    settings,
    *,
    precision="float32",
    loss_scale=1.0,
    decay_kind_and_weight: tuple[str, float] = ("none", 0.0),
) -> int:
    """Teach a language model a text, in a precision, with a scaled loss and a decay.

    Parameters
    ----------
    model : LanguageModel
        Learns in place, as far as its parameters can.
    ids : integer tensor, (tokens,)
        The text.
    settings : Settings
        Steps, tokens of a batch, learning rate, longest gradient, seed.
    precision : str
        Of the products: a dtype of torch. Weights and Adam stay float32.
    loss_scale : float
        The loss is multiplied by it before ``backward``, and the gradients divided by it after.
    decay_kind_and_weight : (str, float)
        "in the gradient": the weight times the number is added to it, L2. "beside it": the weight
        shrinks by the learning rate times the number, AdamW. It is for the matrices.

    Returns
    -------
    int
        How many steps were left out, as a gradient was not finite.
    """
    dtype, skipped = getattr(torch, precision), 0
    optimiser = adam_with_decay(model, *decay_kind_and_weight)
    trainable = [W for W in model.parameters() if W.requires_grad]
    generator = torch.Generator().manual_seed(mix_seed(settings.seed))
    windows = settings.tokens // CONTEXT
    model.train()
    for step in range(1, settings.steps + 1):
        starts = torch.randint(len(ids) - CONTEXT, (windows, 1), generator=generator)
        tokens = ids[starts + torch.arange(CONTEXT + 1)]  # (windows, CONTEXT + 1)
        with torch.autocast("cpu", dtype, dtype != torch.float32):
            x, _ = model.vectors(tokens[:, :-1])
            labels = tokens[:, 1:]
            loss = train.output_loss(x, model.output, labels, 0.0, -1)
        optimiser.zero_grad()
        (loss * (loss_scale / labels.numel())).backward()
        for W in trainable:
            W.grad /= loss_scale
        max_norm = settings.clip or torch.inf
        if not torch.nn.utils.clip_grad_norm_(trainable, max_norm).isfinite():
            skipped += 1
            continue
        for group in optimiser.param_groups:
            group["lr"] = settings.learning_rate(step, model.config.d_model)
        optimiser.step()
    model.eval()
    return skipped


def adam_with_decay(
    model, decay_kind: str, weight_decay: float
) -> torch.optim.Optimizer:
    """Return Adam, with this decay for those parameters that are matrices.

    The kinds are those of :func:`train_and_count_skipped_steps`.
    """
    trainable = [W for W in model.parameters() if W.requires_grad]
    groups = [
        {"params": [W for W in trainable if W.ndim == 2], "weight_decay": weight_decay},
        {"params": [W for W in trainable if W.ndim != 2], "weight_decay": 0.0},
    ]
    adam = torch.optim.AdamW if decay_kind == "beside it" else torch.optim.Adam
    return adam(groups, betas=(0.9, 0.98), eps=1e-9, fused=True)


def english_ids_with_eos(text: data.Text, pairs) -> torch.Tensor:
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
    return torch.tensor([i for sentence in words for i in [*text.ids(sentence), EOS]])


def train_in_each_precision(text: data.Text, steps: int, seed) -> list[dict]:
    """Train a model from nothing in each of ``PRECISIONS_AND_LOSS_SCALES``; return the rows."""
    rows = []
    ids, held_out_ids = (
        torch.from_numpy(part) for part in (text.train, text.validation)
    )
    for precision, scale in PRECISIONS_AND_LOSS_SCALES:
        model = train.fresh_language_model(text, seed)
        run_settings = training_settings(steps, seed).changed(tokens=2 * CONTEXT)
        skipped = train_and_count_skipped_steps(
            model, ids, run_settings, precision=precision, loss_scale=scale
        )
        rows.append(
            {
                "precision": precision,
                "scale": scale,
                "seed": seed,
                "loss": text_loss(model, held_out_ids[:EVALUATED_TOKENS]),
                "skipped": skipped,
            }
        )
    return rows


def train_with_each_decay(
    text: data.Text, steps: int, training_token_count: int, seed
) -> list[dict]:
    """Train on a text so short that it is read again and again, with each of ``DECAYS``; return the rows."""
    rows = []
    ids, held_out_ids = (
        torch.from_numpy(part) for part in (text.train, text.validation)
    )
    for kind, weight_decay in DECAYS:
        model = train.fresh_language_model(text, seed)
        train_and_count_skipped_steps(
            model,
            ids[:training_token_count],
            training_settings(steps, seed),
            decay_kind_and_weight=(kind, weight_decay),
        )
        weights = [W.norm().item() for W in model.parameters() if W.ndim == 2]
        rows.append(
            {
                "where": kind,
                "decay": weight_decay,
                "seed": seed,
                "seen": text_loss(model, ids[:training_token_count][:EVALUATED_TOKENS]),
                "loss": text_loss(model, held_out_ids[:EVALUATED_TOKENS]),
                "norm": float(np.linalg.norm(weights)),
            }
        )
    return rows


def train_adaptations(
    model: nn.LanguageModel, old_text: data.Text, corpus, steps: int, seed
) -> list[dict]:
    """Teach a trained model the grammar's sentences: with LoRA of each rank, and with all its weights.

    Parameters
    ----------
    model : LanguageModel
        Is not changed.
    old_text : Text
        What it was trained on.
    corpus : ParallelCorpus
    steps, seed : int

    Returns
    -------
    list of dict
        Of each rank and each learning rate how many parameters learn, and the losses on both texts. Rank 0 is
        the model as it was, rank None all its weights.
    """
    ids, held_out_ids = (
        english_ids_with_eos(old_text, part) for part in (corpus.train, corpus.test)
    )
    old_ids = torch.from_numpy(old_text.validation)
    rows = []
    for rank in (0, *LORA_RANKS, None):
        for peak in PEAK_RATES["adapted" if rank else "all"] if rank != 0 else (0.0,):
            adapted = (
                nn.adapt(model, rank, LORA_MATRICES, seed=seed)
                if rank
                else copy.deepcopy(model)
            )
            if peak:
                train_and_count_skipped_steps(
                    adapted, ids, training_settings(steps, seed, peak)
                )
            trainable = [W.numel() for W in adapted.parameters() if W.requires_grad]
            rows.append(
                {
                    "rank": rank,
                    "peak": peak,
                    "seed": seed,
                    "learns": 0 if rank == 0 else sum(trainable),
                    "loss": text_loss(adapted, held_out_ids[:EVALUATED_TOKENS]),
                    "old": text_loss(adapted, old_ids[:EVALUATED_TOKENS]),
                }
            )
    return rows


def compare_with_compiled(model, ids: torch.Tensor) -> dict:
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
        start = time.perf_counter()
        model.zero_grad()
        logits, _ = call(window[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.mT, window[:, 1:])
        loss.backward()
        seconds = time.perf_counter() - start
        losses.append(loss.item())
        gradients.append(torch.cat([W.grad.flatten() for W in model.parameters()]))
    difference = (gradients[1] - gradients[0]).abs().max() / gradients[0].abs().max()
    return {"losses": losses, "apart": difference.item(), "seconds": round(seconds, 1)}


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
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
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    text, (model, wikipedia) = translation_text(), book_models.language_model()
    corpus = data.load_parallel("grammar")
    rows: dict[str, list] = {"precisions": [], "decays": [], "adaptations": []}
    for seed in experiment.seeds_of(args):
        rows["precisions"] += train_in_each_precision(text, args.rounded, seed)
        rows["decays"] += train_with_each_decay(text, args.decayed, args.short, seed)
        rows["adaptations"] += train_adaptations(
            model, wikipedia, corpus, args.adapted, seed
        )
    return {
        "whole": sum(W.numel() for W in model.parameters()),
        **rows,
        "compiled": compare_with_compiled(
            model, torch.from_numpy(wikipedia.validation)
        ),
    }
