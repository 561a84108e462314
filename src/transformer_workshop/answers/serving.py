"""The answers of part 4 that are about prefill, decode and serving."""

import numpy as np

from . import ROUNDING_TOLERANCE, Answer

TOKENS_WANTED_BY_READERS = [6, 24, 10, 16, 8, 20, 5, 12]  # of the eight readers


def count_decode_steps(
    token_counts: list[int], slot_count: int, is_static: bool
) -> int:
    waiting, running, steps = list(token_counts), [], 0
    while waiting or running:
        free = slot_count - len(running)
        if is_static and running:
            free = 0
        running += waiting[:free]
        waiting = waiting[free:]
        running = [left - 1 for left in running if left > 1]
        steps += 1
    return steps


def miscount_steps_refilled_early(token_counts: list[int], slot_count: int) -> int:
    """Count static batches that begin as soon as one text of the last batch is done."""
    return sum(
        min(token_counts[i : i + slot_count])
        for i in range(0, len(token_counts), slot_count)
    )


def best_draft_length(acceptance_rate: float, relative_draft_cost=0.1) -> int:
    k = np.arange(1, 30)
    speed = (
        (1 - acceptance_rate ** (k + 1))
        / (1 - acceptance_rate)
        / (1 + relative_draft_cost * k)
    )
    return int(k[speed.argmax()])


def attention_percentage(
    d=1024, n=512, attention_product_count=2, weights_in_d_squares=12
) -> float:
    of_attention, of_weights = (
        2 * attention_product_count * n * d,
        2 * weights_in_d_squares * d**2,
    )
    return 100 * of_attention / (of_attention + of_weights)


