"""Four ways on four processes under ``torchrun``, each beside one process; and processes that are lost."""

import socket

import pytest
import torch.distributed as dist

from transformer_book.by_hand import pipeline_timetable
from transformer_book.config import ConfigError
from transformer_book.nn import FeedForward, MultiHeadAttention
from transformer_book.shapes import ShapeError
from transformer_lab.costs.published_models import ModelSizes
from transformer_lab.parallel import LaunchError, __main__, launch, roll, tensor, wire
from transformer_lab.parallel.launch import failure_reason
from transformer_lab.parallel.plan import Machine, Plan
from transformer_lab.parallel.task import TrainingTask, label_count

NUMBERS = 400_000


@pytest.fixture(scope="session")
def found():
    """All ways, started once: importing torch four times takes longer than what they do."""
    return launch(*__main__.WAY_NAMES, "--collectives", NUMBERS, "--bubble", 1, 6)


@pytest.fixture(scope="session", params=__main__.WAY_NAMES)
def way(request, found):
    (way,) = (way for way in found["ways"] if way["way"] == request.param)
    return way


def test_four_processes_have_the_losses_of_one(way):
    assert way["processes"] == 4 and len(way["losses"]) == TrainingTask.steps
    assert way["losses"] == pytest.approx(way["alone"], rel=1e-12)
    # Later losses rest on the steps before them, so that these must be right too.
    assert way["losses"][-1] < way["losses"][0] - 0.01


def test_four_processes_have_the_gradients_of_one(way):
    assert way["gradients_apart"] < 1e-10


def test_what_is_sent_is_what_the_formula_says(way):
    # Each message has a head of some bytes, and the loss is exchanged too.
    for sent, formula in zip(way["sent"], way["formula"], strict=True):
        assert formula < sent < 1.03 * formula


def test_each_holds_as_much_as_its_way_says(way):
    held, whole = way["held"], way["parameters"]
    assert way["moments"] == [2 * x for x in held]
    if way["way"] == "data":
        assert held == [whole] * 4
    elif way["way"] == "sharded":
        assert held == [whole / 4] * 4
    elif "pipeline" in way["way"]:
        assert sum(held) == whole
    else:
        split = 4 * (4 * 64 * 64 + 64 * 128 + 128 + 128 * 64)  # of 4 layers
        assert held == [whole - split * 3 / 4] * 4


def test_a_ring_sends_what_the_formula_says_but_gloo_scatters_by_reducing_all(found):
    (counted,) = found["collectives"]
    shares = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": 2}
    for name, share in shares.items():
        for sent in counted["sent"][name]:
            assert sent == pytest.approx(share * 3 / 4 * 4 * NUMBERS, rel=0.05)


def test_torch_makes_the_passes_of_our_timetable_and_takes_no_less_time(found):
    asked = [(row["parts"], row["early"]) for row in found["bubble"]]
    assert asked == [(1, False), (6, False), (6, True)]
    for row in found["bubble"]:
        table = pipeline_timetable(4, row["parts"], row["early"])
        assert row["orders"] == ["".join(task[:1] for task in own) for own in table]
        assert row["seconds"] > len(table[0]) * 0.03


def test_a_batch_has_texts_of_different_lengths():
    ((ids, labels), *_) = TrainingTask().batches()
    assert ids.shape == labels.shape
    shards = [label_count(labels[i::4]) for i in range(4)]
    assert len(set(shards)) == 4


@pytest.mark.parametrize(
    "how, said",
    [
        ("exit", "Process 2 of 4 ended with exit code 3; expected all of them"),
        (
            "hang",
            "Process 2 of 4 does not answer; last heard of at tensor, step 2. "
            "Expected: all 4 through each exchange within 4 s",
        ),
    ],
)
def test_a_process_that_is_lost_is_named(how, said):
    with pytest.raises(LaunchError) as error:
        launch("tensor", "--lose", f"2:{how}", "--patience", 4)
    assert said in str(error.value)


def test_the_roll_names_who_does_not_answer(monkeypatch):
    monkeypatch.setattr(roll, "MIN_ANSWER_SECONDS", 0.2)
    store = dist.HashStore()
    rolls = [roll.ProcessRoll(store, rank, 3, 0.4) for rank in range(3)]
    for own in rolls:
        own.report_place(f"step {own.rank}")
    store.set("here/2", "yes")
    assert rolls[0].lost_ranks() == [1]
    assert "Process 1 of 3 does not answer; last heard of at step 1." in rolls[
        0
    ].lost_message([1])
    assert [own.is_first_to_ask() for own in rolls] == [True, False, False]
    store.set("here/1", "yes")
    assert rolls[0].lost_ranks() == []


def test_the_kernel_counts_what_is_sent():
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as out,
        server.accept()[0] as come,
    ):
        before = wire.bytes_sent()
        out.sendall(bytes(12_345))
        taken = 0
        while taken < 12_345:
            taken += len(come.recv(65_536))
        assert wire.bytes_sent() - before == 12_345


