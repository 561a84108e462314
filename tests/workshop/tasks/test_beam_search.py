"""Beam searches that are written in other ways, right and wrong."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks.beam_search import TASK


def log_softmax(x):
    x = x - x.max()
    return x - np.log(np.exp(x).sum())


def grown(next_logits, live):
    longer = [
        ([*ids, i], total + p)
        for ids, total in live
        for i, p in enumerate(log_softmax(next_logits(ids)))
    ]
    return sorted(longer, key=lambda pair: -pair[1])


def best_of(pairs, eos):
    ids = max(pairs, key=lambda pair: pair[1])[0][1:]
    return [i for i in ids if i != eos]


def keeping_places(next_logits, bos, eos, longest, beams):  # as the book's own
    live, ended = [([bos], 0.0)], []
    for _ in range(longest):
        kept = grown(next_logits, live)[: beams - len(ended)]
        ended += [pair for pair in kept if pair[0][-1] == eos]
        live = [pair for pair in kept if pair[0][-1] != eos]
    return best_of(ended + live, eos)


def filling_places(next_logits, bos, eos, longest, beams):
    live, ended = [([bos], 0.0)], []
    for _ in range(longest):
        longer = grown(next_logits, live)
        ended += [pair for pair in longer[:beams] if pair[0][-1] == eos]
        live = [pair for pair in longer if pair[0][-1] != eos][:beams]
    return best_of(ended + live, eos)


def of_tensors(next_logits, bos, eos, longest, beams):
    rows, sums = [[bos]], torch.zeros(1)
    for _ in range(longest):
        longer = []
        for ids, total in zip(rows, sums, strict=True):
            log_p = torch.log_softmax(next_logits(ids).float(), dim=-1)
            if ids[-1] == eos:
                log_p = torch.full_like(log_p, -torch.inf)
                log_p[eos] = 0
            longer.append(total + log_p)
        words = len(longer[0])
        sums, places = torch.cat(longer).topk(min(beams, words * len(rows)))
        rows = [[*rows[at // words], at % words] for at in places.tolist()]
    return [i for i in rows[0] if i not in (bos, eos)]


@pytest.mark.parametrize("search", [keeping_places, filling_places, of_tensors])
def test_other_ways_are_right(search):
    assert judge(TASK, search).state == "right"


def dropping(next_logits, bos, eos, longest, beams, stop=False, copies=1):
    kept = [([bos], 0.0)] * copies
    for _ in range(longest):
        live = [pair for pair in kept if pair[0][-1] != eos]
        if not live or (stop and len(live) < len(kept)):
            break
        kept = grown(next_logits, live)[:beams]
    return best_of(kept, eos)


def of_copies(next_logits, bos, eos, longest, beams):
    kept = [([bos], 0.0)] * beams
    for _ in range(longest):
        live = [pair for pair in kept if pair[0][-1] != eos]
        ended = [pair for pair in kept if pair[0][-1] == eos]
        longer = grown(next_logits, live) + ended
        kept = sorted(longer, key=lambda pair: -pair[1])[:beams]
    return best_of(kept, eos)


def preferring_ended(next_logits, bos, eos, longest, beams):
    live, ended = [([bos], 0.0)], []
    for _ in range(longest):
        kept = grown(next_logits, live)[:beams]
        ended += [pair for pair in kept if pair[0][-1] == eos]
        live = [pair for pair in kept if pair[0][-1] != eos]
    return best_of(ended or live, eos)


def keeping_all_ended(next_logits, bos, eos, longest, beams):
    live, ended = [([bos], 0.0)], []
    for _ in range(longest):
        longer = grown(next_logits, live)
        ended += [pair for pair in longer if pair[0][-1] == eos]
        live = [pair for pair in longer if pair[0][-1] != eos][:beams]
    return best_of(ended + live, eos)


def by_length(power, with_begin):
    def search(next_logits, bos, eos, longest, beams):
        kept = [([bos], 0.0)]
        for _ in range(longest):
            live = [pair for pair in kept if pair[0][-1] != eos]
            ended = [pair for pair in kept if pair[0][-1] == eos]
            longer = grown(next_logits, live) + ended
            kept = sorted(longer, key=lambda pair: -pair[1])[:beams]
        if not longest:
            return []
        lengths = [(len(ids) - 1 + with_begin) ** power for ids, _ in kept]
        shared = [(ids, s / n) for (ids, s), n in zip(kept, lengths, strict=True)]
        return best_of(shared, eos)

    return search


@pytest.mark.parametrize(
    "search, name",
    [
        (dropping, "lost"),
        (lambda *x: dropping(*x, stop=True), "early"),
        (of_copies, "one beam"),
        (preferring_ended, "only ended"),
        (keeping_all_ended, "all aside"),
        (by_length(1, 0), "length"),
        (by_length(1, 1), "length"),
        (by_length(0.7, 0), "length"),
    ],
)
def test_hurried_ways_are_recognised(search, name):
    assert [slip.name for slip in judge(TASK, search).slips] == [name]


def test_ids_are_whole_numbers():
    verdict = judge(TASK, lambda *x: np.array(keeping_places(*x), np.float16))
    assert verdict.state == "wrong" and "decimal point" in verdict.says[0]
    assert judge(TASK, lambda *x: np.array(keeping_places(*x), int)).state == "right"
    eight_bits = judge(TASK, lambda *x: np.array(keeping_places(*x)).astype(np.int8))
    assert eight_bits.state == "wrong"
