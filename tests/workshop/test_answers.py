"""The check of exercises' answers."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from transformer_book import by_hand, nn
from transformer_book.data import bpe
from transformer_workshop import check_answer
from transformer_workshop.answering import describe_fault
from transformer_workshop.answers import Answer, answers_by_label

BOOK = Path(__file__).parents[2] / "book"
PAGES = [
    page
    for part in ("words", "attention", "transformer", "beyond")
    for page in sorted((BOOK / part).glob("*.md"))
]
ANSWERS = answers_by_label()
VALUES = {label for label, each in ANSWERS.items() if each.inputs is None}
SLIPS = [
    pytest.param(label, i, id=f"{label}-{i}")
    for label, each in ANSWERS.items()
    for i in range(len(each.wrong))
]

# As the solutions have them: typed again, and not computed by the package.
AS_SOLVED = {
    "ex-mathematics-shapes": [(2, 4), None, (2, 2), (4, 2)],
    "ex-mathematics-variance": [14, 9, 8, 36],
    "ex-mathematics-three-words": [1 / 64, 1.386],
    "ex-tokens-two": [5, 4, 14],
    "ex-tokens-dogs": ("g", "·"),
    "ex-tokens-frequency": ("w", "e"),
    "ex-embeddings-pencil": [1, -1, 0, 0.71],
    "ex-fusion-narrow": [8, 1, 11.3, 0.667],
    "ex-fusion-leave": 22.6,
    "ex-fusion-onehot": 262_144,
    "ex-learning-pale": 10.5,
    "ex-learning-pencil": [-0.122, 0.0111],
    "ex-learning-thousand": [True, False],
    "ex-positions-slowest": [0.374, 128],
    "ex-positions-ahead": [2, 3, 4, 5, 6, 7, 7, 7],
    "ex-positions-base": False,
    "ex-why-exchange": [False, True],
    "ex-why-prefer": 2.5,
    "ex-why-longer": [250_000, 10**10, 200],
    "ex-why-windows": [50, 13],
    "ex-why-neighbours": 10,
    "ex-eight-steps-move": [0, 3, 9, 6],
    "ex-eight-steps-exchange": [True, False],
    "ex-eight-steps-causal": [1, 0, 0],
    "ex-eight-steps-order": [2, 3, 0, 1],
    "ex-scaling-temperature": [32, 16],
    "ex-scaling-variance": 8,
    "ex-scaling-jacobian": [[0.09, -0.09], [-0.09, 0.09]],
    "ex-scaling-linear": 1 / 32,
    "ex-scaling-shared": 0.99,
    "ex-scaling-bias": [False, True],
    "ex-heads-base": [(32, 20, 512), (32, 8, 20, 64), (32, 8, 20, 20)],
    "ex-heads-blends": [
        *([2, 0, -4 / 3, 0], [0, 2, 0, -4 / 3]),
        *([-1, 0, 7 / 3, 0], [0, -1, 0, 7 / 3]),
    ],
    "ex-heads-strides": [(2, 2, 3, 2), (12, 2, 4, 1)],
    "ex-heads-full": [8, 8],
    "ex-masks-count": 136,
    "ex-masks-less": [0, 0, 0],
    "ex-masks-after": [False, True],
    "ex-cross-attention-shapes": [(6, 64), (7, 64), (6, 7), (6, 512)],
    "ex-cross-attention-nothing": [0.333, 0.333, 0.333],
    "ex-cross-attention-padded": [[[True] * 3], [[True, True, False]]],
    "ex-add-norm-same": [True, True, False, False],
    "ex-add-norm-part": [False, True],
    "ex-add-norm-leave-out": "Pre-LN",
    "ex-ffn-colourless": 0,
    "ex-ffn-one-unit": 3,
    "ex-stacks-count": [30, 18],
    "ex-stacks-source": [1, 2, 3],
    "ex-stacks-unequal": [False, False],
    "ex-full-length": [1024, 3072],
    "ex-full-transpose": "W_O",
    "ex-training-least": 0.71,
    "ex-decoding-top-p": [1, 5],
    "ex-decoding-one-beam": False,
    "ex-inside-row": "sat",
    "ex-inside-they": 3,
    "ex-one-page-pre": 2,
    "ex-one-page-decoder": "DecoderLayer",
    "ex-real-clip": [28.6, 100],
    "ex-real-two-runs": False,
    "ex-language-pencil": [4, float("inf")],
    "ex-cache-pencil": 37_748_736,
    "ex-cache-edit": [[1, 2, 3, 5, 6, 7, 8, 9], [1, 2, 3]],
    "ex-cache-widget": [51, 11],
    "ex-revisited-slowest": [2_559_000, 54_400],
    "ex-revisited-values": False,
    "ex-revisited-slope": [10, 1179],
    "ex-norms-same": [[True, False, True], [True, False, False]],
    "ex-norms-width": [11_008, 0.78],
    "ex-norms-narrow": [0.3554, 1.0],
    "ex-norms-bilinear": 4,
    "ex-experts-sat": [3, 4, 5 / 9, 4 / 9, 31 / 9],
    "ex-experts-loss": [4, 1],
    "ex-experts-finer": [28, 1820],
    "ex-families-square": 2,
    "ex-families-helium": "interleaved",
    "ex-flash-pencil": [2, 1.135, 2, 2.271],
    "ex-flash-hides": ["the", "black", "cat"],
    "ex-shared-three": [1, 2, 4],
    "ex-shared-bytes": [516_096, 8_257_536],
    "ex-one-page-cache": [2048, 4096],
    "ex-one-page-mask": [[True] * 4 + [False], [True] * 5],
    "ex-one-page-pairs": [0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15],
    "ex-paged-where": [7, 1, 2],
    "ex-paged-best": [1, 2],
    "ex-efficient-scale": 33,
    "ex-efficient-step": [0.0005, False, True],
    "ex-efficient-clip": False,
    "ex-lora-numbers": [65_536, 0.39, 2048],
    "ex-lora-billion": 29.12,
    "ex-efficient-half": 6931,
    "ex-efficient-off": False,
    "ex-recompute-billion": 112,
    "ex-recompute-two": [30, 34],
    "ex-machines-pencil": [[1, 15, 12], [5, 5, 18], [12, 13, 9]],
    "ex-machines-means": 3,
    "ex-machines-fit": 14,
    "ex-model-parallel-bubble": 63,
    "ex-machines-batch": [2, 1],
    "ex-scaling-ratio": [0.83, 20],
    "ex-scaling-cost": [1.2e18, 12_000, 1e9],
    "ex-scaling-exponent": [11, 21, 1.1e12],
    "ex-prefill-pencil": [14, 71, 70],
    "ex-cache-batch": 12,
    "ex-prefill-attention": 8,
    "ex-scheduling-pencil": [4, 3, 17],
    "ex-scheduling-refused": 11,
    "ex-scheduling-pieces": [15, 36, 60, 12],
    "ex-serving-pencil": [8, 5],
    "ex-serving-draft": [10, 30],
    "ex-tokens-price": [1, 3],
    "ex-scaling-repair": [False, False],
    "ex-full-two": 63_045_632,
    "ex-one-page-without": "tril",
    "ex-decoding-more-beams": [True, False],
    "ex-inside-brown": [False, True],
    "ex-inside-kinds": False,
    "ex-inside-everywhere": False,
    "ex-flash-rows": 4,
    "ex-machines-norm": [1, 1],
    "ex-families-changed": [
        *("normalise", "attention_bias", "activation", "gated", "bias", "positions"),
        "share",
    ],
}


def said(capsys, *arguments):
    check_answer(*arguments)
    return capsys.readouterr().out


def test_every_label_is_in_the_book():
    labels = set()
    for page in PAGES:
        labels |= set(re.findall(r"^:label: (ex-\S+)$", page.read_text("utf-8"), re.M))
    assert ANSWERS.keys() <= labels
    assert len(ANSWERS) > 140


@pytest.mark.parametrize("label", AS_SOLVED)
def test_what_the_solution_says_is_right(label):
    assert describe_fault(AS_SOLVED[label], ANSWERS[label]) == ""


def solution(page, name, **names):
    """Return a function that a page defines."""
    text = (BOOK / page).read_text("utf-8")
    source = re.search(rf"^def {name}\(.*?(?=^\S)", text, re.M | re.S)
    names |= {"np": np}
    exec(source.group(), names)
    return names[name]


@pytest.mark.parametrize(
    ("label", "page", "name"),
    [
        ("ex-serving-static", "beyond/serving.md", "static_steps_needed"),
        ("ex-positions-quarter", "words/positions.md", "quarter_turn"),
    ],
)
def test_the_function_of_the_solution_is_right(label, page, name):
    assert describe_fault(solution(page, name), ANSWERS[label]) == ""


def test_the_functions_of_the_solutions_on_tokens_are_right():
    longest = solution("words/tokens_lab.md", "longest_first", bpe=bpe)
    assert describe_fault(longest, ANSWERS["ex-tokens-longest"]) == ""

    def cut(word, merges):
        return solution("words/tokens.md", "cut", merges=merges, merge=bpe.merge)(word)

    assert describe_fault(cut, ANSWERS["ex-tokens-cut"]) == ""


def test_the_steps_of_the_solution_without_zero_grad_are_right():
    z, speed, track = 0.0, 0.0, []
    for _ in range(30):
        speed += np.exp(z) / (np.exp(z) + 11) - 1 / 4
        z -= speed
        track.append(z)
    assert describe_fault(track, ANSWERS["ex-learning-zero-grad"]) == ""


def test_the_audit_of_the_solution_is_right():
    audit = solution("words/positions_lab.md", "audit")
    assert describe_fault(audit, ANSWERS["ex-positions-audit"]) == ""


def test_the_functions_of_the_exercises_are_right_as_their_formulas_say():
    formulas = {
        "ex-mathematics-three-steps": lambda z: np.exp(z) / (np.exp(z) + 1),
        "ex-embeddings-pairs": lambda n, w: 2 * w * n - w * (w + 1),
        "ex-why-other-windows": lambda k, D: int(np.ceil(2 * D / (k - 1))),
        "ex-ffn-share": lambda r: 2 * r / (4 + 2 * r),
        "ex-ffn-sizes": lambda d_model, d_ff: d_ff - 2 * d_model,
        "ex-decoding-cost": lambda d, d_ff: (6 * d**2 + 2 * d * d_ff) / (2 * d),
        "ex-training-first-loss": lambda V: np.log(V),
        "ex-recompute-half": lambda s, a: 6 * (s + a),
        "ex-language-rows": lambda n, m: (n + m - 1, m * n + m * (m - 1) // 2),
        "ex-scaling-middle": lambda alpha, beta: beta / alpha,
        "ex-tokens-anew": lambda E, order: torch.tensor(E)[torch.tensor(order)],
    }
    for label, formula in formulas.items():
        assert describe_fault(formula, ANSWERS[label]) == ""


def test_the_parts_of_attention_are_right_as_the_pages_compute_them():
    left = np.array([0, 0, 0, 5, 11, 12, 13])
    both = np.tri(7, dtype=bool) & (left != 0)
    assert describe_fault(both, ANSWERS["ex-masks-left"]) == ""
    window = nn.causal_mask(10) & ~nn.causal_mask(10).tril(-3)
    assert describe_fault(window, ANSWERS["ex-masks-window"]) == ""
    number = torch.arange(3).repeat_interleave(torch.tensor([7, 4, 2]))
    packed = (number[:, None] == number) & nn.causal_mask(13)
    assert describe_fault(packed, ANSWERS["ex-masks-packing"]) == ""
    rng = np.random.default_rng(0)
    X, W_Q, W_O = (rng.normal(size=(8, 8)) for _ in range(3))
    W_K, W_V = (rng.normal(size=(8, 4)) for _ in range(2))
    wide = ANSWERS["ex-shared-wide"].right()
    multi, _ = by_hand.multi_head_attention(X, X, X, W_Q, *wide, W_O, 4)
    grouped, _ = by_hand.grouped_query_attention(X, X, X, W_Q, W_K, W_V, W_O, 4, 2)
    assert np.allclose(grouped, multi)
    wide = [np.repeat(W.reshape(8, 2, 2), 2, axis=1).reshape(8, 8) for W in (W_K, W_V)]
    assert describe_fault(wide, ANSWERS["ex-shared-wide"]) == ""


def test_most_values_are_typed_again():
    assert AS_SOLVED.keys() <= VALUES and len(AS_SOLVED) > 0.9 * len(VALUES)


@pytest.mark.parametrize("label", ANSWERS)
def test_the_right_answer_is_right(label):
    answer = ANSWERS[label]
    assert (
        describe_fault(answer.right if answer.inputs else answer.right(), answer) == ""
    )


@pytest.mark.parametrize(("label", "i"), SLIPS)
def test_a_known_wrong_answer_is_named(label, i):
    answer = ANSWERS[label]
    wrong, says = answer.wrong[i]
    if callable(wrong) and answer.inputs is None:
        wrong = wrong()
    assert describe_fault(wrong, answer) == says


@pytest.mark.parametrize("label", ANSWERS)
def test_what_is_asked_ends_a_sentence(label):
    asks = ANSWERS[label].asks
    assert asks[0].islower() or asks.startswith("True or False")
    assert asks[-1] not in ".,;:"
    for _, says in ANSWERS[label].wrong:
        assert says[-1] not in ".,;:"


@pytest.mark.parametrize(
    "value",
    [136, 136.0, np.int64(136), np.float32(136), torch.tensor(136), np.array([136])],
)
def test_a_number_may_be_of_any_kind(capsys, value):
    assert said(capsys, "ex-masks-count", value) == "That is right.\n"


@pytest.mark.parametrize("make", [list, tuple, np.array, torch.tensor])
def test_a_sequence_may_be_of_any_kind(make):
    assert (
        describe_fault(make([2, 3, 4, 5, 6, 7, 7, 7]), ANSWERS["ex-positions-ahead"])
        == ""
    )
    assert (
        describe_fault(
            make([[0.09, -0.09], [-0.09, 0.09]]), ANSWERS["ex-scaling-jacobian"]
        )
        == ""
    )
    assert describe_fault(make([32.0, 16.0]), ANSWERS["ex-scaling-temperature"]) == ""
    assert "no rows 8 and 9" in describe_fault(
        make(range(2, 10)), ANSWERS["ex-positions-ahead"]
    )


def test_shapes_may_be_those_of_arrays():
    shapes = [torch.zeros(6, 64).shape, np.zeros((7, 64)).shape, (6, 7), [6, 512]]
    assert describe_fault(shapes, ANSWERS["ex-cross-attention-shapes"]) == ""


@pytest.mark.parametrize("value", [np.False_, torch.tensor(False), False])
def test_true_and_false_may_be_of_any_kind(value):
    assert describe_fault(value, ANSWERS["ex-revisited-values"]) == ""
    assert describe_fault(np.True_, ANSWERS["ex-revisited-values"]).startswith(
        "the weights do"
    )


def test_the_order_does_not_matter_where_a_set_is_right():
    answer = ANSWERS["ex-shared-three"]
    for right in (
        {4, 1, 2},
        [2, 1, 4],
        (4, 2, 1),
        np.array([1, 4, 2]),
        {1.0, 2.0, 4.0},
    ):
        assert describe_fault(right, answer) == ""
    assert (
        describe_fault([1, 8], answer) == "1 entry should not be there, and 2 missing"
    )


def test_without_an_answer_it_says_what_to_store(capsys):
    todo = (
        "Not answered yet. Store in `answer` the number of True cells for 16 tokens.\n"
    )
    for nothing in (None, ..., NotImplemented):
        assert said(capsys, "ex-masks-count", nothing) == todo
    assert said(capsys, "ex-masks-count") == todo

    def cut(word, merges):
        raise NotImplementedError

    assert said(capsys, "ex-tokens-cut", cut).startswith("Not answered yet.")
    assert said(capsys, "ex-tokens-cut", lambda word, merges: ...).startswith("Not")


def test_a_wrong_answer_is_told_in_two_sentences(capsys):
    assert said(capsys, "ex-masks-count", 120) == (
        "That is not right: you counted without the diagonal; a token may attend to itself.\n"
        "The answer should be the number of True cells for 16 tokens.\n"
    )


@pytest.mark.parametrize(
    ("label", "value", "says"),
    [
        ("ex-masks-count", "many", "the answer is a text; expected a number"),
        ("ex-masks-count", True, "the answer is True or False; expected a number"),
        ("ex-masks-count", [1, 2], "the answer is a sequence; expected a number"),
        ("ex-masks-count", object(), "the answer is of type object; expected a number"),
        (
            "ex-masks-count",
            lambda: 136,
            "the answer is a function; store what it returns",
        ),
        ("ex-masks-count", 135, "another number is expected"),
        ("ex-masks-count", float("nan"), "another number is expected"),
        (
            "ex-positions-ahead",
            2,
            "the answer is a number; expected a sequence of several values",
        ),
        ("ex-positions-ahead", [2, 3], "the answer has 2 parts; expected 8"),
        (
            "ex-positions-ahead",
            [2, 3, 4, 5, 6, 7, 7, 6],
            "part 7 is wrong (counted from 0), and the rest is right",
        ),
        (
            "ex-positions-ahead",
            [2, 3, 4, 5, 6, 7, 0, 0],
            "parts 6 and 7 are wrong (counted from 0), and the rest is right",
        ),
        ("ex-positions-ahead", [9] * 8, "none of its parts is right"),
        (
            "ex-positions-ahead",
            "23456777",
            "the answer is a text; expected a sequence of several values",
        ),
        (
            "ex-learning-thousand",
            ["yes", "no"],
            "part 0 (counted from 0) is a text; expected True or False",
        ),
        (
            "ex-scaling-jacobian",
            np.zeros((3, 2)),
            "the answer has the shape (3, 2); expected (2, 2)",
        ),
        (
            "ex-masks-window",
            np.tri(10, dtype=int),
            "an entry is a number; expected True or False",
        ),
        ("ex-shared-three", 4, "the answer is a number; expected a set or a list"),
        ("ex-inside-row", "cat", "another answer is expected"),
        (
            "ex-tokens-cut",
            ["b", "o", "at·"],
            "the answer is a sequence; store the function itself, without calling it",
        ),
    ],
)
def test_another_wrong_answer_has_one_clear_clause(label, value, says):
    assert describe_fault(value, ANSWERS[label]) == says


def test_a_function_is_called_on_several_inputs():
    quarter = ANSWERS["ex-positions-quarter"]
    wrong = describe_fault(lambda d: np.pi / 2 * 10000 ** (510 / 512), quarter)
    assert wrong == (
        "with 64, another number is expected (it is right on 1 of 3 inputs)"
    )
    slices = ANSWERS["ex-heads-slices"]
    assert describe_fault(lambda Q, h: Q, slices) == (
        "with an array of shape (3, 6), 2, the answer has the shape (3, 6); "
        "expected (2, 3, 3)"
    )
    broken = describe_fault(lambda Q, h: Q.nothing, slices)
    assert "), 2, it fails" in broken and "AttributeError" in broken


def test_a_function_may_return_tensors_and_may_not_spoil_the_inputs():
    def heads(Q, h):
        result = torch.stack([torch.tensor(part) for part in np.split(Q, h, axis=1)])
        Q[:] = 0
        return result

    assert describe_fault(heads, ANSWERS["ex-heads-slices"]) == ""


@pytest.mark.parametrize("label", ["ex-masks-cuont", "ex-nothing-like-it"])
def test_an_unknown_label_is_told(label):
    with pytest.raises(ValueError, match="no check for") as error:
        check_answer(label, 1)
    assert ("'ex-masks-count'" in str(error.value)) == (label == "ex-masks-cuont")


def test_the_answers_need_no_pytorch():
    code = (
        "import sys; from transformer_workshop import check_answer\n"
        "from transformer_workshop.answers import answers_by_label\n"
        "check_answer('ex-masks-count', 136); sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_answer_is_frozen():
    with pytest.raises(AttributeError):
        Answer("a number", lambda: 1).asks = "another"
