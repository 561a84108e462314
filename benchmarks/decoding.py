"""Decoding 128 tokens with the cache, without it, and by re-running ``torch.nn.Transformer``."""

import torch

from transformer_book import decode, nn
from transformer_lab.torch_transformer import TorchTransformer

from .memory import peak
from .targets import at_least
from .timing import ratios

TOKENS, SOURCE = 128, 32


def calls(preset, sentences):
    """Return greedy decoding three ways; all must write the same tokens."""
    torch.manual_seed(0)
    model = nn.Transformer(getattr(nn.TransformerConfig, preset)()).eval()
    torch_model = TorchTransformer(model).eval()
    with torch.no_grad():  # no sentence may end before its 128 tokens
        for decoder in (model, torch_model):
            decoder.output[3] = 0.0
    source = torch.randint(4, model.config.source_words, (sentences, SOURCE))

    def again():
        target = torch.full((sentences, 1), 2)
        for _ in range(TOKENS):
            next_word = torch_model(source, target)[:, -1].argmax(-1, keepdim=True)
            target = torch.cat([target, next_word], dim=1)
        return target[:, 1:].tolist()

    return (
        lambda: decode.greedy(model, source, max_length=TOKENS),
        lambda: decode.greedy(model, source, max_length=TOKENS, use_cache=False),
        again,
    )


def row(preset, sentences, target=5):
    with torch.inference_mode():
        ways = calls(preset, sentences)
        written = [call() for call in ways]
        assert written[0] == written[1] == written[2], (
            "the three ways wrote different tokens"
        )
        assert all(len(sentence) == TOKENS for sentence in written[0])
        seconds, *times = ratios(*ways, least=1, warm=True)  # a minute a turn
        memory = [peak(call) for call in ways]
    without, rerun = (
        f"{1 / time:.1f} x as fast, {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:])
    )
    goal = f" ({at_least(1 / times[0], target, f'{target} x')})" if target else ""
    return (
        f"greedy decoding, `{preset}`, {sentences} x {TOKENS} tokens, with the cache",
        f"{sentences * TOKENS / seconds:,.0f} tokens/s, {memory[0] / 2**20:.0f} MB",
        f"{without} as without{goal}; {rerun} as re-running `torch.nn.Transformer`",
    )


def rows():
    """Return rows for ``tiny`` and ``base``, and one for a sentence alone."""
    torch.set_num_threads(2)
    # A step of one sentence is nearly all calls of small operations, with the cache and without.
    return [row("tiny", 1, target=None), row("tiny", 32), row("base", 8)]
