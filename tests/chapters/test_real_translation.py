"""What the chapter on real translation rests on: its typed figures, its rules, its sizes."""

import ast
import re
import runpy
from collections import Counter

import numpy as np
import pytest
import sacrebleu
import torch
from torch.utils.flop_counter import FlopCounterMode

from tests.conftest import ROOT
from tests.data import real
from tests.nn.models import config, ids, model
from tools.pages import book_pages
from transformer_book import nn
from transformer_book.train.translator import PRESETS
from transformer_lab.translations import scores
from transformer_lab.translator.recipes import RECIPES

WORDS = 9_712  # of Multi30k's joint vocabulary, the four marks among them
PAGE = [
    cell.source
    for cell in book_pages.read_notebook(
        ROOT / "book/transformer/real_translation_lab.md"
    ).cells
    if cell.cell_type == "code"
]


def cell(start):
    """Return the one cell of the page in which a line begins like this."""
    begins = re.compile(f"^{re.escape(start)}", re.MULTILINE)
    (found,) = [source for source in PAGE if begins.search(source)]
    return found


def function(name, tmp_path):
    """Return a function that the page defines."""
    file = tmp_path / "cell.py"
    file.write_text(cell(f"def {name}("), "utf-8")
    return runpy.run_path(str(file), {"Counter": Counter})[name]


def constant(name):
    tree = ast.parse(cell(f"{name} = "))
    (value,) = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name
    ]
    return value


def test_the_published_figure_is_that_of_its_own_precisions():
    published = ast.literal_eval(constant("published"))
    mean = np.exp(np.mean(np.log(published["precisions"])))
    # Each of them is rounded.
    assert published["brevity_penalty"] * mean == pytest.approx(
        published["score"], abs=0.06
    )


def test_the_pair_for_the_pencil_is_counted_as_sacrebleu_counts_it():
    reference, hypothesis = (
        ast.literal_eval(constant(name).func.value)
        for name in ("reference", "hypothesis")
    )
    judge = sacrebleu.corpus_bleu(
        [hypothesis], [[reference]], tokenize="none", smooth_method="none", force=True
    )
    ours = scores.bleu([hypothesis.split()], [reference.split()])
    assert ours.score == pytest.approx(judge.score) and judge.bp < 1
    assert ours.precisions == pytest.approx(judge.precisions)
    counts, wanted = Counter(hypothesis.split()), Counter(reference.split())
    assert any(counts[word] > wanted[word] > 0 for word in counts), "nothing is clipped"


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        ("a man rides a horse .", "exactly the reference"),
        ("a man a horse rides .", "its words in another order"),
        ("a horse rides a man .", "its words in another order"),
        ("a man rides the horse .", "one word differs"),
        ("a man rides a .", "words are missing"),
        ("", "words are missing"),
        ("a man rides a brown horse .", "the rest"),
        ("the man rides the horse .", "the rest"),
        ("man rides a horse . the", "the rest"),
        ("a a man rides a horse .", "the rest"),
    ],
)
def test_each_translation_is_of_the_kind_that_the_page_says(
    hypothesis, expected, tmp_path
):
    kind, reference = function("kind", tmp_path), "a man rides a horse ."
    assert kind(reference.split(), hypothesis.split()) == expected
    assert f'"{expected}"' in cell("kinds = "), "a kind that the page does not list"


def test_the_multiply_adds_of_the_page_are_those_that_torch_counts():
    """Those of the matrices: the page leaves out scores and weighted values."""
    made, n = model(config("tiny")), 7
    c = made.config
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        made(ids(11, [n], 1), ids(11, [n], 2))
    counts = counter.get_flop_counts()["Global"]
    matrices = sum(
        counts.get(name, 0) for name in (torch.ops.aten.mm, torch.ops.aten.addmm)
    )
    sizes = {"d": c.d_model, "d_ff": c.d_ff, "N": c.N, "V": c.target_words}
    layers = eval(ast.unparse(constant("layers")), sizes)
    assert matrices == 2 * n * (layers + c.d_model * c.target_words)


def test_the_recipe_keeps_the_conditions_of_the_published_figure():
    recipe = RECIPES["multi30k"]
    sizes = dict(recipe.sizes)
    made = nn.Transformer(PRESETS[sizes.pop("preset")](WORDS, WORDS, **sizes))
    assert sum(p.numel() for p in made.parameters()) <= 2_600_000
    assert made.source_embedding is made.target_embedding is made.output
    assert recipe.beams == 5


@real.needs("multi30k-en-de/train.de")
def test_the_joint_vocabulary_has_as_many_words_as_the_sizes_here_assume():
    text = "\n".join(
        (real.FOLDER / "multi30k-en-de" / f"train.{code}").read_text("utf-8")
        for code in ("en", "de")
    )
    assert len(set(text.split())) + 4 == WORDS


def test_the_mean_of_a_permuted_copy_is_another_function():
    """The exercise: same function, other order of the hidden units."""
    torch.manual_seed(0)
    one, other = nn.FeedForward(8, 32).double(), nn.FeedForward(8, 32).double()
    order, x = torch.randperm(32), torch.randn(100, 8).double()
    with torch.no_grad():
        for name, p in one.named_parameters():
            moved = {
                "W_1": lambda p: p[:, order],
                "W_2": lambda p: p[order],
                "b_1": lambda p: p[order],
            }.get(name, lambda p: p)(p)
            getattr(other, name).copy_(moved)
        torch.testing.assert_close(one(x), other(x))
        expected = one(x)
        for p, q in zip(one.parameters(), other.parameters()):
            p.copy_((p + q) / 2)
        assert (one(x) - expected).square().mean() > 0.1 * expected.square().mean()
