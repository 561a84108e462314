"""One text continued by our language model and by the same weights in ``transformers``."""

import torch

from transformer_book import decode, nn
from transformer_book.special_ids import BOS, PAD, UNK
from transformer_book.train.fresh_language_model import (
    LANGUAGE_MODEL_CHOICES,
    MAX_LENGTH,
)

from .gpt2 import make_gpt2
from .memory import measure_peak_bytes
from .targets import format_minimum
from .timing import median_seconds_and_ratios

PROMPT_LENGTH, TOKENS_TO_WRITE = 64, 128
LARGER_MODEL_CHOICES = {
    **LANGUAGE_MODEL_CHOICES,
    "N": 6,
    "d_model": 512,
    "d_ff": 2048,
    "h": 8,
}
WORD_COUNT_AND_CHOICES_BY_MODEL_NAME = {
    "the book's model": (880, LANGUAGE_MODEL_CHOICES),
    "a larger one": (10_000, LARGER_MODEL_CHOICES),
}


def generation_calls(word_count: int, config_choices: dict) -> tuple:
    """Return greedy generation by ours and by its peer; both must write the same tokens."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        word_count, word_count, **config_choices, max_length=MAX_LENGTH
    )
    model = nn.LanguageModel(config).eval()
    with torch.no_grad():  # no text may end before its 128 tokens
        model.output[3] = 0.0
    peer, prompt = make_gpt2(model), torch.randint(4, word_count, (1, PROMPT_LENGTH))
    read = torch.ones_like(prompt)  # without this mask it warns at every call
    greedy = {
        "max_new_tokens": TOKENS_TO_WRITE,
        "do_sample": False,
        "suppress_tokens": [PAD, UNK, BOS],
    }

    def generate_by_transformers() -> list[list[int]]:
        text = peer.generate(prompt, attention_mask=read, **greedy)
        return text[:, PROMPT_LENGTH:].tolist()

    return lambda: decode.generate(
        model, prompt, TOKENS_TO_WRITE
    ), generate_by_transformers


def measure_row(
    model_name: str, word_count: int, config_choices: dict
) -> tuple[str, str, str]:
    """Return a row: tokens per second and memory, beside the peer's."""
    ours_and_peer = generation_calls(word_count, config_choices)
    ours, theirs = (call() for call in ours_and_peer)
    assert ours == theirs, "the two wrote different tokens"
    assert len(ours[0]) == TOKENS_TO_WRITE
    seconds, time = median_seconds_and_ratios(*ours_and_peer, min_seconds=5.0)
    memory, peer_memory = (measure_peak_bytes(call) for call in ours_and_peer)
    size = f"{config_choices['N']} layers, d_model {config_choices['d_model']}, {word_count:,} words"
    return (
        f"`decode.generate`, {model_name}: {size}; {PROMPT_LENGTH} + {TOKENS_TO_WRITE} tokens",
        f"{TOKENS_TO_WRITE / seconds:,.0f} tokens/s, {memory / 2**20:.1f} MB",
        f"{1 / time:.2f} x the tokens per second, {memory / peer_memory:.2f} x the memory of "
        f"`transformers` `generate` ({format_minimum(1 / time, 1.2, '1.2 x')})",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for the book's model and one for a larger one, both with random weights."""
    torch.set_num_threads(2)
    return [
        measure_row(name, *size)
        for name, size in WORD_COUNT_AND_CHOICES_BY_MODEL_NAME.items()
    ]
