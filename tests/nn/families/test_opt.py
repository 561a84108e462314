"""The family that the lesson adds: its own cells give the logits and tokens of ``transformers``' OPT."""

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
    """Run the two cells that add the family; afterwards it is gone."""
    cells = CELL.findall(PAGE.read_text("utf-8"))
    mine = [one for one in cells if "def opt(f)" in one or 'FAMILIES["opt"]' in one]
    assert len(mine) >= 2
    with mock.patch.dict(families.FAMILIES):
        names = {"families": families}
        for cell in mine[:2]:
            exec(cell, names)
        yield


@pytest.fixture
def peer():
    torch.manual_seed(0)
    config = t.OPTConfig(
        vocab_size=60,
        hidden_size=32,
        word_embed_proj_dim=32,
        ffn_dim=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=24,
        eos_token_id=3,
        bos_token_id=2,
        pad_token_id=1,
    )
    peer = t.OPTForCausalLM(config).eval()
    with torch.no_grad():
        for W in peer.parameters():
            W.add_(torch.randn_like(W) * 0.2)
    return peer


def test_logits_and_tokens_are_those_of_transformers(lesson, peer, tmp_path):
    peer.save_pretrained(tmp_path)
    ours, ids = families.load(tmp_path), torch.randint(4, 60, (2, 12))
    with torch.no_grad():
        logits, expected = ours(ids)[0], peer(ids).logits
    torch.testing.assert_close(logits, expected, atol=5e-5, rtol=0)
    theirs = peer.generate(ids[:1], max_new_tokens=8, do_sample=False)[0, 12:].tolist()
    (written,) = decode.generate(ours, ids[:1], 8)
    assert written == [token for token in theirs if token != 3]


def test_a_field_that_it_does_not_know_is_refused(lesson, peer, tmp_path):
    peer.config.do_layer_norm_before = False
    peer.save_pretrained(tmp_path)
    with pytest.raises(ConfigError, match="do_layer_norm_before is False"):
        families.load(tmp_path)
