"""Merges as published programs write them, right and wrong."""

import itertools
import re

import pytest

from transformer_workshop.judge import judge
from transformer_workshop.tasks.merge_pair import TASK


def by_regex(pieces, pair):
    """As in the paper of Sennrich, Haddow and Birch."""
    bigram = re.compile(r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)")
    return bigram.sub("".join(pair), " ".join(pieces)).split()


def by_replacement(pieces, pair):
    return " ".join(pieces).replace(" ".join(pair), "".join(pair)).split()


def by_zip(pieces, pair):
    return [a + b if (a, b) == pair else a for a, b in itertools.pairwise(pieces)]


def by_for(pieces, pair):
    merged = []
    for i in range(len(pieces)):
        if tuple(pieces[i : i + 2]) == pair:
            merged.append("".join(pair))
            i += 1  # has no effect in a for loop
        else:
            merged.append(pieces[i])
    return merged


def by_index(pieces, pair):
    """As in GPT-2's encoder."""
    first, second = pair
    merged, i = [], 0
    while i < len(pieces):
        if first not in pieces[i:]:
            return merged + pieces[i:]
        j = pieces.index(first, i)
        merged += pieces[i:j]
        both = pieces[j + 1 : j + 2] == [second]
        merged.append(first + second if both else first)
        i = j + 1 + both
    return merged


def in_place(pieces, pair):
    for i, piece in enumerate(pieces):
        if (piece, *pieces[i + 1 : i + 2]) == pair:
            pieces[i] += pieces.pop(i + 1)
    return pieces


@pytest.mark.parametrize("merge", [by_regex, by_index])
def test_published_merges_are_right(merge):
    assert judge(TASK, merge).state == "right"


@pytest.mark.parametrize(
    "merge, names",
    [
        (by_replacement, ["inside"]),
        (by_zip, ["second stays", "loses end"]),
        (by_for, ["second stays"]),
    ],
)
def test_hurried_merges_are_recognised(merge, names):
    assert [slip.name for slip in judge(TASK, merge).slips] == names


def test_a_merge_in_place_is_refused():
    assert "changes its argument pieces" in judge(TASK, in_place).says[0]


def test_a_second_piece_turned_round_is_refused():
    def merge(pieces, pair):
        joined, turned = "".join(pair), pair[0] + pair[1][::-1]
        return [turned if p == joined else p for p in TASK.solution(pieces, pair)]

    assert judge(TASK, merge).state == "wrong"
