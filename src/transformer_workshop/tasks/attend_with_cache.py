"""Attention for new tokens, with the keys and values of the old ones in a cache."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from .attention_slips import SLIPS as ALL_ATTENTION_SLIPS
from .causal_mask import causal_mask
from .scaled_dot_product_attention import scaled_dot_product_attention

STUB = '''
def attend_with_cache(x, cache_K, cache_V, W_Q, W_K, W_V):
    """Return (output, cache_K, cache_V): one head of attention, for the new tokens of a text.

    x: (batch, new, d_model); cache_K: (batch, old, d_k) and cache_V: (batch, old, d_v), the keys and
    values of the earlier tokens, possibly none. W_Q, W_K: (d_model, d_k), W_V: (d_model, d_v), as in
    x @ W_Q. A new token attends to all old tokens, to itself and to the new tokens before it; scores
    are divided by the root of d_k. output: (batch, new, d_v). The caches returned have old + new rows,
    the new ones last. Do not change the caches that you are given.
    """
'''

CAUSAL_MASK_REPAIR = (
    "Row i of the mask, counted from 0, has True in the columns 0 to old + i."
)
WRONG_CORNER_SLIP_FIELDS = (
    "aligned the causal mask with the upper left corner, as if there were no old tokens",
    "M31",
    "Use the last rows of the causal mask for the whole text. " + CAUSAL_MASK_REPAIR,
)
INVERTED_MASK_SLIP_FIELDS = (
    "hid what a token may attend to, and allowed the rest",
    "M25",
)
TRUE_ALLOWS_REPAIR = "In this book, True means that a query may attend."
SHARED_SLIP_NAMES = "no scale", "square", "d_k²", "zero", "queries", "whole", "after"
ATTENTION_SLIPS = (
    *(slip for slip in ALL_ATTENTION_SLIPS if slip.name in SHARED_SLIP_NAMES),
    # Where a query has no key left, softmax gives NaN, or zeros, or with −1e9 equal weights.
    *(
        Slip(f"inverted{then}", *INVERTED_MASK_SLIP_FIELDS, TRUE_ALLOWS_REPAIR)
        for then in ("", " to 0", " -1e9")
    ),
    Slip(
        "sign", "gave hidden keys a large score", "M5", "Hidden keys get the score −∞."
    ),
)
SLIPS = (
    Slip("corner", *WRONG_CORNER_SLIP_FIELDS),
    Slip("corner if many", *WRONG_CORNER_SLIP_FIELDS),  # is_causal=new > 1
    Slip(
        "no mask",
        "let new tokens attend to later new tokens",
        repair=CAUSAL_MASK_REPAIR,
    ),
    Slip("past", "masked the past instead of the future", "M6", CAUSAL_MASK_REPAIR),
    Slip("no self", "hid each new token from itself", repair=CAUSAL_MASK_REPAIR),
    Slip(
        "next",
        "let each new token attend to the token after it",
        repair=CAUSAL_MASK_REPAIR,
    ),
    Slip(
        "not appended",
        "never appended the keys and values of the new tokens to the caches",
        repair="Append x @ W_K and x @ W_V before the new tokens attend.",
    ),
    Slip(
        "old only",
        "let the new tokens attend to the old ones only, not to themselves",
        repair="Append the new keys and values first, then attend to all of them.",
    ),
    Slip(
        "new only",
        "let the new tokens attend to the new ones only, not to the cache",
        repair="Attend to the old keys and values with the new ones appended.",
    ),
    Slip(
        "old returned",
        "returned the caches without the new keys and values",
        repair="Return the caches with the new rows, or the next call will not see these tokens.",
    ),
    Slip(
        "new returned",
        "returned the new keys and values without the old ones",
        repair="Return the whole caches: the old rows and then the new ones.",
    ),
    Slip(
        "before",
        "put the new keys and values before the old ones",
        repair="The old rows come first, then the new ones, as in the text.",
    ),
    Slip(
        "again",
        "multiplied the keys and values in the caches by W_K and W_V again",
        repair="The caches hold x @ W_K and x @ W_V of the earlier tokens already.",
    ),
    Slip(
        "d_model",
        "divided the scores by √d_model instead of √d_k",
        "M12",
        "d_k is the number of columns of W_Q and W_K.",
    ),
    Slip(
        "one W",
        "projected the keys with W_Q",
        repair="The keys have a matrix of their own, W_K.",
    ),
    *ATTENTION_SLIPS,
)


def attention_with_slips(
    Q, K, V, allowed_keys: np.ndarray, divisor, slips: Set[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return output and weights, with the slips of ATTENTION_SLIPS."""
    scores = Q @ np.swapaxes(K, -1, -2)
    divisor = Q.shape[-1] if "square" in slips else divisor
    divisor = Q.shape[-1] ** 2 if "d_k²" in slips else divisor
    scores = scores if "no scale" in slips else scores / divisor
    inverted = any(slip.startswith("inverted") for slip in slips)
    low = 0.0 if "zero" in slips else -1e9 if "inverted -1e9" in slips else -np.inf
    if "sign" in slips:
        masked = scores + 1e4 * ~allowed_keys
    else:
        masked = np.where((allowed_keys | ("after" in slips)) ^ inverted, scores, low)
    axis = (-2, -1) if "whole" in slips else -2 if "queries" in slips else -1
    e = np.exp(masked - masked.max(axis=axis, keepdims=True))
    weights = e / e.sum(axis=axis, keepdims=True)
    weights = weights * allowed_keys if "after" in slips else weights
    weights = np.nan_to_num(weights) if "inverted to 0" in slips else weights
    return weights @ V, weights


