"""One text continued by our language model and by the same weights in ``transformers``."""

import torch

from transformer_book import decode, nn
from transformer_book.special_ids import BOS, PAD, UNK
from transformer_book.train.fresh_language_model import (
    LANGUAGE_MODEL_CHOICES,
    MAX_LENGTH,
)

from .gpt2 import gpt2
from .memory import peak
from .targets import at_least
from .timing import ratios

PROMPT, TOKENS = 64, 128
LARGER = {**LANGUAGE_MODEL_CHOICES, "N": 6, "d_model": 512, "d_ff": 2048, "h": 8}
SIZES = {
    "the book's model": (880, LANGUAGE_MODEL_CHOICES),
    "a larger one": (10_000, LARGER),
}


def calls(words, sizes):
    """Return greedy generation by ours and by its peer; both must write the same tokens."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(words, words, **sizes, max_length=MAX_LENGTH)
    model = nn.LanguageModel(config).eval()
    with torch.no_grad():  # no text may end before its 128 tokens
        model.output[3] = 0.0
    peer, prompt = gpt2(model), torch.randint(4, words, (1, PROMPT))
    read = torch.ones_like(prompt)  # without this mask it warns at every call
    greedy = {
        "max_new_tokens": TOKENS,
        "do_sample": False,
        "suppress_tokens": [PAD, UNK, BOS],
    }

    def theirs():
        text = peer.generate(prompt, attention_mask=read, **greedy)
        return text[:, PROMPT:].tolist()

    return lambda: decode.generate(model, prompt, TOKENS), theirs


def row(name, words, sizes):
    """Return a row: tokens per second and memory, beside the peer's."""
    ours_and_peer = calls(words, sizes)
    ours, theirs = (call() for call in ours_and_peer)
    assert ours == theirs, "the two wrote different tokens"
    assert len(ours[0]) == TOKENS
    seconds, time = ratios(*ours_and_peer, seconds=5.0)
    memory, peer_memory = (peak(call) for call in ours_and_peer)
    size = f"{sizes['N']} layers, d_model {sizes['d_model']}, {words:,} words"
    return (
        f"`decode.generate`, {name}: {size}; {PROMPT} + {TOKENS} tokens",
        f"{TOKENS / seconds:,.0f} tokens/s, {memory / 2**20:.1f} MB",
        f"{1 / time:.2f} x the tokens per second, {memory / peer_memory:.2f} x the memory of "
        f"`transformers` `generate` ({at_least(1 / time, 1.2, '1.2 x')})",
    )


def rows():
    """Return a row for the book's model and one for a larger one, both with random weights."""
    torch.set_num_threads(2)
    return [row(name, *size) for name, size in SIZES.items()]
