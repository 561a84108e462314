"""Greedy decoding: at each step, the most probable id."""

from collections.abc import Iterator, Set
from functools import cache

import numpy as np

from ..errors import ResultError
from ..task import Property, Slip, Task

STUB = '''
def greedy(next_logits, bos, eos, longest):  # -> a list of ids
    """Write a text: take the id with the largest logit, again and again, until it is eos.

    next_logits(ids) is the model. It takes the list of all ids so far, bos first, and returns an array,
    (words,), of the logits of the next id. Return the list of the new ids without bos and eos. If eos has
    not come after `longest` new ids, stop there. No two logits are equal.
    """
'''

MAX_TEXT_LENGTH, MAX_CALLS = 100, 5000  # no right function comes near
SLIPS = (
    Slip("begin kept", "returned bos as well", repair="Return the new ids alone."),
    Slip(
        "end kept",
        "returned eos as well",
        repair="eos ends the text, but is not part of the result.",
    ),
    Slip(
        "no end",
        "went on after eos",
        repair="Stop the loop as soon as eos has been chosen.",
    ),
    Slip(
        "one fewer",
        "returned one id too few where the text is cut at `longest`",
        repair="bos is not one of the `longest` ids, and the last id of a text that is cut is not eos.",
    ),
    Slip(
        "one more",
        "made one step more than `longest`",
        repair="The model is asked at most `longest` times.",
    ),
    Slip(
        "only last",
        "gave the model only the last id",
        repair="The model reads all ids so far, from bos on.",
    ),
    Slip(
        "no begin",
        "left out bos when you asked the model",
        repair="The ids that the model reads begin with bos.",
    ),
    Slip(
        "stuck",
        "asked the model for the same beginning again and again",
        repair="Append each chosen id to those that the model reads.",
    ),
    Slip(
        "smallest",
        "took the smallest logit",
        repair="The most probable id has the largest logit: argmax.",
    ),
)


class LookupModel:
    """A model that knows a few beginnings by heart."""

    def __init__(self, odds_by_ids, other_odds):
        self.odds_by_ids, self.other_odds, self.call_count = odds_by_ids, other_odds, 0

    def __call__(self, ids):
        self.call_count = count_call_or_refuse(self.call_count, ids)
        return np.log(self.odds_by_ids.get(to_id_tuple(ids), self.other_odds))

    def __repr__(self):
        rows = [
            f"after {list(ids)}: np.log({row})" for ids, row in self.odds_by_ids.items()
        ]
        return "; ".join([*rows, f"after any other ids: np.log({self.other_odds})"])


class RandomModel:
    """A model whose logits are drawn at random, the same for the same ids."""

    def __init__(self, seed, word_count, bos):
        self.seed, self.word_count, self.bos, self.call_count = seed, word_count, bos, 0

    def __call__(self, ids):
        self.call_count = count_call_or_refuse(self.call_count, ids)
        logits = random_logits(self.seed, self.word_count, to_id_tuple(ids)).copy()
        logits[self.bos] = -9
        return logits

    def __repr__(self):
        return f"a model with {self.word_count} words, whose logits depend on all ids so far"


def count_call_or_refuse(call_count: int, ids) -> int:
    """Count a call; refuse one that shows that the text would never end."""
    if len(ids) > MAX_TEXT_LENGTH or call_count > MAX_CALLS:
        raise ResultError(
            "the text would never end, because this model never chooses eos: stop after `longest` new ids"
        )
    return call_count + 1


@cache
def random_logits(seed: int, word_count: int, ids: tuple[int, ...]) -> np.ndarray:
    random = np.random.default_rng([seed, *ids])
    return random.normal(size=word_count) * 1.5 + random.normal()


def to_id_tuple(ids) -> tuple[int, ...]:
    if np.ndim(ids) != 1:
        raise TypeError("next_logits takes a list of ids, without a batch")
    return tuple(int(i) for i in ids)


def reference(next_logits, bos, eos, longest, slips: Set[str] = frozenset()):
    ids = [bos]
    for _ in range(longest + ("one more" in slips) - ("one fewer" in slips)):
        read = ids[1:] if "no begin" in slips else ids
        read = read[-1:] if "only last" in slips else read
        read = ids[:1] if "stuck" in slips else read
        logits = next_logits(read)
        ids.append(int(np.argmax(-logits if "smallest" in slips else logits)))
        if ids[-1] == eos and "no end" not in slips:
            break
    return remove_bos_and_eos(ids, bos, eos, slips)


def remove_bos_and_eos(ids, bos, eos, slips: Set[str]) -> list[int]:
    new = list(ids[:1]) if "begin kept" in slips else []
    if "last dropped" in slips:
        return new + list(ids[1:-1])
    return new + [i for i in ids[1:] if i != eos or "end kept" in slips]


def greedy(next_logits, bos, eos, longest):
    ids = [bos]
    for _ in range(longest):
        best = int(next_logits(ids).argmax())
        if best == eos:
            break
        ids.append(best)
    return ids[1:]


def trial_arguments(rng) -> Iterator[tuple]:
    known = {(0,): [1, 2, 6, 4], (0, 2): [1, 3, 2, 5], (0, 2, 3): [1, 7, 3, 2]}
    model = LookupModel(known, [1, 3, 5, 2])
    yield model, 0, 1, 5
    yield model, 0, 1, 1
    yield LookupModel({(0,): [1, 7, 2]}, [1, 3, 6]), 0, 1, 3
    yield model, 0, 1, 0
    yield LookupModel({}, [3, 4, 1, 2, 6]), 2, 3, 4
    random_models = (
        (1, 6, 20),
        (2, 6, 6),
        (3, 9, 12),
        (4, 5, 9),
        (3, 300, 2),
    )  # also large ids
    for seed, words, longest in random_models:
        yield RandomModel(seed, words, 2), 2, 3, longest


def takes_likeliest_ids(function, arguments, returned_arrays) -> bool:
    next_logits, ids = arguments[0], [arguments[1]]
    for best in returned_arrays[0].tolist():
        if np.argmax(next_logits(ids)) != best:
            return False
        ids.append(best)
    return True


def are_whole_numbers(function, arguments, returned_arrays) -> bool:
    """Whether the ids are whole numbers by their type, as indices have to be."""
    return all(part.dtype.kind in "iu" for part in returned_arrays if part.size)


TASK = Task(
    "greedy",
    "transformer/decoding#greedy-decoding-takes-the-most-likely-token",
    STUB,
    reference,
    greedy,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "two calls with the same arguments give different ids",
            lambda function, x, returned_arrays: np.array_equal(
                function(*x)[0], returned_arrays[0]
            ),
        ),
        Property(
            "there are more ids than `longest`",
            lambda function, x, returned_arrays: returned_arrays[0].size <= x[3],
        ),
        Property(
            "an id is not the one with the largest logit after the ids before it",
            takes_likeliest_ids,
        ),
        Property(
            "the ids have a decimal point, as in 2.0, and cannot be indices: keep whole numbers",
            are_whole_numbers,
        ),
    ),
    hints=(
        "Keep a list of ids that begins with bos, and give it to the model again and again.",
        "At each of at most `longest` steps: best = the argmax of next_logits(ids). Stop if best is eos; "
        "append it to the list otherwise.",
        "for _ in range(longest): best = int(next_logits(ids).argmax()); if best == eos: break; "
        "ids.append(best). At the end, return ids[1:].",
    ),
)
