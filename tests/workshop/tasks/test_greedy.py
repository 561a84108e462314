"""Greedy decoders that are written in other ways, right and wrong."""

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.report import verdict_lines
from transformer_workshop.tasks.greedy import TASK, LookupModel, RandomModel


def of_the_lesson(next_logits, bos, eos, longest):
    begin = [bos]
    while begin[-1] != eos and len(begin) <= longest:
        begin.append(int(next_logits(begin).argmax()))
    return [i for i in begin if i not in (bos, eos)]


def of_tensors(next_logits, bos, eos, longest):
    ids = torch.tensor([bos])
    while len(ids) <= longest:
        best = torch.argmax(next_logits(ids), dim=-1, keepdim=True)
        if best == eos:
            break
        ids = torch.cat([ids, best])
    return ids[1:]


def calling_itself(next_logits, bos, eos, longest, new=()):
    logits = list(next_logits([bos, *new]))
    best = logits.index(max(logits))
    if best == eos or len(new) == longest:
        return list(new)
    return calling_itself(next_logits, bos, eos, longest, (*new, best))


@pytest.mark.parametrize("decode", [of_the_lesson, of_tensors, calling_itself])
def test_other_ways_are_right(decode):
    assert judge(TASK, decode).state == "right"


def test_a_begin_that_counts_is_recognised():
    verdict = judge(TASK, lambda *x: of_the_lesson(*x[:3], x[3] - 1))
    assert [slip.name for slip in verdict.slips] == ["one fewer"]


def test_a_last_word_that_is_taken_for_the_end_is_recognised():
    def cut(next_logits, bos, eos, longest):
        ids = [bos]
        while len(ids) <= longest and ids[-1] != eos:
            ids.append(int(next_logits(ids).argmax()))
        return ids[1:-1]

    assert [slip.name for slip in judge(TASK, cut).slips] == ["one fewer"]


def test_a_draw_is_said_to_be_one():
    chance = np.random.default_rng(0)

    def drawing(next_logits, bos, eos, longest):
        def noisy(ids):
            logits = next_logits(ids)
            return logits + chance.gumbel(size=len(logits))

        return of_the_lesson(noisy, bos, eos, longest)

    assert "two calls" in judge(TASK, drawing).says[0]


def test_ids_with_a_batch_are_refused_in_a_sentence():
    verdict = judge(TASK, lambda f, *x: of_the_lesson(lambda ids: f([ids]), *x))
    assert "a list of ids, without a batch" in verdict.says[0]


def test_a_model_is_printed_in_words():
    table = LookupModel({(0,): [1, 2, 3]}, [3, 2, 1])
    assert (
        repr(table)
        == "after [0]: np.log([1, 2, 3]); after any other ids: np.log([3, 2, 1])"
    )
    assert "8 words" in repr(RandomModel(1, 8, 2))
    verdict = judge(TASK, lambda *x: [0, *of_the_lesson(*x)])
    assert any(
        "next_logits = after [0]: np.log" in line
        for line in verdict_lines(verdict, TASK)
    )


def test_a_drawn_model_says_the_same_of_the_same_ids_and_never_begins():
    model = RandomModel(3, 6, 2)
    model([2, 4])[:] = 0
    assert np.array_equal(model([2, 4]), RandomModel(3, 6, 2)(torch.tensor([2, 4])))
    assert model([2, 4]).argmin() == 2 and not np.array_equal(model([2]), model([4]))


@pytest.mark.parametrize(
    "goes_on, says",
    [
        (lambda ids, eos: ids[-1] != eos, "there are more ids than `longest`"),
        (lambda ids, eos: True, "never chooses eos: stop after `longest` new ids"),
    ],
)
def test_a_text_that_never_ends_is_told_at_once(goes_on, says):
    def endless(next_logits, bos, eos, longest):
        ids = [bos]
        while goes_on(ids, eos):
            ids.append(int(next_logits(ids).argmax()))
        return ids[1:-1]

    assert says in judge(TASK, endless).says[0]


def test_ids_are_whole_numbers():
    verdict = judge(TASK, lambda *x: [float(i) for i in of_the_lesson(*x)])
    assert verdict.state == "wrong" and "decimal point" in verdict.says[0]
    assert judge(TASK, lambda *x: np.array(of_the_lesson(*x), int)).state == "right"
    eight_bits = judge(TASK, lambda *x: np.array(of_the_lesson(*x)).astype(np.int8))
    assert eight_bits.state == "wrong"
