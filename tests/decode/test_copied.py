"""Marks of a source stand in its translation once, whichever way it is decoded."""

import pytest
import torch

from tests.decode import cases
from tests.decode.test_greedy import WAYS, sampled
from transformer_book import decode
from transformer_book.data import EOS

COPIED = (4, 5, 6, 7)
source = cases.sentences()


def marks(ids):
    return sorted(i for i in ids if i in COPIED)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("use_cache", [True, False])
def test_each_that_the_source_has_comes_once_and_no_other(way, use_cache):
    whole = 0
    for seed in range(4):
        model = cases.lively(seed)
        limit = model.config.max_length
        found = way(model, source, use_cache=use_cache, copied_ids=COPIED)
        for ids, row in zip(found, source.tolist()):
            assert len(marks(ids)) == len({*marks(ids)})
            assert {*marks(ids)} <= {*row}
            if len(ids) < limit:  # it ended by itself
                assert marks(ids) == marks(row)
                whole += 1
    assert whole > 2


def test_greedy_takes_the_most_probable_that_is_left():
    for seed in range(3):
        model = cases.lively(seed)
        for row in cases.alone(source):
            words, due = [], {*row[0].tolist()} & {*COPIED}
            while len(words) < model.config.max_length:
                log_p = cases.next_log_p(model, row, words)
                likeliest = log_p.tolist().__getitem__
                left = [i for i in cases.possible(model) if i not in COPIED or i in due]
                would_end = max(cases.possible(model), key=likeliest) == EOS
                room = model.config.max_length - len(words)
                if due:
                    left.remove(EOS)
                    if would_end or len(due) >= room:
                        left = sorted(due)
                word = max(left, key=likeliest)
                if word == EOS:
                    break
                words.append(word)
                due -= {word}
            assert decode.greedy(model, row, copied_ids=COPIED) == [words]
            ((one,),) = decode.beam_search(model, row, 1, copied_ids=COPIED)
            assert one.ids == words


@pytest.mark.parametrize("way", WAYS)
def test_a_model_that_would_write_neither_marks_nor_an_end_writes_the_marks(way):
    rambling = cases.lively()
    logits = rambling.logits
    # It would write the word 9 for ever, and neither a mark nor an end.
    rambling.logits = lambda x: logits(x).index_fill(-1, torch.tensor([9]), 99.0)
    row = torch.tensor([[4, 8, 6, 9, EOS]])
    (ids,) = way(rambling, row, copied_ids=COPIED)
    assert marks(ids) == [4, 6] and ids.count(9) == len(ids) - 2
    assert len(ids) == rambling.config.max_length


def test_where_the_model_would_end_a_missing_mark_comes_first():
    hasty = cases.lively()
    logits = hasty.logits
    hasty.logits = lambda x: logits(x).index_fill(-1, torch.tensor([EOS]), 99.0)
    row = torch.tensor([[4, 8, 6, 9, EOS]])
    for ids in (
        *decode.greedy(hasty, row, copied_ids=COPIED),
        decode.beam_search(hasty, row, 3, copied_ids=COPIED)[0][0].ids,
    ):
        assert marks(ids) == sorted(ids) == [4, 6]


def test_what_is_ruled_out_takes_nothing_from_a_score():
    model = cases.lively()
    for row in cases.alone(source):
        for one in decode.beam_search(model, row, 3, 0.6, copied_ids=COPIED)[0]:
            (terms,) = decode.log_probability(model, row, [one.ids])
            terms = terms if one.finished else terms[: len(one.ids)]
            assert one.log_probability == pytest.approx(float(terms.sum()))


def test_without_marks_nothing_changes():
    model = cases.lively()
    plain = torch.tensor([[8, 9, 10, EOS]])
    assert decode.greedy(model, plain, copied_ids=()) == decode.greedy(model, plain)
    assert sampled(model, plain, copied_ids=()) == sampled(model, plain)


def test_ids_of_no_word_are_refused():
    for bad in ((-1,), (4, 99)):
        with pytest.raises(decode.DecodeError, match="copied_ids has ids from"):
            decode.greedy(cases.lively(), source, copied_ids=bad)
