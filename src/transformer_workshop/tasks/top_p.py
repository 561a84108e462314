"""Top-p sampling: the unlikely tokens cut off."""

from collections.abc import Iterator, Set
from dataclasses import replace

import numpy as np

from ..task import Property, Slip, Task
from .softmax import softmax

STUB = '''
def top_p(logits, p):  # (n,), a number between 0 and 1 -> (n,)
    """Return the probabilities that are left when the unlikely tokens are cut off (nucleus sampling).

    Softmax turns the logits of n tokens into probabilities. Keep the likeliest tokens, as few as are
    needed for a total of at least p, and divide their probabilities by that total, so that they sum
    to 1. All other tokens get 0. The result has the tokens in the order of the logits. At least one
    token always stays. No two logits are equal.
    """
'''
THRESHOLD_REPAIR = "Keep a token if the total of the likelier tokens is still below p."
RENORMALISE_REPAIR = "Divide the kept probabilities by their sum."

SLIPS_WITHOUT_VARIANTS = (
    Slip(
        "left out",
        "cut off the token with which the total reaches p",
        repair=THRESHOLD_REPAIR,
    ),
    Slip(
        "left out but one",
        "cut off the token with which the total reaches p, unless it is the first",
        repair=THRESHOLD_REPAIR,
    ),
    Slip(
        "one more",
        "kept one token more than is needed to reach p",
        repair=THRESHOLD_REPAIR,
    ),
    Slip(
        "threshold",
        "compared each probability by itself with p, instead of the total of the likeliest tokens",
        repair="Sort the probabilities and add them up from the largest: np.cumsum.",
    ),
    Slip(
        "1 - p",
        "stopped as soon as the total reached 1 − p",
        repair="Keep tokens, the likeliest first, until their total reaches p itself.",
    ),
    Slip(
        "min-p",
        "kept every token that is at least p times as likely as the likeliest",
        repair="That is min-p sampling. Top-p compares the total of the likeliest tokens with p.",
    ),
    Slip(
        "not renormalised",
        "left the kept probabilities as they were, so they no longer sum to 1",
        repair=RENORMALISE_REPAIR,
    ),
    Slip(
        "sorted",
        "returned the probabilities from the largest to the smallest",
        repair="Put each probability back at the place of its token.",
    ),
    Slip(
        "order twice",
        "sorted a second time instead of putting the probabilities back in their order",
        repair="order[i] says where the i-th largest probability came from, so write to result[order].",
    ),
    Slip(
        "not moved",
        "applied the cut for the sorted tokens to the tokens in their original order",
        repair="The first k in sorted order are the tokens order[:k], not the tokens 0 to k − 1.",
    ),
    Slip(
        "unsorted",
        "added the probabilities up in the order of the tokens, without sorting",
        repair="Begin with the likeliest token: sort before you add up.",
    ),
    Slip(
        "ascending",
        "began with the least likely tokens",
        repair="Sort downwards: the likeliest token has to come first.",
    ),
    Slip(
        "no softmax", "took the logits for probabilities", "", "Take the softmax first."
    ),
    Slip(
        "twice",
        "took the softmax of the kept probabilities instead of dividing them by their sum",
        repair=RENORMALISE_REPAIR,
    ),
    Slip(
        "twice, all",
        "took a second softmax, which gives the tokens that are cut off a probability again",
        repair=RENORMALISE_REPAIR,
    ),
    Slip(
        "zero logits",
        "gave the tokens that are cut off the logit 0, which is a logit like any other",
        repair="Give them the probability 0, or the logit −∞ before the softmax.",
    ),
    Slip(
        "logits",
        "returned the logits with −∞ for the tokens that are cut off",
        repair="Return probabilities, 0 for a token that is cut off.",
    ),
)
# Where no token stays, a division by the total gives NaN, and no division leaves zeros.
SLIPS = SLIPS_WITHOUT_VARIANTS + tuple(
    replace(SLIPS_WITHOUT_VARIANTS[i], name=f"{SLIPS_WITHOUT_VARIANTS[i].name} to 0")
    for i in (0, 3)
)


