"""The reader's loop trains the reader's functions: it learns, repeats itself, and is told what is wrong."""

import dataclasses
import inspect
import itertools
import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from transformer_book import nn
from transformer_book.train import translator
from transformer_workshop import __main__ as workshop
from transformer_workshop import machine, trainable, training
from transformer_workshop.isolation import Outcome
from transformer_workshop.judge import judge
from transformer_workshop.reader_file import (
    ReaderError,
    load_reader_file,
    write_reader_file,
)
from transformer_workshop.tasks import tasks_by_name

FUNCTIONS = """
import math
import torch


def softmax(x):
    return x.softmax(-1)


def positional_encoding(n, d_model):
    angle = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(n, d_model)


def padding_mask(ids, pad_id):
    return (ids != pad_id)[:, None]


def multi_head_attention(queries, keys, values, W_Q, W_K, W_V, W_O, h, mask=None):
    def split(x):
        return x.unflatten(-1, (h, -1)).transpose(-2, -3)

    Q, K, V = split(queries @ W_Q), split(keys @ W_K), split(values @ W_V)
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask[..., None, :, :], -math.inf)
    A = softmax(scores)
    return (A @ V).transpose(-2, -3).flatten(-2) @ W_O, A


def layer_norm(x, gamma, beta, eps=1e-5):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def feed_forward(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1).relu() @ W_2 + b_2


def encoder_layer(x, W, h, mask=None):
    y, _ = multi_head_attention(x, x, x, **W["attention"], h=h, mask=mask)
    x = layer_norm(x + y, **W["norm_1"])
    return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_2"])


def decoder_layer(x, memory, W, h, memory_mask=None):
    mask = torch.ones(x.shape[1], x.shape[1], dtype=bool).tril()
    y, _ = multi_head_attention(x, x, x, **W["self"], h=h, mask=mask)
    x = layer_norm(x + y, **W["norm_1"])
    y, _ = multi_head_attention(x, memory, memory, **W["cross"], h=h, mask=memory_mask)
    x = layer_norm(x + y, **W["norm_2"])
    return layer_norm(x + feed_forward(x, **W["feed_forward"]), **W["norm_3"])


def embed(ids, E):
    return E[ids] * math.sqrt(E.shape[-1]) + positional_encoding(*ids.shape[-1:], E.shape[-1])


def logits(x, E):
    return x @ E.mT


def shifted_batch(target):
    return target[:, :-1], target[:, 1:]


def smoothed_loss(logits, labels, smoothing, pad_id):
    return torch.nn.functional.cross_entropy(
        logits.mT, labels, ignore_index=pad_id, label_smoothing=smoothing
    )


def learning_rate(step, d_model, warmup):
    return 0.003


def greedy(next_logits, bos, eos, longest):
    ids = [bos]
    while len(ids) <= longest:
        ids.append(int(next_logits(ids).argmax()))
        if ids[-1] == eos:
            return ids[1:-1]
    return ids[1:]
"""
LOOP = """

def training_loop(parameters, loss, batches, d_model, warmup):
    adam = torch.optim.Adam(parameters, lr=0.002, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for source, target in batches:
        adam.zero_grad()
        value = loss(source, target)
        value.backward()
        adam.step()
        losses.append(value.item())
    return losses
"""


@pytest.fixture(scope="module")
def corpus(grammar_corpus):
    return dataclasses.replace(grammar_corpus, train=grammar_corpus.train[:300])


@pytest.fixture
def isolated_file(tmp_path, monkeypatch, corpus):
    """A file that is trained in a process of its own, a small model on few sentences."""
    monkeypatch.setattr(training, "MODEL_SIZES", {"d_model": 16, "d_ff": 16, "N": 1})
    monkeypatch.setattr(training, "TOKENS_PER_BATCH", 200)
    for module in (training, machine):
        monkeypatch.setattr(module, "load_parallel", lambda name: corpus)
    path = tmp_path / "mine.py"
    path.write_text(FUNCTIONS + LOOP, "utf-8")
    return path


@pytest.fixture
def file(isolated_file, monkeypatch):
    """The same file, but trained in the process of the tests."""
    monkeypatch.setattr(
        training, "run_isolated", lambda call, *given, **limits: Outcome(call(*given))
    )
    threads = torch.get_num_threads()
    yield isolated_file
    torch.set_num_threads(threads)


def run(file, **changes):
    return training.train_file(
        file, **{"seconds": 60, "max_steps": 12, "test_sentence_count": 2, **changes}
    )


