"""32 requests with lengths from 16 to 256: our engine, our static batches, and ``transformers``."""

from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from transformer_book import nn, serve
from transformer_book.special_ids import PAD
from transformer_lab.costs import serving

from .gpt2 import gpt2
from .memory import peak
from .targets import at_least
from .timing import ratios

REQUESTS, PROMPT, TOKENS = 32, (8, 64), (16, 256)
SIZES: dict[str, dict[str, Any]] = {
    "the book's model": dict(d_model=128, d_ff=256, h=4, N=2),
    "d_model 512, 6 layers": dict(d_model=512, d_ff=2048, h=8, N=6),
}


def model_of(name):
    """Return a language model with random weights that never ends a text."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        880, 880, **SIZES[name], norm="pre", share="none", dropout=0.0
    )
    model = nn.LanguageModel(config).eval()
    with torch.no_grad():  # neither may write what the other does not
        model.output[:4] = 0.0
    return model


def load():
    ids = torch.randint(4, 880, (4096,), generator=torch.Generator().manual_seed(0))
    return serving.load(ids, REQUESTS, 0, prompt=PROMPT, tokens=TOKENS)


def ours(model, places, scheduler=serve.Scheduler):
    def call():
        blocks = 32 + 8 * places  # enough, as not all are long at the same time
        engine = serve.Engine(model, blocks, most=places, scheduler=scheduler)
        requests, _ = serving.play(engine, load())
        return [request.written for request in requests]

    return call


def theirs(model, places):
    """``transformers``: batches padded on the left, each as long as its longest."""
    peer = gpt2(model)

    def batch(requests):
        prompts = [torch.tensor(request.prompt) for request in requests]
        ids = pad_sequence(prompts, True, PAD, "left")
        mask = pad_sequence(
            [torch.ones_like(prompt) for prompt in prompts], True, 0, "left"
        )
        longest = max(request.tokens for request in requests)
        out = peer.generate(
            ids,
            attention_mask=mask,
            max_new_tokens=longest,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=PAD,
        )
        rows = out[:, ids.shape[1] :].tolist()
        return [row[: request.tokens] for row, request in zip(rows, requests)]

    def call():
        requests = load()
        starts = range(0, REQUESTS, places)
        batches = [batch(requests[i : i + places]) for i in starts]
        return [row for rows in batches for row in rows]

    return call


def row(name, places, target=None, least=3):
    model = model_of(name)
    with torch.inference_mode():
        ways = (
            ours(model, places),
            theirs(model, places),
            ours(model, places, serving.StaticScheduler),
        )
        written = [call() for call in ways]
        assert written[0] == written[1] == written[2], (
            "the three wrote different tokens"
        )
        seconds, *times = ratios(*ways, least=least)
        memory = [peak(call) for call in ways]
    tokens = sum(map(len, written[0]))
    peer, static = (
        f"{1 / time:.2f} x as fast, {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:])
    )
    goal = f" ({at_least(1 / times[0], target, f'{target} x')})" if target else ""
    return (
        f"32 requests of 16 to 256 tokens, {name}, {places} at a time",
        f"{tokens / seconds:,.0f} tokens/s, {memory[0] / 2**20:.0f} MB",
        f"{peer} as `generate` of `transformers`, padded on the left{goal}; "
        f"{static} as our static batches",
    )


def rows():
    """Return rows for all 32 at once and for eight at a time, and for a wider model."""
    torch.set_num_threads(2)
    small, wide = SIZES
    return [row(small, 32, target=2), row(small, 8), row(wide, 32, target=2, least=1)]
