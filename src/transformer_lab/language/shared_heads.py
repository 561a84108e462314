"""What sharing keys and values costs in quality: ``python -m transformer_lab shared-heads --help``."""

import torch

from transformer_book import data, nn, train
from transformer_book.train.fresh_language_model import LANGUAGE_MODEL_CHOICES

from .. import experiment
from .small_models import CONTEXT, text_loss, training_settings, translation_text

WAYS: tuple[dict[str, int], ...] = ({"g": 4}, {"g": 2}, {"g": 1}, {"d_c": 64})


def untrained_variant(way: dict[str, int], text: data.Text, seed) -> nn.LanguageModel:
    """Return an untrained language model of the book's size whose attention is of one of ``WAYS``."""
    if "g" in way:
        return train.fresh_language_model(text, seed, g=way["g"])
    model = train.fresh_language_model(text, seed)
    c = model.config
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        for layer in model.layers:
            layer.self_attention = nn.LatentAttention(c.d_model, c.h, way["d_c"])
    return model


@torch.no_grad()
def cached_numbers_per_token(model: nn.LanguageModel) -> int:
    """Return how many numbers the cache of a language model holds of a token, counted in one."""
    cache = nn.LanguageModelCache(model.config.N)
    model(torch.zeros(1, 1, dtype=torch.long), cache=cache)
    rows = [x for layer in cache.layers for x in (layer.K, layer.V)]
    return sum(x.numel() for x in rows if x is not None)


def train_variant(
    way: dict[str, int], text: data.Text, steps: int, seed
) -> tuple[nn.LanguageModel, dict]:
    """Train a model from nothing; return it and a row of the record."""
    model = untrained_variant(way, text, seed)
    history = train.train_language_model(
        model, text, training_settings(steps, seed), (CONTEXT,)
    )
    return model, {
        "way": way,
        "seed": seed,
        "loss": text_loss(model, text.validation),
        "kept": cached_numbers_per_token(model),
        "parameters": sum(W.numel() for W in model.parameters()),
        "tokens": history.tokens,
        "seconds": round(history.seconds, 1),
    }


def train_with_pooled_heads(
    model: nn.LanguageModel, g: int, text: data.Text, steps: int, seed
) -> dict:
    """Pool the heads of a trained model and train on; return a row of the record."""
    model = nn.with_shared_heads(model, g)
    pooled = text_loss(model, text.validation)
    history = train.train_language_model(
        model, text, training_settings(steps, seed, peak_rate=0.002), (CONTEXT,)
    )
    return {
        "way": {"g": g},
        "seed": seed,
        "pooled": pooled,
        "loss": text_loss(model, text.validation),
        "seconds": round(history.seconds, 1),
    }


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "shared-heads",
        "Train language models of the book's size with fewer and fewer heads of keys, and convert "
        "the one that has all of them.",
        steps=(700, "of each training from nothing"),
        on=(200, "steps after a conversion"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    text, runs, conversions = translation_text(), [], []
    for seed in experiment.seeds_of(args):
        for way in WAYS:
            model, row = train_variant(way, text, args.steps, seed)
            runs.append(row)
            if way == {"g": LANGUAGE_MODEL_CHOICES["h"]}:
                conversions += [
                    train_with_pooled_heads(model, g, text, args.on, seed)
                    for g in (4, 2, 1)
                ]
    return {"runs": runs, "conversions": conversions}