def rewrite(file, old, new):
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def test_the_loop_learns_and_twice_the_same(file):
    first = run(file)
    out = file.with_suffix(".safetensors")
    written = out.read_bytes()
    assert first.steps == len(first.losses) == 12 and first.sentences == 2
    assert first.losses[-1] < first.losses[0] - 0.2
    assert run(file) == first and out.read_bytes() == written
    assert run(file, seed=1, max_steps=1).losses != first.losses[:1]
    assert out.read_bytes() != written
    assert machine.translate_with_file(file, machine.EXAMPLE_SENTENCE, out) is not None
    assert nn.load_weights(out).config.d_model == 16


def test_the_time_ends_the_training(file, monkeypatch):
    clock = itertools.count(100)  # a second passes whenever it is read
    monkeypatch.setattr(
        training, "time", SimpleNamespace(monotonic=lambda: next(clock))
    )
    assert run(file, seconds=4, max_steps=None, test_sentence_count=0).steps == 3


def test_the_process_hands_back_what_came_of_the_training(isolated_file):
    result = run(isolated_file, max_steps=2, test_sentence_count=1)
    assert result.steps == len(result.losses) == 2 and result.sentences == 1
    assert isolated_file.with_suffix(".safetensors").exists()


def test_the_loss_is_that_of_the_book(corpus):
    model = translator(corpus, 0, d_model=16, d_ff=16, N=2).eval()
    space = {}
    exec(FUNCTIONS, space)
    own = training.TrainingRun(SimpleNamespace(**space), model, corpus, 1, 0, 1)
    (source, target), *_ = own.batches(training.progress_bar(1, "", "", None))
    expected = torch.nn.functional.cross_entropy(
        model(source, target[:, :-1])[0].mT,
        target[:, 1:],
        ignore_index=0,
        label_smoothing=training.SMOOTHING,
    )
    loss = own.loss(source, target)
    assert math.isclose(loss.item(), expected.item(), abs_tol=1e-4)


def test_right_translations_are_counted(grammar_corpus):
    pairs = iter(grammar_corpus.test[:3])
    answers = [grammar_corpus.ids([next(pairs)])[0][1] for _ in range(2)] + [[5]]
    right = SimpleNamespace(
        make_next_logits=lambda source: None, greedy=lambda *_: answers.pop(0)
    )
    assert training.count_right_translations(right, grammar_corpus, 3, None) == 2


@pytest.mark.parametrize(
    "old, new, says",
    [
        ("def greedy", "def greed", "training needs greedy, which the file"),
        ("        adam.step()\n", "", "changed no parameter"),
        ("lr=0.002", "lr=1e30", "became NaN or infinite"),
        ("(x @ W_1 + b_1).relu()", "(x @ W_1 + b_1).detach()", "feed_forward lets no"),
        ("x.softmax(-1)", "torch.tensor(x.tolist())", "softmax lets no gradient"),
        ("    for source, target in batches:", "    for x in []:", "never called the"),
        ("value.backward()", "value.backwards()", "has no attribute 'backwards'"),
        ("    losses = []", "    losses = [][0]", "line 87, `losses = "),
    ],
)
def test_what_is_wrong_is_told(file, old, new, says):
    rewrite(file, old, new)
    with pytest.raises(ReaderError, match=says):
        run(file, max_steps=2)
    assert not file.with_suffix(".safetensors").exists()


def test_all_functions_that_are_to_be_rewritten_are_named_and_no_others(tmp_path):
    path = tmp_path / "mine.py"
    sources = [inspect.getsource(task.solution) for task in tasks_by_name().values()]
    path.write_text("\n".join(["import math", "import numpy as np", *sources]), "utf-8")
    with pytest.raises(ReaderError) as caught:
        trainable.check_trainable(load_reader_file(path))
    said = str(caught.value)
    assert said.startswith(
        "softmax, scaled_dot_product_attention, multi_head_attention, layer_norm, feed_forward and "
        "smoothed_loss let no gradient of PyTorch through"
    )
    assert "Also, causal_mask and positional_encoding return arrays of NumPy" in said


def test_a_mask_in_numpy_is_to_blame_and_not_the_layer_that_takes_it(file):
    mask = "torch.ones(x.shape[1], x.shape[1], dtype=bool).tril()"
    rewrite(file, f"mask = {mask}", "mask = causal_mask(x.shape[1])")
    rewrite(file, "import math", "import math\nimport numpy as np")
    more = "def causal_mask(n):\n    return np.tri(n) > 0\n\n\ndef embed"
    rewrite(file, "def embed", more)
    with pytest.raises(ReaderError, match="py: causal_mask returns an array of NumPy"):
        run(file, max_steps=2)