def reference(logits, p, slips: Set[str] = frozenset()):
    to_0 = any(slip.endswith(" to 0") for slip in slips)
    slips = {slip.removesuffix(" to 0") for slip in slips}
    n, logits = len(logits), logits.astype(float)
    p = 1 - p if "1 - p" in slips else p
    chance = np.exp(logits - logits.max())
    chance = logits if "no softmax" in slips else chance / chance.sum()
    rank = chance if "ascending" in slips else -chance
    order = np.arange(n) if "unsorted" in slips else np.argsort(rank, kind="stable")
    kept, total = [], 0.0
    for token in order:
        before, total = total, total + chance[token]
        keep = {
            "min-p": chance[token] >= p * chance.max(),
            "threshold": chance[token] >= p,
            "left out but one": total < p or not kept,
            "left out": total < p,
        }
        kept.append(next((keep[slip] for slip in keep if slip in slips), before < p))
    kept = [True, *kept[:-1]] if "one more" in slips else kept
    stays = np.zeros(n, bool)
    stays[np.arange(n) if "not moved" in slips else order] = kept
    if "logits" in slips:
        left = np.where(stays, logits, -np.inf)
    elif "zero logits" in slips:
        left = np.exp(np.where(stays, logits, 0) - logits.max(initial=0))
        left = left / left.sum()
    elif "twice, all" in slips:
        left = np.exp(np.where(stays, chance, 0))
        left = left / left.sum()
    elif "twice" in slips:
        left = np.where(stays, np.exp(chance), 0)
        left = left / left.sum()
    else:
        left = np.where(stays, chance, 0)
        total = left.sum() or (1 if to_0 else np.nan)
        left = left if "not renormalised" in slips else left / total
    if "sorted" in slips:
        return left[order]
    return left[order][order] if "order twice" in slips else left


def top_p(logits, p):
    chance = softmax(logits)
    order = np.argsort(-chance)  # the likeliest first
    total = np.cumsum(chance[order])
    before = total - chance[order]  # the total of the likelier tokens
    kept = order[before < p]
    result = np.zeros_like(chance)
    result[kept] = chance[kept] / chance[kept].sum()
    return result


def trial_arguments(rng) -> Iterator[tuple]:
    # The exponentials are 2, 5 and 1, so the probabilities are 0.25, 0.625 and 0.125.
    yield np.log(np.array([2.0, 5.0, 1.0])), 0.75
    yield np.log(np.array([2.0, 5.0, 1.0])), 0.5
    yield np.log(np.array([1.0, 10.0, 3.0, 6.0])), 0.7
    yield np.log(np.array([1.0, 10.0, 3.0, 6.0])), 0.2
    yield np.array([2.0, -1.0, 3.0, 0.0, 1.0]), 0.95
    yield np.array([1001.0, 1000.0, 1002.5, 998.0]), 0.9
    yield np.array([0.5, 0.0, 0.25, 0.75]), 0.99
    yield np.array([3.0]), 0.5
    yield 2 * rng.normal(size=50), 0.8
    yield rng.normal(size=12).astype(np.float32), 0.6


def keeps_fewest_tokens(function, arguments, returned_arrays) -> bool:
    """Whether the total of what is kept reaches p, and no longer without its smallest."""
    e = np.exp(arguments[0] - arguments[0].max())
    kept = np.sort((e / e.sum())[returned_arrays[0] > 0])
    return kept.sum() >= arguments[1] - 1e-6 and kept[1:].sum() < arguments[1] + 1e-6


TASK = Task(
    "top_p",
    "transformer/decoding#top-k-and-top-p-cut-off-the-tail",
    STUB,
    reference,
    top_p,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "the probabilities do not sum to 1",
            lambda function, x, returned_arrays: np.isclose(
                returned_arrays[0].sum(), 1, atol=1e-4
            ),
        ),
        Property(
            "a likelier token gets a smaller probability than a less likely token",
            lambda function, x, returned_arrays: (
                np.diff(returned_arrays[0][np.argsort(x[0])]) >= -1e-6
            ).all(),
        ),
        Property(
            "every token keeps a probability: those that are cut off get 0 exactly",
            lambda function, x, returned_arrays: (
                (returned_arrays[0] == 0).sum() >= (reference(*x) == 0).any()
            ),
        ),
        Property(
            "the tokens that stay are not the fewest whose total reaches p",
            keeps_fewest_tokens,
        ),
    ),
    hints=(
        "Sort the probabilities from the largest to the smallest and add them up until you reach p.",
        "A token stays if the total of all likelier tokens, without its own probability, is below p. "
        "The indices from argsort tell you which tokens these are.",
        "order = np.argsort(-probabilities), before = np.cumsum(probabilities[order]) - "
        "probabilities[order], and the tokens order[before < p] stay. Divide by their sum.",
    ),
)
