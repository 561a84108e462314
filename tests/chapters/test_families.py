"""The families of the lesson: its table of differences, and the ones that its own cells add."""

import re
from types import SimpleNamespace
from unittest import mock

import pytest
import torch
import transformers as t

from tests.nn.families.peers import MAKERS, inputs_of, peer_of
from tools import ROOT
from tools.rules.page import SourcePage
from transformer_book import decode
from transformer_book.config import ConfigError
from transformer_book.nn import families

PAGE = ROOT / "book" / "beyond" / "families.md"
# Code that the page shows and does not run.
SHOWN = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
# The fields that were published with the 15 billion weights of the largest StarCoder 2.
PUBLISHED = dict(
    _name_or_path="/aot/checkpoints/15b/config.json",
    architectures=["Starcoder2ForCausalLM"],
    attention_dropout=0.0,
    bos_token_id=0,
    eos_token_id=0,
    hidden_act="gelu_pytorch_tanh",
    hidden_size=6144,
    initializer_range=0.01275,
    intermediate_size=24576,
    max_position_embeddings=16384,
    mlp_type="default",
    model_type="starcoder2",
    norm_epsilon=1e-05,
    norm_type="layer_norm",
    num_attention_heads=48,
    num_hidden_layers=40,
    num_key_value_heads=4,
    rms_norm_eps=1e-05,
    rope_theta=100000,
    sliding_window=4096,
    tie_word_embeddings=False,
    torch_dtype="float32",
    transformers_version="4.37.0.dev0",
    use_bias=True,
    use_cache=True,
    vocab_size=49152,
)


def cell(words):
    """Return the cell of the page with these words, and all after it."""
    cells = [
        cell.source
        for cell in SourcePage("beyond/families", PAGE.read_text("utf-8")).cells
    ]
    return cells[next(i for i, source in enumerate(cells) if words in source) :]


@pytest.fixture
def lesson():
    """Run the cells that add the family, and return their names; afterwards it is gone."""
    names = {"families": families}
    with mock.patch.dict(families.FAMILIES):
        exec("\n".join(cell("def starcoder2(fields)")[:2]), names)
        yield SimpleNamespace(names=names, shown=SHOWN.findall(PAGE.read_text("utf-8")))


@torch.no_grad()
def differences_of(family, folder):
    """Return the largest logit of a family's random model, and the largest difference from ours."""
    peer = peer_of(family)
    peer.save_pretrained(folder)
    ours, theirs = inputs_of(family)
    logits, expected = families.load(folder)(**ours)[0], peer(**theirs).logits
    return expected.abs().max().item(), (logits - expected).abs().max().item()


def test_the_table_has_every_family_with_what_is_measured(tmp_path):
    table = {"Markdown": str}
    exec(cell("compared = {")[0], table)
    assert table["compared"].keys() == MAKERS.keys()
    for family, (logit, difference) in table["compared"].items():
        largest, measured = differences_of(family, tmp_path / family)
        # Rounding errors differ from machine to machine; the table has those of one.
        assert largest == pytest.approx(logit, abs=0.06), family
        assert max(measured, difference) < 1e-5, (family, measured)


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


def test_the_published_file_is_read(lesson):
    config = families.config_of(PUBLISHED)
    assert (config.N, config.g, config.window, config.share) == (40, 4, 4096, "none")
    assert config.epsilon == 1e-5 and config.rotation.base == 100_000
    for field in ("mlp_type", "norm_type"):
        with pytest.raises(ConfigError, match=f"{field} is 'other'; expected '"):
            families.config_of(PUBLISHED | {field: "other"})


def test_the_comparison_that_the_page_shows_finds_none_that_differ(
    lesson, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (code,) = lesson.shown
    printed = []
    torch.manual_seed(0)
    exec(code, lesson.names | {"print": printed.append})
    difference, ours, theirs = printed
    assert difference < 5e-5
    assert ours == [token for token in theirs if token != 0]


def test_helium_is_wrong_as_a_llama_and_right_with_neighbours_paired(lesson, tmp_path):
    torch.manual_seed(0)
    sizes = dict(vocab_size=60, hidden_size=48, intermediate_size=64, head_dim=12)
    layers = dict(num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2)
    marks = dict(pad_token_id=1, bos_token_id=2, eos_token_id=3)
    theirs = t.HeliumForCausalLM(t.HeliumConfig(**sizes, **layers, **marks)).eval()
    with torch.no_grad():
        for W in theirs.parameters():
            W.add_(torch.randn_like(W) * 0.2)
    theirs.save_pretrained(tmp_path)
    decoders, names = lesson.names["decoders"], lesson.names["names"]
    solution = cell("def helium(fields)")[0].partition("\n\n")[0]
    exec(solution, lesson.names)
    ids, apart = torch.randint(4, 60, (2, 12)), []
    for read in (decoders.decoder_choices, lesson.names["helium"]):
        families.FAMILIES["helium"] = families.Family(
            read, names.LLAMA, "model.", {"HeliumForCausalLM": ""}
        )
        with torch.no_grad():
            differences = families.load(tmp_path)(ids)[0] - theirs(ids).logits
        apart.append(differences.abs().max())
    assert apart[0] > 1 and apart[1] < 5e-5
