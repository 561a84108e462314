"""How scaled dot-product attention is usually got wrong."""

from ..task import Slip

ROOT = "The divisor is √d_k."
D_K = (
    "divided by the root of the length of another axis instead of √d_k",
    "",
    "d_k is Q.shape[-1].",
)
TRANSPOSE = "Exchange the last two axes of K, and no others: np.swapaxes(K, -1, -2)."
EACH_ROW = "Take the softmax along the last axis of the scores, so that each row of weights sums to 1."
LAST = (
    "The softmax goes along the last axis of the scores, which is the axis of the keys."
)
FIRST = ("normalised over the first axis instead of the keys", "M4", LAST)
INVERTED = "hid what the mask allows, and allowed what it hides", "M25"
TRUE = "True means that a query may attend."
INFINITY = "Replace the scores of hidden keys by −∞ before the softmax."
INDEX = "indexed the scores with the mask, which may have fewer axes than the scores"
WHERE = "np.where and masked_fill broadcast the mask; an index does not."
SIGN = "gave hidden keys the larger scores", "M5"
LOWEST = "Hidden keys get the score −∞. True means that a query may attend."
LARGE = (
    "hid keys with −10,000 instead of −∞, which is not enough if scores reach ±20,000",
    "M20",
)
SCORES = "returned the scores instead of the weights", "M7"
SOFTMAX = "Return what comes out of the softmax."
LINEAR = (
    "left out the softmax, so the output is linear in the queries",
    "M18",
    "The weights are the softmax of the scores, along the keys.",
)

SLIPS = (
    Slip("no scale", "did not divide the scores by √d_k", "", "Divide QKᵀ by √d_k."),
    Slip("square", "divided by d_k instead of its square root", "", ROOT),
    Slip("d_k²", "divided by the square of d_k instead of its root", "M9", ROOT),
    Slip("half", "divided by d_k / 2, which is what d_k ** 1 / 2 means", "", ROOT),
    Slip(
        "times",
        "multiplied by √d_k instead of dividing",
        repair="Divide the scores by √d_k.",
    ),
    Slip(
        "late",
        "divided the weights instead of the scores",
        repair="Divide the scores by √d_k before the softmax.",
    ),
    Slip(
        "d_v",
        "divided by the root of d_v, the width of the values",
        repair="The divisor is √d_k, the width of the queries and keys: Q.shape[-1].",
    ),
    Slip("len", *D_K),
    Slip("second axis", *D_K),
    Slip("untransposed", "multiplied Q by K, not by K transposed", "", TRANSPOSE),
    Slip("K.T", "reversed all axes of K, including those of the batch", "", TRANSPOSE),
    Slip("reshape", "reshaped K instead of transposing it", "", TRANSPOSE),
    Slip(
        "exchanged",
        "computed KQᵀ instead of QKᵀ, so each row belongs to a key",
        repair="The scores are QKᵀ: each row belongs to a query, and each column to a key.",
    ),
    Slip("queries", "normalised over the queries instead of the keys", "M4", LAST),
    Slip("whole", "normalised over the whole matrix", "M4", EACH_ROW),
    Slip("everything", "normalised over the whole batch", "M4", EACH_ROW),
    # Where all is hidden, −∞ gives no number or (safe) 0, −1e9 equal weights.
    Slip("axis 0", *FIRST),
    Slip("axis 0 -1e9", *FIRST),
    Slip(
        "axis 1",
        "normalised over axis 1, which is the axis of the keys only without a batch",
        "M4",
        LAST,
    ),
    Slip(
        "no dim",
        "let PyTorch choose the axis of the softmax, and of three axes it chooses the first",
        "M4",
        "Name the axis: dim=-1.",
    ),
    Slip("no softmax", *LINEAR),
    Slip("no softmax, 0", *LINEAR),
    Slip("no softmax -1e9", *LINEAR),
    Slip("inverted", *INVERTED, TRUE),
    Slip("inverted -1e9", *INVERTED, TRUE),
    Slip("inverted safe", *INVERTED, TRUE),
    Slip("ignored", "ignored the mask", "", INFINITY),
    Slip(
        "after",
        "applied the mask after the softmax, so the rows no longer sum to 1",
        repair="Mask the scores before the softmax.",
    ),
    Slip(
        "after, divided",
        "applied the mask after the softmax and normalised again, which can give 0/0",
        repair="Mask the scores before the softmax.",
    ),
    Slip(
        "zero",
        "set the hidden scores to 0, which is a score like any other",
        repair="Set them to −∞.",
    ),
    Slip(
        "plus",
        "added the mask to the scores, so True and False count as 1 and 0",
        "",
        INFINITY,
    ),
    Slip("index", INDEX, "", WHERE),
    Slip("index -1e9", INDEX, "", WHERE),
    Slip("sign", *SIGN, LOWEST),
    Slip("sign replaced", *SIGN, LOWEST),
    Slip("sign ∞", *SIGN, LOWEST),
    Slip(
        "0 times ∞", "multiplied a mask by −∞, and 0 times −∞ is NaN", "M20", INFINITY
    ),
    Slip("-10,000", *LARGE, INFINITY),
    Slip("-10,000 added", *LARGE, INFINITY),
    Slip(
        "overflow",
        "took the exponential of the scores as they are, which can overflow or give 0/0",
        repair="Subtract the largest score of the row first, as your softmax does.",
    ),
    Slip("scores", *SCORES, SOFTMAX),
    Slip("products", *SCORES, SOFTMAX),
    Slip("masked scores", *SCORES, SOFTMAX),
    Slip("masked scores -1e9", *SCORES, SOFTMAX),
    Slip(
        "only output",
        "returned the output alone",
        "",
        "Return the output and the weights.",
    ),
    Slip("swapped", "returned the weights first", "", "The output comes first."),
    Slip(
        "halves",
        "returned the two halves of the output as two results",
        "M13",
        "Return the whole output, and the weights beside it.",
    ),
)
