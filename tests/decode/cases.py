"""Small random models that have much to say, and what one word after another should cost them."""

import itertools

import torch

from transformer_book import nn
from transformer_book.data import BOS, EOS, PAD

WORDS = 12
VARIANTS = list(itertools.product(("post", "pre"), ("all", "target", "none")))


class Lively(nn.Transformer):
    """Its next word hangs on all words so far, where a random model repeats one for ever."""

    def logits(self, x):
        return 4 * torch.sin(9 * super().logits(x))


def lively(
    seed=0, norm="post", share="all", dtype=torch.float64, words=WORDS, **changes
):
    sizes = dict(d_model=16, d_ff=32, h=2, N=2, max_length=24)
    sizes |= dict(source_words=words, target_words=words, norm=norm, share=share)
    config = nn.TransformerConfig(**{**sizes, **changes})
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Lively(config).to(dtype).eval()


def sentences(words=WORDS):
    """Three of different lengths, padded."""
    rows = torch.tensor(
        [[5, 6, 4, EOS, PAD, PAD], [4, 1, 8, 8, 9, EOS], [6, EOS] + [PAD] * 4]
    )
    return rows.clamp(max=words - 1)


def alone(source):
    """Each sentence by itself, without padding."""
    return [row[row != PAD][None] for row in source]


def next_log_p(model, source, target):
    """From the whole model at once: log-probabilities of the word after ``target``."""
    with torch.no_grad():
        logits, _ = model(source, torch.tensor([[BOS, *target]]))
    return torch.log_softmax(logits[0, -1].double(), dim=-1)


def possible(model):
    """The ids that a sentence may hold, EOS too."""
    return [word for word in range(model.config.target_words) if word not in (PAD, BOS)]


def calls(monkeypatch, model):
    """A list that gets the shape of the target each time the model's decoder is called."""
    shapes, decode = [], model.decode

    def counted(target, *args, **options):
        shapes.append(tuple(target.shape))
        return decode(target, *args, **options)

    monkeypatch.setattr(model, "decode", counted)
    return shapes
