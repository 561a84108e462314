"""The reader's functions with a trained translator's weights: the same logits as the book's own."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from transformer_book import by_hand, nn
from transformer_book.special_ids import BOS, EOS
from transformer_workshop import __main__ as workshop
from transformer_workshop import machine
from transformer_workshop.reader_file import ReaderError, write_reader_file
from transformer_workshop.tasks import tasks_by_name
from transformer_workshop.trial import to_arrays, to_tensors

SOLUTIONS = SimpleNamespace(
    **{name: task.solution for name, task in tasks_by_name().items()}
)


def of_tensors(function):
    def on_tensors(*arguments):
        assert not any(isinstance(a, np.ndarray) for a in arguments)
        return to_tensors(function(*to_arrays(list(arguments))), torch)

    return on_tensors


TENSORS = SimpleNamespace(
    **{
        name: of_tensors(getattr(SOLUTIONS, name))
        for name in machine.TRANSLATION_FUNCTION_NAMES
    }
)


@pytest.fixture(scope="module")
def weights(tmp_path_factory, grammar_corpus):
    torch.manual_seed(0)
    words = map(
        len, (grammar_corpus.source_vocabulary, grammar_corpus.target_vocabulary)
    )
    config = nn.TransformerConfig(*words, d_model=16, d_ff=24, N=2, h=4, share="target")
    model = nn.Transformer(config).eval()
    for parameter in model.parameters():  # so that norms and biases count
        parameter.data += 0.2 * torch.randn_like(parameter)
    path = tmp_path_factory.mktemp("weights") / "book-test.safetensors"
    nn.save_weights(path, model)
    return path


@pytest.mark.parametrize("module", [SOLUTIONS, TENSORS], ids=["arrays", "tensors"])
def test_the_functions_give_the_logits_of_the_book(module, weights):
    config, W = by_hand.load_weights(weights)
    source, target = np.array([[5, 9, 6, 3]]), [BOS, 7, 11]
    expected, _ = by_hand.transformer(source, np.array([target]), W, config)
    next_logits = machine.ReaderTranslator(module, config, W).make_next_logits(source)
    np.testing.assert_allclose(next_logits(target), expected[0, -1], atol=1e-4)


def test_greedy_writes_with_the_machine(weights):
    config, W = by_hand.load_weights(weights)
    own = machine.ReaderTranslator(SOLUTIONS, config, W)
    next_logits, ids = own.make_next_logits(np.array([[5, 9, 3]])), [BOS]
    written = own.greedy(next_logits, BOS, EOS, 5)
    while len(ids) <= 5:
        ids.append(int(next_logits(ids).argmax()))
        if ids[-1] == EOS:
            ids.pop()
            break
    assert list(written) == ids[1:]


def test_what_is_missing_is_named(tmp_path, weights):
    path = tmp_path / "mine.py"
    write_reader_file(path)
    with pytest.raises(ReaderError, match="the machine needs embed, padding_mask"):
        machine.translate_with_file(path, machine.EXAMPLE_SENTENCE, weights)


def test_the_command_translates_with_the_solutions(tmp_path, weights, capsys):
    path = tmp_path / "mine.py"
    imports = (
        f"from transformer_workshop.tasks.{name} import {name}"
        for name in machine.TRANSLATION_FUNCTION_NAMES
    )
    path.write_text("\n".join(imports), "utf-8")
    command = ["translate", "--file", str(path), "--weights", str(weights)]
    assert workshop.main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == machine.EXAMPLE_SENTENCE and len(lines) == 2
    assert workshop.main([*command, "A zebra sat ."]) == 2
    said = capsys.readouterr().err
    assert "'zebra'" in said and said.rstrip().endswith(machine.EXAMPLE_SENTENCE)


def test_a_file_of_two_libraries_is_told(tmp_path, weights):
    path = tmp_path / "mine.py"
    imports = (
        f"from transformer_workshop.tasks.{name} import {name}"
        for name in machine.TRANSLATION_FUNCTION_NAMES
        if name != "padding_mask"
    )
    lines = "import torch\ndef padding_mask(ids, pad_id):\n"
    lines += "    return torch.ne(ids, pad_id).unsqueeze(1)\n"
    path.write_text("\n".join([*imports, lines]), "utf-8")
    with pytest.raises(ReaderError, match=r"tensors of PyTorch alone \(padding_mask\)"):
        machine.translate_with_file(path, machine.EXAMPLE_SENTENCE, weights)


def test_weights_that_are_not_there_are_told(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_MODEL", str(tmp_path))
    with pytest.raises(ReaderError, match="Run make book"):
        machine.book_weights()
    (tmp_path / "book-1.safetensors").touch()
    assert machine.book_weights() == tmp_path / "book-1.safetensors"