ANSWERS = {
    "ex-prefill-pencil": Answer(
        "three numbers: the milliseconds of a decode pass, the tokens per second, and the milliseconds "
        "for reading the prompt",
        lambda: [14, 1 / 14e-3, 70],
        (
            (
                [0.07, 1 / 0.07e-3, 70],
                "a decode pass is as slow as the reading of its weights",
            ),
            (
                [14, 1 / 14e-3, 14],
                "1,000 rows take longer to compute than the weights take to be read",
            ),
            ([14, 1 / 14e-3, 14_000], "a pass reads all rows of the prompt at once"),
            ([7, 1 / 7e-3, 70], "each weight takes two bytes"),
            (
                [14, 1 / 14e-3, 35],
                "each weight takes two operations: a multiplication and an addition",
            ),
            ([0.014, 1 / 14e-3, 0.07], "the times should be in milliseconds"),
        ),
        ROUNDING_TOLERANCE,
    ),
    "ex-cache-batch": Answer(
        "the number of texts",
        lambda: 12 * 1024**2 // (2 * 512 * 1024),
        (
            (24, "the cache holds keys and values"),
            (6, "divide by n, and not by d_model"),
        ),
    ),
    "ex-prefill-attention": Answer(
        "the share in percent",
        attention_percentage,
        (
            (
                lambda: attention_percentage(attention_product_count=1),
                "both the keys and the values are multiplied",
            ),
            (lambda: attention_percentage() / 100, "the share should be in percent"),
            (
                lambda: 100 * 2 * 512 / (12 * 1024),
                "that is the ratio to the weights, not the share of all",
            ),
        ),
        0.05,
    ),
    "ex-scheduling-pencil": Answer(
        "three numbers: the step, the tokens that the request has got by then, and the step after which "
        "both are done",
        lambda: [4, 3, 17],
        (
            (
                [4, 4, 17],
                "in step 4 it gets none: the step has to read its ninth token first",
            ),
            ([3, 2, 17], "the two blocks of a text have room for eight tokens"),
            ([4, 3, 20], "B keeps the tokens that it has got, so it needs seven more"),
            ([4, 3, 10], "then only A is done"),
        ),
    ),
    "ex-scheduling-refused": Answer(
        "the number of tokens",
        lambda: 4 * 4 - 6 + 1,
        (
            (10, "the last token is never read, so it needs no room"),
            (16, "the prompt needs room, too"),
            (12, "such a request is refused"),
        ),
    ),
    "ex-scheduling-pieces": Answer(
        "four numbers: the steps and the tokens of each with pieces of 32, then with pieces of 8",
        lambda: [x for size in (32, 8) for x in (480 // size, size + 4)],
        (
            (
                [15, 32, 60, 8],
                "the four texts that are being written have a token each in every step",
            ),
            ([15, 36, 60, 36], "with pieces of 8, a step reads 8 tokens of the prompt"),
        ),
    ),
    "ex-serving-pencil": Answer(
        "two numbers of steps: with static batches, and with continuous batching",
        lambda: [count_decode_steps([2, 5, 3], 2, static) for static in (True, False)],
        (
            ([10, 5], "a step writes a token of each text that is running"),
            (
                [8, 6],
                "the third request begins right after the first has ended, in step 3",
            ),
            ([5, 5], "a static batch ends when all of its texts have ended"),
            ([5, 8], "you exchanged the two"),
        ),
    ),
    "ex-serving-static": Answer(
        "the changed function, with `wishes` and `places` as its arguments",
        lambda wishes, places: count_decode_steps(wishes, places, is_static=True),
        (
            (
                lambda wishes, places: count_decode_steps(
                    wishes, places, is_static=False
                ),
                "it still counts continuous batching",
            ),
            (
                miscount_steps_refilled_early,
                "a batch ends with its longest text, not with its shortest",
            ),
            (lambda wishes, places: sum(wishes), "it writes one text after the other"),
        ),
        inputs=lambda: [
            (TOKENS_WANTED_BY_READERS, 4),
            ([2, 5, 3], 2),
            (TOKENS_WANTED_BY_READERS, 1),
            (TOKENS_WANTED_BY_READERS, 3),
            ([4], 2),
        ],
    ),
    "ex-serving-places": Answer(
        "a function of `wishes` and `places` that returns the limit below which the number of steps "
        "cannot be, a whole number",
        lambda wishes, places: max(-(-sum(wishes) // places), max(wishes)),
        (
            (
                lambda wishes, places: -(-sum(wishes) // places),
                "with many places, the longest text decides",
            ),
            (
                lambda wishes, places: max(wishes),
                "with few places, all the tokens together decide",
            ),
            (
                lambda wishes, places: max(sum(wishes) // places, max(wishes)),
                "the number of steps has to be rounded up",
            ),
        ),
        inputs=lambda: [
            (TOKENS_WANTED_BY_READERS, 1),
            (TOKENS_WANTED_BY_READERS, 2),
            (TOKENS_WANTED_BY_READERS, 4),
            (TOKENS_WANTED_BY_READERS, 8),
        ],
    ),
    "ex-serving-fork": Answer(
        "a function of the tokens of the prompt and of the block size that returns how many blocks are "
        "saved",
        lambda tokens, size: tokens // size,
        (
            (
                lambda tokens, size: -(-tokens // size),
                "a block that is not full cannot be shared for long",
            ),
            (lambda tokens, size: tokens, "blocks are asked, and not tokens"),
        ),
        inputs=lambda: [(7, 4), (8, 4), (30, 16)],
    ),
    "ex-serving-draft": Answer(
        "two numbers: the passes that check guesses, and the passes of the draft",
        lambda: [40 // 4, 40 // 4 * 3],
        (
            (
                [14, 40],
                "each pass also writes a token of its own after the three guesses",
            ),
            (
                [13, 39],
                "each pass also writes a token of its own after the three guesses",
            ),
            ([40, 30], "a pass checks three guesses at once"),
        ),
    ),
    "ex-serving-stop": Answer(
        "the two k, for α = 0.5 and for α = 0.9",
        lambda: [best_draft_length(0.5), best_draft_length(0.9)],
        (
            (
                lambda: [best_draft_length(0.9), best_draft_length(0.5)],
                "you exchanged the two",
            ),
            ([29, 29], "each guess takes time, so more of them do not always help"),
        ),
    ),
}