def test_an_endless_loop_ends(isolated_file, monkeypatch):
    monkeypatch.setattr(training, "EXTRA_PROCESSOR_SECONDS", 1)
    monkeypatch.setattr(training, "check_trainable", lambda module: None)
    rewrite(isolated_file, "    adam =", "    while True: pass\n    adam =")
    with pytest.raises(ReaderError, match=r"did not end .* `while True: pass`"):
        run(isolated_file, seconds=1)


def test_a_loop_that_leaves_python_is_told(isolated_file):
    rewrite(isolated_file, "    losses = []", "    raise SystemExit")
    with pytest.raises(ReaderError, match="it called sys.exit"):
        run(isolated_file)
    assert not isolated_file.with_suffix(".safetensors").exists()


@pytest.mark.parametrize("content", [b"mine", None])
def test_a_file_of_others_stays(file, content, corpus):
    out = file.with_suffix(".safetensors")
    if content is None:
        nn.save_weights(out, translator(corpus, 0, d_model=16, d_ff=16))
    else:
        out.write_bytes(content)
    before = out.read_bytes()
    with pytest.raises(ReaderError, match="is there already"):
        run(file)
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    "options, says",
    [(["--seconds", "0"], "--seconds is 0"), (["--seed", "-1"], "--seed is -1")],
)
def test_bad_options_get_one_error(file, options, says, capsys):
    assert workshop.main(["train", "--file", str(file), *options]) == 2
    assert says in capsys.readouterr().err


def test_a_file_without_functions_is_told(tmp_path, capsys):
    path = tmp_path / "mine.py"
    write_reader_file(path)
    assert workshop.main(["train", "--file", str(path)]) == 2
    assert "training needs embed" in capsys.readouterr().err
    assert workshop.main(["train", "--file", str(tmp_path / "none.py")]) == 2


def test_the_command_prints_both_shares(file, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("TRANSFORMER_BOOK_MODEL", str(tmp_path / "empty"))
    monkeypatch.setattr(
        training,
        "train_file",
        lambda *_: training.TrainingResult([5.5, *[3.0] * 5, 2.25], 150, 200),
    )
    assert workshop.main(["train", "--file", str(file)]) == 0
    output = capsys.readouterr().out
    assert "7 steps; the loss was 5.50 and is 2.25." in output
    assert "75% of 200 new sentences" in output and "not there to compare" in output
    monkeypatch.setattr(training, "count_right_of_book", lambda *_: 190)
    monkeypatch.setattr(machine, "book_weights", lambda: "book")
    assert workshop.main(["train", "--file", str(file)]) == 0
    assert "translator: 95% of the same" in capsys.readouterr().out


# PyTorch's tensors do not have the newer signature that NumPy asks of what it takes a root of.
@pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning")
def test_the_loop_may_use_the_readers_own_adam_step():
    adam_step, rate = (
        tasks_by_name()[n].solution for n in ("adam_step", "learning_rate")
    )

    def training_loop(parameters, loss, batches, d_model, warmup):
        averages = [(torch.zeros_like(p), torch.zeros_like(p)) for p in parameters]
        losses = []
        for step, (source, target) in enumerate(batches, 1):
            value = loss(source, target)
            gradients = torch.autograd.grad(value, parameters)
            with torch.no_grad():
                for i, (p, g) in enumerate(zip(parameters, gradients)):
                    now = rate(step, d_model, warmup)
                    new, *averages[i] = adam_step(p, g, *averages[i], step, now)
                    p.copy_(new)
            losses.append(value.detach())
        return losses

    assert judge(tasks_by_name()["training_loop"], training_loop).state == "right"


def test_a_loop_that_makes_new_tensors_does_not_change_the_model():
    def training_loop(parameters, loss, batches, d_model, warmup):
        losses = []
        for source, target in batches:
            value = loss(source, target)
            for p, g in zip(parameters, torch.autograd.grad(value, parameters)):
                p = p - 0.1 * g
            losses.append(float(value.detach()))
        return losses

    verdict = judge(tasks_by_name()["training_loop"], training_loop)
    assert [slip.name for slip in verdict.slips] == ["no step"]


def test_the_loop_may_go_through_the_batches_and_change_the_parameters_alone():
    task = tasks_by_name()["training_loop"]

    def over_again(parameters, loss, batches, d_model, warmup):
        batches = list(batches)
        return task.solution(parameters, loss, [*batches, *batches], d_model, warmup)

    assert judge(task, task.solution).state == "right"
    assert judge(task, over_again).state == "wrong"


def test_the_three_matrices_are_cut_out_in_their_order():
    weights = np.arange(12.0).reshape(2, 6)
    parts = machine.attention_matrices({"a.W_QKV": weights, "a.W_O": weights}, "a")
    assert np.array_equal(parts["W_K"], weights[:, 2:4])