def test_elsewhere_nobody_counts(monkeypatch):
    monkeypatch.setattr(wire.sys, "platform", "darwin")
    with pytest.raises(OSError, match="darwin; expected Linux"):
        wire.bytes_sent()


@pytest.mark.parametrize(
    "split, whole, said",
    [
        (tensor.SplitAttention, MultiHeadAttention(8, 4), "h is 4 and there are 3"),
        (tensor.SplitFeedForward, FeedForward(8, 16), "d_ff is 16 and there are 3"),
    ],
)
def test_what_three_cannot_share_is_named(monkeypatch, split, whole, said):
    monkeypatch.setattr(tensor, "world_size", lambda: 3)
    with pytest.raises(ShapeError, match=said):
        split(whole)


def test_without_torchrun_the_command_says_how_it_is_started(monkeypatch, capsys):
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises(SystemExit):
        __main__.main([])
    assert "expected to be started by torchrun" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["nothing"], ["--lose", "two:exit"], ["--lose", "2"]]
)
def test_a_word_that_is_not_understood_is_named(words, capsys):
    with pytest.raises(SystemExit):
        __main__.main(words)
    assert words[-1] in capsys.readouterr().err


def test_a_killed_process_is_named_with_its_signal():
    said = "Root Cause (first observed failure):\n[0]:\n rank : 1 (local)\n exitcode  : -9 "
    assert failure_reason(said, 4).startswith(
        "Process 1 of 4 was killed by signal 9; expected"
    )


def test_a_number_of_processes_must_be_one():
    with pytest.raises(ConfigError, match="process_count is 0; expected"):
        launch(process_count=0)


def test_a_plan_counts_what_the_formulas_say():
    plan = Plan(texts=32, matrices=8, layers=4, keep="moments split")
    whole = plan.model.parameters
    assert plan.gpus == 1024
    assert plan.state_bytes == pytest.approx(whole / 32 * (2 + 2 + 12 / 32))
    assert plan.compute_seconds == pytest.approx(6 * whole * 2**22 / 1024 / 312e12)
    assert plan.text_send_seconds == pytest.approx(4 * whole / 32 * 31 / 32 / 25e9)
    vectors = 2**22 / 32 * 8192 * 2
    assert plan.matrix_send_seconds == pytest.approx(80 * vectors * 2 * 7 / 8 / 300e9)
    assert plan.layer_send_seconds == pytest.approx(2 * vectors / 25e9)
    assert plan.bubble_share == 3 / 35


def test_a_group_has_as_many_rings_as_gpus_in_a_machine():
    """Eight GPUs of a machine use its eight lines at once, up to what they send inside."""
    whole = Plan().parameters_per_gpu
    split = Plan(texts=1024, keep="all split")
    assert split.text_send_seconds == pytest.approx(
        6 * whole * 1023 / 1024 / (8 * 25e9)
    )
    paired = Plan(texts=256, matrices=4)  # two of a group in a machine
    assert paired.text_send_seconds == pytest.approx(
        4 * whole / 4 * 255 / 256 / (2 * 25e9)
    )
    wide = Plan(texts=16, matrices=64)
    vectors = 2**22 / 16 * 8192 * 2
    assert wide.matrix_send_seconds == pytest.approx(
        320 * vectors * 2 * 63 / 64 / (8 * 25e9)
    )
    assert wide.text_send_seconds == pytest.approx(4 * whole / 64 * 15 / 16 / 25e9)
    fast = Plan(texts=16, machine=Machine(1.0, 1.0, 3.0, 1.0))
    assert fast.text_send_seconds == pytest.approx(4 * whole * 15 / 16 / 3)


def test_a_plan_of_four_ways_is_what_four_processes_send(found):
    """The formulas on paper are those that the kernel's count has confirmed."""
    line = Machine(1.0, 1.0, 1.0, 1.0)
    sizes = ModelSizes("ours", 4, 64, 4, 4, 16, 128, 256, 2)
    of = {"model": sizes, "tokens": 8 * 32, "n": 32, "machine": line}
    ways = {way["way"]: way["formula"] for way in found["ways"]}
    # Eight bytes to a number, not two.
    paper = Plan(matrices=4, **of).matrix_send_seconds * 4
    assert max(ways["tensor"]) == pytest.approx(paper)
    paper = Plan(layers=4, **of).layer_send_seconds * 4
    assert max(ways["pipeline"]) == pytest.approx(paper)
    # Biases and norms are not in these sizes, so that they differ a little.
    paper = Plan(texts=4, **of).text_send_seconds * 4
    assert max(ways["data"]) == pytest.approx(paper, rel=0.02)


@pytest.mark.parametrize(
    "given, said", [({"matrices": 3}, "matrices is 3"), ({"keep": "some"}, "'some'")]
)
def test_a_plan_that_cannot_be_is_named(given, said):
    with pytest.raises(ConfigError, match=f"{said}.*expected"):
        Plan(**given)