def reference(x, cache_K, cache_V, W_Q, W_K, W_V, slips: Set[str] = frozenset()):
    old, new = cache_K.shape[1], x.shape[1]
    own_K, own_V = x @ (W_Q if "one W" in slips else W_K), x @ W_V
    if "again" in slips:
        cache_K, cache_V = cache_K @ W_K, cache_V @ W_V
    turn = -1 if "before" in slips else 1
    K = np.concatenate([cache_K, own_K][::turn], axis=1)
    V = np.concatenate([cache_V, own_V][::turn], axis=1)
    corner = "corner" in slips or ("corner if many" in slips and new > 1)
    keys, values, first = K, V, 0 if corner else old
    if "new only" in slips:
        keys, values, first = own_K, own_V, 0
    if slips & {"not appended", "old only"}:
        keys, values = cache_K, cache_V
    last = np.arange(new)[:, None] + first - ("no self" in slips) + ("next" in slips)
    width = W_Q.shape[0 if "d_model" in slips else 1]
    column, root = np.arange(keys.shape[1]), np.sqrt(width)
    allowed = column >= last if "past" in slips else column <= last
    allowed = allowed | ("no mask" in slips)
    output, _ = attention_with_slips(x @ W_Q, keys, values, allowed, root, slips)
    if len(slips) > 1 < new and np.isnan(output).all():
        raise ValueError("NaN everywhere has too many causes to be named")
    if slips & {"not appended", "old returned"}:
        return output, cache_K, cache_V
    return (output, own_K, own_V) if "new returned" in slips else (output, K, V)


def attend_with_cache(x, cache_K, cache_V, W_Q, W_K, W_V):
    K = np.concatenate([cache_K, x @ W_K], axis=1)  # (batch, old + new, d_k)
    V = np.concatenate([cache_V, x @ W_V], axis=1)
    mask = causal_mask(K.shape[1])[cache_K.shape[1] :]  # the rows of the new tokens
    output, _ = scaled_dot_product_attention(x @ W_Q, K, V, mask)
    return output, K, V


def trial_arguments(rng) -> Iterator[tuple]:
    one, two, W = np.array([[[1.0]]]), np.array([[[1.0], [2.0]]]), np.array([[1.0]])
    yield one, np.array([[[2.0]]]), np.array([[[4.0]]]), W, W, 2 * W
    yield two, np.array([[[0.0]]]), np.array([[[4.0]]]), W, W, 2 * W
    W_Q, W_K = np.array([[1.0, 2.0]]), np.array([[2.0, 0.0]])
    yield one, np.array([[[1.0, 1.0]]]), np.array([[[4.0]]]), W_Q, W_K, W
    for sizes in (
        (1, 2, 2, 2, 4, 2),  # batch, new, old, d_model, d_k, d_v
        (1, 1, 4, 3, 2, 3),
        (2, 3, 5, 4, 3, 2),
        (3, 4, 2, 5, 2, 6),
        (2, 3, 3, 4, 4, 4),
    ):
        yield random_arguments(rng, *sizes)
    yield tuple(a.astype(np.float32) for a in random_arguments(rng, 2, 2, 6, 3, 4, 5))


def random_arguments(
    rng, batch_size, new_count, old_count, d_model, d_k, d_v
) -> tuple[np.ndarray, ...]:
    """Return random arguments of these sizes."""
    caches = (batch_size, old_count, d_k), (batch_size, old_count, d_v)
    weights = (d_model, d_k), (d_model, d_k), (d_model, d_v)
    sizes = (batch_size, new_count, d_model), *caches, *weights
    return tuple(rng.normal(size=size) for size in sizes)


def are_close(arrays, other_arrays) -> bool:
    """Whether two results are nearly the same."""
    pairs = zip(arrays, other_arrays, strict=True)
    return all(np.allclose(one, other, atol=1e-3) for one, other in pairs)


def agrees_token_by_token(function, arguments, returned_arrays) -> bool:
    """Whether the tokens, read one after the other, give what they give together."""
    caches, rows = arguments[1:3], []
    for i in range(arguments[0].shape[1]):
        row, *caches = function(arguments[0][:, i : i + 1], *caches, *arguments[3:])
        rows.append(row)
    return are_close([np.concatenate(rows, axis=1)], returned_arrays[:1])


def works_with_empty_caches(function, arguments, returned_arrays) -> bool:
    """Whether what is right otherwise is right where a text begins, with empty caches."""
    empty = arguments[0], arguments[1][:, :0], arguments[2][:, :0], *arguments[3:]
    if not are_close(returned_arrays, reference(*arguments)):
        return True
    try:
        return are_close(function(*empty), reference(*empty))
    except Exception:
        return False


TASK = Task(
    "attend_with_cache",
    "beyond/kv_cache#one-new-row-is-enough",
    STUB,
    reference,
    attend_with_cache,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "reading the tokens one by one changes the output", agrees_token_by_token
        ),
        Property(
            "it is wrong only where the caches are still empty", works_with_empty_caches
        ),
    ),
    hints=(
        "First compute the keys and values of the new tokens and append them to the caches. Then attend.",
        "The queries are those of the new tokens, the keys and values those of all tokens. The mask has "
        "new rows and old + new columns: the last rows of the causal mask for the whole text.",
        "K = np.concatenate([cache_K, x @ W_K], axis=1), V in the same way, and the mask is "
        "causal_mask(old + new)[old:]. Return the output, K and V.",
    ),
    results=("output", "cache_K", "cache_V"),
)
