"""How scaled dot-product attention is usually got wrong."""

from ..task import Slip

ROOT_OF_D_K_REPAIR = "The divisor is √d_k."
WRONG_AXIS_LENGTH_SLIP_FIELDS = (
    "divided by the root of the length of another axis instead of √d_k",
    "",
    "d_k is Q.shape[-1].",
)
TRANSPOSE_REPAIR = (
    "Exchange the last two axes of K, and no others: np.swapaxes(K, -1, -2)."
)
EACH_ROW_REPAIR = "Take the softmax along the last axis of the scores, so that each row of weights sums to 1."
LAST_AXIS_REPAIR = (
    "The softmax goes along the last axis of the scores, which is the axis of the keys."
)
FIRST_AXIS_SLIP_FIELDS = (
    "normalised over the first axis instead of the keys",
    "M4",
    LAST_AXIS_REPAIR,
)
INVERTED_MASK_SLIP_FIELDS = "hid what the mask allows, and allowed what it hides", "M25"
TRUE_ALLOWS_REPAIR = "True means that a query may attend."
INFINITY_REPAIR = "Replace the scores of hidden keys by −∞ before the softmax."
INDEXED_BY_MASK_TEXT = (
    "indexed the scores with the mask, which may have fewer axes than the scores"
)
INDEXED_BY_MASK_REPAIR = (
    "np.where and masked_fill broadcast the mask; an index does not."
)
WRONG_SIGN_SLIP_FIELDS = "gave hidden keys the larger scores", "M5"
HIDDEN_SCORE_REPAIR = (
    "Hidden keys get the score −∞. True means that a query may attend."
)
FINITE_HIDDEN_SCORE_SLIP_FIELDS = (
    "hid keys with −10,000 instead of −∞, which is not enough if scores reach ±20,000",
    "M20",
)
RETURNED_SCORES_SLIP_FIELDS = "returned the scores instead of the weights", "M7"
RETURN_WEIGHTS_REPAIR = "Return what comes out of the softmax."
NO_SOFTMAX_SLIP_FIELDS = (
    "left out the softmax, so the output is linear in the queries",
    "M18",
    "The weights are the softmax of the scores, along the keys.",
)

SLIPS = (
    Slip("no scale", "did not divide the scores by √d_k", "", "Divide QKᵀ by √d_k."),
    Slip("square", "divided by d_k instead of its square root", "", ROOT_OF_D_K_REPAIR),
    Slip(
        "d_k²",
        "divided by the square of d_k instead of its root",
        "M9",
        ROOT_OF_D_K_REPAIR,
    ),
    Slip(
        "half",
        "divided by d_k / 2, which is what d_k ** 1 / 2 means",
        "",
        ROOT_OF_D_K_REPAIR,
    ),
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
    Slip("len", *WRONG_AXIS_LENGTH_SLIP_FIELDS),
    Slip("second axis", *WRONG_AXIS_LENGTH_SLIP_FIELDS),
    Slip(
        "untransposed", "multiplied Q by K, not by K transposed", "", TRANSPOSE_REPAIR
    ),
    Slip(
        "K.T",
        "reversed all axes of K, including those of the batch",
        "",
        TRANSPOSE_REPAIR,
    ),
    Slip("reshape", "reshaped K instead of transposing it", "", TRANSPOSE_REPAIR),
    Slip(
        "exchanged",
        "computed KQᵀ instead of QKᵀ, so each row belongs to a key",
        repair="The scores are QKᵀ: each row belongs to a query, and each column to a key.",
    ),
    Slip(
        "queries",
        "normalised over the queries instead of the keys",
        "M4",
        LAST_AXIS_REPAIR,
    ),
    Slip("whole", "normalised over the whole matrix", "M4", EACH_ROW_REPAIR),
    Slip("everything", "normalised over the whole batch", "M4", EACH_ROW_REPAIR),
    # Where all is hidden, −∞ gives no number or (safe) 0, −1e9 equal weights.
    Slip("axis 0", *FIRST_AXIS_SLIP_FIELDS),
    Slip("axis 0 -1e9", *FIRST_AXIS_SLIP_FIELDS),
    Slip(
        "axis 1",
        "normalised over axis 1, which is the axis of the keys only without a batch",
        "M4",
        LAST_AXIS_REPAIR,
    ),
    Slip(
        "no dim",
        "let PyTorch choose the axis of the softmax, and of three axes it chooses the first",
        "M4",
        "Name the axis: dim=-1.",
    ),
    Slip("no softmax", *NO_SOFTMAX_SLIP_FIELDS),
    Slip("no softmax, 0", *NO_SOFTMAX_SLIP_FIELDS),
    Slip("no softmax -1e9", *NO_SOFTMAX_SLIP_FIELDS),
    Slip("inverted", *INVERTED_MASK_SLIP_FIELDS, TRUE_ALLOWS_REPAIR),
    Slip("inverted -1e9", *INVERTED_MASK_SLIP_FIELDS, TRUE_ALLOWS_REPAIR),
    Slip("inverted safe", *INVERTED_MASK_SLIP_FIELDS, TRUE_ALLOWS_REPAIR),
    Slip("ignored", "ignored the mask", "", INFINITY_REPAIR),
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
        INFINITY_REPAIR,
    ),
    Slip("index", INDEXED_BY_MASK_TEXT, "", INDEXED_BY_MASK_REPAIR),
    Slip("index -1e9", INDEXED_BY_MASK_TEXT, "", INDEXED_BY_MASK_REPAIR),
    Slip("sign", *WRONG_SIGN_SLIP_FIELDS, HIDDEN_SCORE_REPAIR),
    Slip("sign replaced", *WRONG_SIGN_SLIP_FIELDS, HIDDEN_SCORE_REPAIR),
    Slip("sign ∞", *WRONG_SIGN_SLIP_FIELDS, HIDDEN_SCORE_REPAIR),
    Slip(
        "0 times ∞",
        "multiplied a mask by −∞, and 0 times −∞ is NaN",
        "M20",
        INFINITY_REPAIR,
    ),
    Slip("-10,000", *FINITE_HIDDEN_SCORE_SLIP_FIELDS, INFINITY_REPAIR),
    Slip("-10,000 added", *FINITE_HIDDEN_SCORE_SLIP_FIELDS, INFINITY_REPAIR),
    Slip(
        "overflow",
        "took the exponential of the scores as they are, which can overflow or give 0/0",
        repair="Subtract the largest score of the row first, as your softmax does.",
    ),
    Slip("scores", *RETURNED_SCORES_SLIP_FIELDS, RETURN_WEIGHTS_REPAIR),
    Slip("products", *RETURNED_SCORES_SLIP_FIELDS, RETURN_WEIGHTS_REPAIR),
    Slip("masked scores", *RETURNED_SCORES_SLIP_FIELDS, RETURN_WEIGHTS_REPAIR),
    Slip("masked scores -1e9", *RETURNED_SCORES_SLIP_FIELDS, RETURN_WEIGHTS_REPAIR),
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
