"""What the chapter on the language model says: its parameters counted, and GPT-2's."""

import re

import pytest
import torch

from tests.conftest import ROOT
from tools.pages import book_pages
from transformer_book import nn
from transformer_book.train.fresh_language_model import (
    LANGUAGE_MODEL_CHOICES,
    MAX_LENGTH,
)
from transformer_lab.book_models.wikipedia_model import CONTEXTS

LAB = ROOT / "book" / "beyond" / "language_model_lab.md"


def pencil():
    """The page's own function."""
    (cell,) = (
        c for c in book_pages.code_cell_sources(LAB) if c.startswith("def count(")
    )
    names = {}
    exec(cell[: cell.index("\n\n")], names)
    return names["count"]


def size(*modules):
    return sum(W.numel() for module in modules for W in module.parameters())


@pytest.mark.parametrize("words, d, d_ff, h, N", [(9, 4, 8, 2, 1), (37, 24, 10, 3, 5)])
def test_every_parameter_is_in_the_formula(words, d, d_ff, h, N):
    settings = nn.TransformerConfig(
        words, words, d, d_ff, h, N, norm="pre", share="none"
    )
    with torch.device("meta"):
        assert size(nn.LanguageModel(settings)) == pencil()(words, d, d_ff, N)


def test_gpt_2_s_number_is_that_of_torch_s_modules():
    with torch.device("meta"):
        layers = [torch.nn.TransformerEncoderLayer(768, 12, 3072) for _ in range(12)]
        tables = [torch.nn.Embedding(50_257, 768), torch.nn.Embedding(1_024, 768)]
        found = size(*layers, *tables, torch.nn.LayerNorm(768))
    (said,) = re.findall(r"assert gpt2 == ([\d_]+)", LAB.read_text("utf-8"))
    assert found == int(said)


def test_the_book_s_model_is_small():
    with torch.device("meta"):
        sizes = {**LANGUAGE_MODEL_CHOICES, "max_length": MAX_LENGTH}
        made = nn.LanguageModel(nn.TransformerConfig(1_000, 1_000, **sizes))
    assert size(made) < 600_000
    assert max(CONTEXTS) <= made.config.max_length
