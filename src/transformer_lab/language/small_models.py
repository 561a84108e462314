"""What the small language models of the laboratory share: a text, the settings of a run, a loss."""

import numpy as np
import torch

from transformer_book import data, train
from transformer_book.train.fresh_language_model import LANGUAGE_MODEL_CHOICES
from transformer_book.train.settings import Settings

CONTEXT = 64  # tokens of a window: two or three pairs of sentences
BATCH_TOKENS = 512  # of a batch


def translation_text(
    pair_count=10_000, held_out_count=400, n_merges=1_000
) -> data.Text:
    """Return a text of sentences each with its translation, so that attention has much to do.

    Within the minutes of a record a model learns to translate them, and hardly to write Wikipedia.

    Parameters
    ----------
    pair_count, held_out_count : int
        Of the book's parallel corpus, to learn from and to hold back.
    n_merges : int
        Of the byte-pair encoding; with fewer there are fewer kinds of tokens.

    Returns
    -------
    Text
    """
    corpus = data.load_parallel("grammar")
    training_texts = [
        [*source, *target] for source, target in corpus.train[:pair_count]
    ]
    held_out_texts = [
        [*source, *target] for source, target in corpus.test[:held_out_count]
    ]
    return data.Text.from_articles(training_texts, held_out_texts, n_merges)


def training_settings(
    steps: int,
    seed=0,
    peak_rate=0.005,
    width=LANGUAGE_MODEL_CHOICES["d_model"],
    batch_tokens=BATCH_TOKENS,
) -> Settings:
    """Return the settings of so many steps: a warm-up of a tenth, then down to 0 at the end.

    Parameters
    ----------
    steps, seed : int
    peak_rate : float
        The largest learning rate.
    width : int
        The model's d_model.
    batch_tokens : int
        Of a batch.

    Returns
    -------
    Settings
    """
    warmup = max(1, steps // 10)
    return Settings(
        steps=steps,
        tokens=batch_tokens,
        seed=seed,
        warmup=warmup,
        factor=peak_rate * (width * warmup) ** 0.5,
        cooldown=steps - warmup,
        smoothing=0.0,
        clip=1.0,
        validate_every=steps,
    )


def text_loss(model, ids: np.ndarray | torch.Tensor) -> float:
    """Return the loss of a language model on a text, read in windows, in nats per token.

    Parameters
    ----------
    model : LanguageModel
    ids : integer array or tensor, (tokens,)

    Returns
    -------
    float
    """
    return train.token_losses(model, torch.as_tensor(ids), CONTEXT).mean().item()
