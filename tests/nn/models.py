"""Small Transformers with random weights, and sentences for them."""

import torch
from hypothesis import strategies as st

from transformer_book import nn

PRESETS = {"tiny": (16, 32), "base": (32, 128), "big": (64, 256)}


def config(preset="tiny", norm="post", share="all", words=(11, 11), **changes):
    """A preset scaled down: its own number of heads and layers, each vector narrower."""
    d_model, d_ff = PRESETS[preset]
    sizes = dict(d_model=d_model, d_ff=d_ff, dropout=0.0, max_length=24)
    return getattr(nn.TransformerConfig, preset)(
        *words, norm=norm, share=share, **{**sizes, **changes}
    )


def model(config, seed=0, dtype=torch.float64):
    """Weights that are all different from what a fresh model has, biases and norms too."""
    torch.manual_seed(seed)
    made = nn.Transformer(config).to(dtype).eval()
    with torch.no_grad():
        for _name, p in made.named_parameters():
            if p.ndim == 1:
                p.add_(0.3 * torch.randn(p.shape, dtype=dtype))
    return made


def ids(words, lengths, seed=0, longest=None):
    """Sentences of these lengths, padded with 0 at the end."""
    generator = torch.Generator().manual_seed(seed)
    made = torch.randint(
        1, words, (len(lengths), longest or max(lengths)), generator=generator
    )
    for row, length in zip(made, lengths):
        row[length:] = 0
    return made


@st.composite
def sentences(draw, words, longest=7):
    """A padded source and a padded target."""
    batch = draw(st.integers(1, 3))
    lengths = st.lists(st.integers(1, longest), min_size=batch, max_size=batch)
    seed = draw(st.integers(0, 2**31))
    return ids(words[0], draw(lengths), seed), ids(words[1], draw(lengths), seed + 1)
