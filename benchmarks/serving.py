"""32 requests with lengths from 16 to 256: our engine, our static batches, and ``transformers``."""

from typing import Any

import torch
from torch.nn.utils.rnn import pad_sequence

from transformer_book import nn, serve
from transformer_book.special_ids import PAD
from transformer_lab.costs import serving

from .gpt2 import make_gpt2
from .memory import measure_peak_bytes
from .targets import format_minimum
from .timing import median_seconds_and_ratios

REQUEST_COUNT, PROMPT_LENGTH_RANGE, TOKENS_TO_WRITE_RANGE = 32, (8, 64), (16, 256)
SIZES_BY_MODEL_NAME: dict[str, dict[str, Any]] = {
    "the book's model": dict(d_model=128, d_ff=256, h=4, N=2),
    "d_model 512, 6 layers": dict(d_model=512, d_ff=2048, h=8, N=6),
}


def make_endless_model(model_name: str) -> nn.LanguageModel:
    """Return a language model with random weights that never ends a text."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        880,
        880,
        **SIZES_BY_MODEL_NAME[model_name],
        norm="pre",
        share="none",
        dropout=0.0,
    )
    model = nn.LanguageModel(config).eval()
    with torch.no_grad():  # neither may write what the other does not
        model.output[:4] = 0.0
    return model


def make_requests() -> list[serving.TimedRequest]:
    ids = torch.randint(4, 880, (4096,), generator=torch.Generator().manual_seed(0))
    return serving.load(
        ids, REQUEST_COUNT, 0, prompt=PROMPT_LENGTH_RANGE, tokens=TOKENS_TO_WRITE_RANGE
    )


def make_engine_call(
    book_model: nn.LanguageModel, slot_count: int, scheduler_class=serve.Scheduler
):
    def tokens_by_engine() -> list[list[int]]:
        blocks = 32 + 8 * slot_count  # enough, as not all are long at the same time
        engine = serve.Engine(
            book_model, blocks, most=slot_count, scheduler=scheduler_class
        )
        requests, _ = serving.play(engine, make_requests())
        return [request.written for request in requests]

    return tokens_by_engine


def make_transformers_call(book_model: nn.LanguageModel, batch_size: int):
    """``transformers``: batches padded on the left, each as long as its longest."""
    peer = make_gpt2(book_model)

    def generate_batch(requests) -> list[list[int]]:
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

    def tokens_by_transformers() -> list[list[int]]:
        requests = make_requests()
        starts = range(0, REQUEST_COUNT, batch_size)
        batches = [generate_batch(requests[i : i + batch_size]) for i in starts]
        return [row for rows in batches for row in rows]

    return tokens_by_transformers


def measure_row(
    model_name: str, slot_count: int, min_speedup: float | None = None, min_repeats=3
) -> tuple[str, str, str]:
    model = make_endless_model(model_name)
    with torch.inference_mode():
        ways = (
            make_engine_call(model, slot_count),
            make_transformers_call(model, slot_count),
            make_engine_call(model, slot_count, serving.StaticScheduler),
        )
        written = [call() for call in ways]
        assert written[0] == written[1] == written[2], (
            "the three wrote different tokens"
        )
        seconds, *times = median_seconds_and_ratios(*ways, min_repeats=min_repeats)
        memory = [measure_peak_bytes(call) for call in ways]
    tokens = sum(map(len, written[0]))
    peer, static = (
        f"{1 / time:.2f} x as fast, {memory[0] / peer_memory:.2f} x the memory"
        for time, peer_memory in zip(times, memory[1:])
    )
    goal = (
        f" ({format_minimum(1 / times[0], min_speedup, f'{min_speedup} x')})"
        if min_speedup
        else ""
    )
    return (
        f"32 requests of 16 to 256 tokens, {model_name}, {slot_count} at a time",
        f"{tokens / seconds:,.0f} tokens/s, {memory[0] / 2**20:.0f} MB",
        f"{peer} as `generate` of `transformers`, padded on the left{goal}; "
        f"{static} as our static batches",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return rows for all 32 at once and for eight at a time, and for a wider model."""
    torch.set_num_threads(2)
    small, wide = SIZES_BY_MODEL_NAME
    return [
        measure_row(small, 32, min_speedup=2),
        measure_row(small, 8),
        measure_row(wide, 32, min_speedup=2, min_repeats=1),
    ]
