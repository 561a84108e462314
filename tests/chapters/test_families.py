"""The family that the lesson adds: its own cells give the logits and tokens of ``transformers``."""

import re
from unittest import mock

import pytest
import torch
import transformers as t

from tools import ROOT
from transformer_book import decode
from transformer_book.config import ConfigError
from transformer_book.nn import families

PAGE = ROOT / "book" / "beyond" / "families.md"
CELL = re.compile(r"```\{code-cell\} ipython3\n(.*?)```", re.DOTALL)


@pytest.fixture
def lesson():
    """Run the cells that add the family; afterwards it is gone."""
    cells = CELL.findall(PAGE.read_text("utf-8"))
    first = next(i for i, one in enumerate(cells) if "def starcoder2(f)" in one)
    with mock.patch.dict(families.FAMILIES):
        exec("".join(cells[first : first + 2]), {"families": families})
        yield


def peer(**choices):
    torch.manual_seed(0)
    config = t.Starcoder2Config(
        vocab_size=60,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=24,
        eos_token_id=3,
        bos_token_id=2,
        pad_token_id=1,
        **choices,
    )
    model = t.Starcoder2ForCausalLM(config).eval()
    with torch.no_grad():
        for W in model.parameters():
            W.add_(torch.randn_like(W) * 0.2)
    return model


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"norm_epsilon": 0.01, "num_key_value_heads": 4},
        {"sliding_window": 5, "hidden_act": "relu", "tie_word_embeddings": False},
    ],
)
def test_logits_and_tokens_are_those_of_transformers(lesson, choices, tmp_path):
    theirs = peer(**choices)
    theirs.save_pretrained(tmp_path)
    ours, ids = families.load(tmp_path), torch.randint(4, 60, (2, 12))
    with torch.no_grad():
        logits, expected = ours(ids)[0], theirs(ids).logits
    torch.testing.assert_close(logits, expected, atol=5e-5, rtol=0)
    tokens = theirs.generate(ids[:1], max_new_tokens=8, do_sample=False)[0, 12:]
    (written,) = decode.generate(ours, ids[:1], 8)
    assert written == [token for token in tokens.tolist() if token != 3]


def test_a_field_that_it_does_not_know_is_refused(lesson, tmp_path):
    theirs = peer()
    theirs.config.rope_interleaved = True
    theirs.save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match="rope_interleaved is True"):
        families.load(tmp_path)
