"""Beam search: the most probable few beginnings are followed at once."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from .greedy import SLIPS as GREEDY
from .greedy import LookupModel, RandomModel, are_whole_numbers, remove_bos_and_eos

STUB = '''
def beam_search(next_logits, bos, eos, longest, beams):  # -> a list of ids
    """Return the new ids, without bos and eos, of the best hypothesis: the one with the largest sum.

    Begin with one hypothesis, the list [bos], with the sum 0. In each of at most `longest` steps, take each
    hypothesis that has not ended, append every id to it in turn, and add the id's log-probability to the
    sum. Of all these, and of those that have ended, keep the `beams` with the largest sums. One that ended
    among them may also be kept aside: both ways are right here. A hypothesis ends with eos, whose
    log-probability counts. After the last step, a hypothesis without eos counts like the others. Sums
    are compared as they are, whatever the lengths.
    next_logits(ids) takes the list of all ids so far, bos first, and returns an array, (words,), of logits;
    the log-probabilities are the logarithm of their softmax. No two sums are equal.
    """
'''

SHARED_SLIP_NAMES = {"begin kept", "end kept", "one more", "only last"}
ALL_KEPT_ASIDE_SLIP_FIELDS = (
    "kept an ended hypothesis whose sum was not among the `beams` largest",
    "",
    "It has to compete with the other continuations, like one that goes on.",
)
SLIPS = (
    Slip(
        "one beam",
        "followed a single hypothesis, as greedy does",
        repair="Begin with one [bos], not with copies of it, and keep `beams` of its continuations.",
    ),
    Slip(
        "per beam",
        "kept the best continuation of each beam, instead of the best of all continuations",
        repair="Put all continuations into one list and sort that.",
    ),
    Slip(
        "wide",
        "kept the best few continuations of each beam, so the number of beams grows",
        repair="Put all continuations into one list, and keep `beams` of them.",
    ),
    Slip("probabilities", "added probabilities", repair="Add their logarithms."),
    Slip("logits", "added logits", repair="Add the logarithm of their softmax."),
    Slip(
        "product",
        "multiplied the log-probabilities instead of adding them",
        repair="Probabilities are multiplied, so their logarithms are added.",
    ),
    Slip(
        "newest",
        "compared the log-probabilities of the newest ids alone",
        repair="Each hypothesis carries the sum over all its ids.",
    ),
    Slip(
        "free end",
        "did not add the log-probability of eos",
        repair="eos is an id like any other: its log-probability counts.",
    ),
    Slip(
        "length",
        "divided the sum by the length",
        repair="In this task, the sums are compared as they are.",
    ),
    Slip(
        "worst",
        "kept the hypotheses with the smallest sums",
        repair="Sort so that the largest sum comes first.",
    ),
    Slip(
        "ascending",
        "kept the smallest sums among the best continuations of each beam",
        repair="Sort so that the largest sum comes first.",
    ),
    Slip(
        "last",
        "returned the last of the hypotheses that were kept",
        repair="The best hypothesis is the one with the largest sum.",
    ),
    Slip(
        "first end",
        "returned the first hypothesis that ended",
        repair="Another hypothesis can still have a larger sum.",
    ),
    Slip(
        "early",
        "stopped all hypotheses as soon as one had ended",
        repair="The others go on: one of them can still have the largest sum.",
    ),
    Slip(
        "lost",
        "lost the hypotheses that had ended",
        repair="They stay among the `beams` as long as their sums are large enough.",
    ),
    Slip("all aside", *ALL_KEPT_ASIDE_SLIP_FIELDS),
    Slip("all aside, own places", *ALL_KEPT_ASIDE_SLIP_FIELDS),
    Slip(
        "only ended",
        "ignored the hypotheses that had not ended after the last step",
        repair="They count like the others.",
    ),
    Slip(
        "no end",
        "went on after eos",
        repair="A hypothesis that has ended stays as it is.",
    ),
    Slip(
        "late cut",
        "went on after eos, and removed what comes after it only at the end",
        repair="A hypothesis that has ended stays as it is, and so does its sum.",
    ),
    Slip(
        "last dropped",
        "dropped the last id even where it is not eos",
        repair="After the last step, the last id may be a word.",
    ),
    Slip(
        "one fewer",
        "stopped one step too early",
        repair="`longest` counts the new ids alone, and bos is not one of them.",
    ),
    *(slip for slip in GREEDY if slip.name in SHARED_SLIP_NAMES),
)


def reference(next_logits, bos, eos, longest, beams, slips: Set[str] = frozenset()):
    def has_ended(hypothesis: tuple[float, tuple[int, ...]]) -> bool:
        return hypothesis[1][-1] == eos and not {"no end", "late cut"} & slips

    def sort_key(hypothesis: tuple[float, tuple[int, ...]]) -> float:
        value = hypothesis[0]
        if "length" in slips:
            value = value / max(1, len(hypothesis[1]) - 1)
        return -value if "worst" in slips else value

    aside: list = []
    soon = {"first end", "early"} & slips
    places = 1 if "one beam" in slips else beams
    kept: list = [(-1.0 if "product" in slips else 0.0, (bos,))]
    for step in range(longest + ("one more" in slips) - ("one fewer" in slips)):
        longer = [h for h in kept if has_ended(h) and "lost" not in slips]
        for total, ids in (h for h in kept if not has_ended(h)):
            logits = next_logits(ids[-1:] if "only last" in slips else ids)
            gains = logits - logits.max()
            gains = gains - np.log(np.exp(gains).sum())
            gains = np.exp(gains) if "probabilities" in slips else gains
            gains = logits if "logits" in slips else gains
            gains = np.where(
                (np.arange(len(gains)) == eos) & ("free end" in slips), 0, gains
            )
            before = 0.0 if "newest" in slips else total
            sums = -before * gains if "product" in slips else before + gains
            new = [(s, (*ids, i)) for i, s in enumerate(sums.tolist())]
            new.sort(key=sort_key, reverse=True)
            few = 1 if "per beam" in slips and step > 0 else places
            longer += new[:few]
            aside += [h for h in new if has_ended(h) and "all aside" in slips]
        longer.sort(key=sort_key, reverse="ascending" not in slips)
        if "all aside, own places" in slips:
            aside += [h for h in longer if has_ended(h)]
            longer = [h for h in longer if not has_ended(h)]
        kept = longer if "wide" in slips else longer[:places]
        if all(map(has_ended, kept)) or (soon and any(map(has_ended, kept))):
            break
    kept = sorted(kept + aside, key=sort_key, reverse=True) if aside else kept
    if {"first end", "only ended"} & slips:
        kept = [h for h in kept if has_ended(h)] or kept
    ids = kept[-1 if "last" in slips else 0][1]
    if "late cut" in slips and eos in ids:
        ids = ids[: ids.index(eos) + 1]
    return remove_bos_and_eos(ids, bos, eos, slips)


def beam_search(next_logits, bos, eos, longest, beams):
    kept = [([bos], 0.0)]
    for _ in range(longest):
        longer = []
        for ids, total in kept:
            if ids[-1] == eos:
                longer.append((ids, total))
                continue
            logits = next_logits(ids)
            log_p = logits - logits.max()
            log_p = log_p - np.log(np.exp(log_p).sum())
            longer += [([*ids, i], total + float(p)) for i, p in enumerate(log_p)]
        kept = sorted(longer, key=lambda pair: pair[1], reverse=True)[:beams]
    return [i for i in kept[0][0] if i not in (bos, eos)]


def trial_arguments(rng) -> Iterator[tuple]:
    known = {(0,): [1, 1, 5, 3], (0, 2): [1, 6, 4, 9], (0, 3): [1, 4, 2, 3]}
    yield LookupModel(known, [1, 1, 2, 6]), 0, 1, 3, 2
    known = {(0,): [1, 1, 5, 3], (0, 2): [1, 2, 1, 6], (0, 3): [1, 8, 4, 7]}
    yield LookupModel(known, [1, 6, 9, 4]), 0, 1, 2, 2
    yield LookupModel(known, [1, 6, 9, 4]), 0, 1, 2, 1
    known = {(0,): [1, 1, 5, 4], (0, 2): [1, 1, 10, 9], (0, 3): [1, 1, 5, 3]}
    yield LookupModel({**known, (0, 3, 2): [1, 1, 1, 97]}, [1, 2, 3, 4]), 0, 1, 3, 2
    known = {(0,): [1, 1, 6, 2], (0, 2): [1, 1, 6, 5], (0, 3): [1, 27, 1, 1]}
    yield LookupModel(known, [4, 3, 5, 6]), 0, 1, 3, 2  # [3] ends outside the beam
    for seed, words, longest, beams in RANDOM_MODEL_SEEDS_AND_SIZES:
        yield RandomModel(seed, words, 2), 2, 3, longest, beams


# Chosen so that they tell the slips apart; right searches that keep ended hypotheses aside agree on them.
RANDOM_MODEL_SEEDS_AND_SIZES = (
    *((seed, 6, 4, 3) for seed in (4, 40, 36)),
    *((seed, 7, 3, 3) for seed in (214, 63, 75)),
    *((138, 5, 5, 2), (21, 6, 4, 2), (353, 5, 3, 3)),
    (7, 300, 2, 2),  # large ids
)


TASK = Task(
    "beam_search",
    "transformer/decoding#beam-search-keeps-several-beginnings",
    STUB,
    reference,
    beam_search,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "there are more ids than `longest`",
            lambda function, x, returned_arrays: returned_arrays[0].size <= x[3],
        ),
        Property(
            "the ids have a decimal point, as in 2.0, and cannot be indices: keep whole numbers",
            are_whole_numbers,
        ),
    ),
    hints=(
        "Keep a list of pairs, the ids of a hypothesis and its sum. Each step makes the next list from it.",
        "Collect all continuations, and the pairs that have ended, in one list; sort it by the sum, and keep "
        "the first `beams`. After the last step, the first pair is the best.",
        "kept = sorted(longer, key=lambda pair: pair[1], reverse=True)[:beams], where longer has each pair "
        "that ends with eos as it is, and for the others ([*ids, i], total + log_p[i]) for every id i.",
    ),
)
