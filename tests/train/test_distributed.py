"""Two real processes on the CPU, each with its rank, and ``torchrun --nproc-per-node=2``."""

import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.processes import PATIENCE, Process
from tests.train import cases
from transformer_book.data import ParallelCorpus, collate
from transformer_book.train import Settings, distributed, loop, train
from transformer_book.train.checkpoint import BEST_FILE, CHECKPOINT_FILE
from transformer_lab.parallel.launch import TORCHRUN_ONE_MACHINE_OPTIONS
from transformer_lab.translator.curriculum import back_translations

# Without dropout, as two processes draw other numbers than one.
RUN = Settings(steps=12, tokens=60, warmup=4, validate_every=4, checkpoint_every=4)


def corpus():
    """Some batches have rows for one process only: a sentence as long as a batch may be."""
    usual = cases.copying(n=60)
    long = [(tuple(letter * 59), tuple(letter * 59)) for letter in "abc"]
    return ParallelCorpus.from_pairs(
        (*usual.train, *long),
        usual.validation,
        usual.test,
        name="x",
        title="x",
        terms="x",
        source_language="x",
        target_language="x",
    )


def test_a_shard_has_the_padding_of_its_batch():
    batch = collate([([4], [5]), ([4, 5], [5, 6])], pad_id=7)
    mine = distributed.shard(batch)  # of one process: all of it
    assert (
        torch.equal(mine.source, batch.source)
        and mine.word_count == batch.word_count == 5
    )


def run(folder, seed=0, consistency=0.0, **options):
    made = corpus()
    model = cases.model(made, seed, dropout=0.2 if consistency else 0.0)
    settings = RUN.changed(consistency=consistency)
    return train(model, made, settings, folder, **options)


def translated_back():
    made = corpus()
    model = cases.model(made, dtype=torch.float64)  # no ties, whatever the batch
    return back_translations(model, made.ids(made.train), 2)


RUNS, DIES, TWICE = "runs", "process 1 dies", "passes twice"


def work(folder, how):
    """Train as one of two processes; process 1 may be killed at step 7."""
    torch.set_num_threads(1)
    rank = int(os.environ["RANK"])
    if how == DIES:

        def learn(*args, true=loop.take_training_step):
            if args[-1] == 7 and rank == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            return true(*args)

        loop.take_training_step = learn
    try:
        with distributed.process_group():
            # Other weights in each process: what counts is that of process 0.
            consistency = 5.0 if how == TWICE else 0.0
            history = run(folder, seed=rank, consistency=consistency)
            back = translated_back()
    except distributed.WorkerError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    numbers = [history.losses, history.validation, history.tokens]
    # One write, as the two processes share a file.
    sys.stdout.write(json.dumps([rank, back, *numbers]) + "\n")


TORCHRUN = [
    *(sys.executable, "-m", "torch.distributed.run"),
    *(*TORCHRUN_ONE_MACHINE_OPTIONS, "--nproc-per-node=2"),
]
SCRIPT = """
import sys
from tests.train.test_distributed import work
work(*sys.argv[1:])
"""


@dataclass
class Pair:
    """Two processes that have ended: where they wrote, their statuses, what they said."""

    folder: Path
    ended: list
    out: str
    err: str


def pair_of(how, folder):
    """Run two processes that find each other at a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    said, both = folder / "said", {"WORLD_SIZE": "2", **place}
    two = [Process(said, work, folder / "run", how, RANK=rank, **both) for rank in "01"]
    return Pair(folder / "run", [one.ended() for one in two], two[0].out, two[0].err)


@pytest.fixture(scope="session")
def pairs(tmp_path_factory):
    return {
        how: pair_of(how, tmp_path_factory.mktemp("pair"))
        for how in (RUNS, DIES, TWICE)
    }


@pytest.fixture(scope="session")
def one_process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    return run(folder), load_file(folder / CHECKPOINT_FILE)


def check_checkpoint(folder, expected):
    """Adam makes the same step of gradients of any length, so its moments are compared, too."""
    found = load_file(folder / CHECKPOINT_FILE)
    assert found.keys() == expected.keys()
    for name, tensor in expected.items():
        torch.testing.assert_close(found[name], tensor, rtol=1e-3, atol=1e-4)


def test_two_processes_have_the_losses_weights_and_translations_of_one(
    pairs, one_process
):
    pair = pairs[RUNS]
    assert pair.ended == [0, 0], pair.err
    found = sorted(json.loads(line) for line in pair.out.splitlines())
    assert [rank for rank, *_ in found] == [0, 1]
    history, checkpoint = one_process
    expected = translated_back()
    assert any(expected)
    for _, back, losses, validation, tokens in found:
        assert losses == pytest.approx(history.losses, rel=1e-5)
        assert dict(validation) == pytest.approx(dict(history.validation), rel=1e-5)
        assert tokens == history.tokens
        assert back == expected
    check_checkpoint(pair.folder, checkpoint)
    assert sorted(file.name for file in pair.folder.iterdir()) == [
        BEST_FILE,
        CHECKPOINT_FILE,
    ]


def test_two_processes_that_pass_twice_learn_one_model(pairs):
    pair = pairs[TWICE]
    assert pair.ended == [0, 0], pair.err
    (_, _, *one), (_, _, *other) = (json.loads(s) for s in pair.out.splitlines())
    losses, validation, tokens = one
    assert one == other and tokens == run(None).tokens
    alone = run(None, consistency=5.0)
    # Their dropout is another, so that the losses are like those of one process.
    assert losses != alone.losses and losses == pytest.approx(alone.losses, rel=0.2)
    assert dict(validation) == pytest.approx(dict(alone.validation), rel=0.2)


def test_some_batch_leaves_a_process_without_a_row():
    pairs = corpus().ids(corpus().train)
    taken = [batch for _, (*_, batch) in zip(range(RUN.steps), RUN.batches(pairs))]
    assert 1 in {len(batch.source) for batch in taken}


def test_when_a_worker_dies_torchrun_ends_and_the_checkpoint_goes_on(
    tmp_path, one_process
):
    script = tmp_path.with_name("worker.py")
    script.write_text(SCRIPT, "utf-8")
    # Not one of forks, which names only the process whose end it sees first.
    done = subprocess.run(
        [*TORCHRUN, script, tmp_path, DIES],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        encoding="utf-8",
    )
    assert done.returncode != 0 and "Signal 9" in done.stderr
    assert len(load_file(tmp_path / CHECKPOINT_FILE)["losses"]) == 4
    history, checkpoint = one_process
    resumed = run(
        tmp_path, seed=5, resume=True
    )  # also with another number of processes
    assert resumed.losses == pytest.approx(history.losses, rel=1e-5)
    check_checkpoint(tmp_path, checkpoint)


def test_the_process_that_is_left_ends_with_one_error(pairs):
    # Not under torchrun, which may end it before it says anything.
    pair = pairs[DIES]
    assert pair.ended == [1, -signal.SIGKILL]
    assert (
        "WorkerError: Process 0 of 2 stopped, as it could not go on with the"
        in pair.err
    )
    assert "start again with --resume" in pair.err
    assert "Traceback" not in pair.err
