"""The programs of the pages *One page*, as files to copy: they are what the pages show."""

import json
import sys

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
)

from tests.conftest import ROOT
from tools.rules.page import SourcePage
from transformer_book import data
from transformer_book.data import grammar
from transformer_book.nn import families

FOLDER = ROOT / "book" / "transformer"
FILES = {
    "transformer/one_page": "transformer/one_page.py",
    "beyond/one_page": "beyond/decoder_only.py",
}
PAGES = {"transformer/one_page": 200, "beyond/one_page": 150}
LIBRARIES = {
    "transformer/one_page": {"torch"},
    "beyond/one_page": {"torch", "safetensors"},
}


def program(name):
    """The open cells of a page outside its solutions, as one file."""
    page = SourcePage(name, (ROOT / "book" / f"{name}.md").read_text("utf-8"))
    cells = [
        cell.source for cell in page.cells if cell.is_open and not cell.in_solution
    ]
    return "\n\n\n".join(cell.strip("\n") for cell in cells) + "\n"


@pytest.mark.parametrize("name", PAGES)
def test_the_file_to_copy_is_the_page_s_code(name):
    path = ROOT / "book" / FILES[name]
    assert path.read_text("utf-8") == program(name), f"write {path} anew"


@pytest.mark.parametrize("name", PAGES)
def test_the_program_is_short_and_imports_no_helper(name):
    lines = [line for line in program(name).splitlines() if line.strip()]
    assert len(lines) <= PAGES[name]
    imported = {
        line.split()[1].partition(".")[0]
        for line in lines
        if line.startswith(("import ", "from "))
    }
    assert imported - set(sys.stdlib_module_names) == LIBRARIES[name]


def test_the_sentences_are_the_grammar_s_and_none_is_in_the_test_set():
    corpus = data.load_parallel("grammar")
    with open(FOLDER / "sentences.tsv", encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    assert pairs == [
        [" ".join(english), "".join(chinese)]
        for english, chinese in corpus.train[: len(pairs)]
    ]
    tested = {" ".join(english) for english, _ in corpus.test}
    assert not tested & {english for english, _ in pairs}
    for english, chinese in pairs[:50]:
        assert chinese in grammar.translations(data.detokenize(english.split(), "en"))


def test_the_program_runs_beside_its_sentences(tmp_path, monkeypatch, capsys):
    (tmp_path / "sentences.tsv").write_bytes((FOLDER / "sentences.tsv").read_bytes())
    monkeypatch.chdir(tmp_path)
    code = program("transformer/one_page").replace("steps=600", "steps=2, warmup=1")
    exec(code, {"__name__": "__main__"})
    assert "step   1" in capsys.readouterr().out


LLAMA = {
    "vocab_size": 99,
    "hidden_size": 64,
    "intermediate_size": 80,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "rms_norm_eps": 1e-3,
    "rope_theta": 500.0,
}


@pytest.mark.parametrize("tied", [False, True])
def test_a_checkpoint_of_transformers_gives_the_same_logits_and_tokens(tied, tmp_path):
    torch.manual_seed(0)
    peer = LlamaForCausalLM(LlamaConfig(**LLAMA, tie_word_embeddings=tied)).eval()
    for parameter in peer.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter) / parameter.shape[-1] ** 0.5
    peer.save_pretrained(tmp_path)
    namespace = {"__name__": "one_page"}
    exec(program("beyond/one_page"), namespace)
    model, ids = namespace["load"](tmp_path), torch.randint(99, (2, 50))
    with torch.no_grad():
        expected = peer(ids).logits
        torch.testing.assert_close(model(ids), expected, atol=1e-5, rtol=0)
    tokens = peer.generate(
        ids[:1], max_new_tokens=30, do_sample=False, eos_token_id=None, pad_token_id=0
    )
    assert namespace["write"](model, ids[0].tolist(), 30) == tokens[0].tolist()
    ours = families.load(tmp_path)
    torch.testing.assert_close(ours(ids)[0], expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    "kind, changes, message",
    [
        (
            LlamaConfig,
            {"rope_scaling": {"rope_type": "linear", "factor": 2.0}},
            "scale",
        ),
        (LlamaConfig, {"hidden_act": "gelu"}, "gelu"),
        (MistralConfig, {"sliding_window": 8}, "mistral"),
    ],
)
def test_a_checkpoint_that_computes_something_else_is_refused(
    kind, changes, message, tmp_path
):
    AutoModelForCausalLM.from_config(kind(**LLAMA, **changes)).save_pretrained(tmp_path)
    namespace = {"__name__": "one_page"}
    exec(program("beyond/one_page"), namespace)
    with pytest.raises(ValueError, match=message):
        namespace["load"](tmp_path)


def test_stretched_positions_are_refused_under_their_older_name_too(tmp_path):
    AutoModelForCausalLM.from_config(LlamaConfig(**LLAMA)).save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["rope_parameters"] = {"type": "linear", "factor": 2.0, "rope_theta": 500.0}
    path.write_text(json.dumps(settings), "utf-8")
    namespace = {"__name__": "one_page"}
    exec(program("beyond/one_page"), namespace)
    with pytest.raises(ValueError, match="scale"):
        namespace["load"](tmp_path)
