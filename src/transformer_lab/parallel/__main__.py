"""Four ways beside one process: ``torchrun --nproc-per-node 4 -m transformer_lab.parallel --help``."""

import argparse
import dataclasses
import json
import os
import sys
import time
import warnings
from pathlib import Path

import torch
import torch.distributed as dist

from transformer_book.train.distributed import WorkerError

from .roll import ProcessRoll, exit_or_hang, process_group_with_roll
from .task import SingleProcess, TrainingTask
from .wire import bytes_sent

WAY_NAMES = (
    "data",
    "sharded",
    "tensor",
    "tensor-by-torch",
    "pipeline",
    "early-pipeline",
)


def import_way_class(name: str) -> type[SingleProcess]:
    """Return the class of a way; torch's parts take seconds to import, so only what is asked for."""
    if name == "data":
        from .data import DataParallel

        return DataParallel
    if name == "sharded":
        from .sharded import ShardedDataParallel

        return ShardedDataParallel
    if name == "tensor":
        from .tensor import TensorParallel

        return TensorParallel
    if name == "tensor-by-torch":
        from .tensor_by_torch import TorchTensorParallel

        return TorchTensorParallel
    if name == "pipeline":
        from .pipeline import Pipeline

        return Pipeline
    from .pipeline import Pipeline1F1B

    return Pipeline1F1B


def run_and_count_bytes_sent(action, *arguments) -> tuple:
    """Return what an action returns, and the bytes that each process sent during it."""
    dist.barrier()
    before_barrier = bytes_sent()
    dist.barrier()
    after_barrier = bytes_sent()
    result = action(*arguments)
    dist.barrier()
    sent = bytes_sent() - after_barrier - (after_barrier - before_barrier)
    sent_by_each: list = [None] * dist.get_world_size()
    dist.all_gather_object(sent_by_each, sent)
    return result, sent_by_each


def gather_objects(x) -> list:
    """Return what each process has."""
    from_each: list = [None] * dist.get_world_size()
    dist.all_gather_object(from_each, x)
    return from_each


def train_beside_single_process(
    way_name: str,
    way_class: type[SingleProcess],
    task: TrainingTask,
    roll: ProcessRoll,
    process_to_lose: tuple[int, str] | None = None,
) -> dict:
    """Train in one way, and alone; return the losses of both, and the costs of the way."""
    p, rank = dist.get_world_size(), dist.get_rank()
    roll.report_place(f"{way_name}, before its first step")
    way, alone = way_class(task), SingleProcess(task)
    losses, losses_alone, sent, seconds, gradient_difference = [], [], [], [], 0.0
    for step, (ids, labels) in enumerate(task.batches(), start=1):
        roll.report_place(f"{way_name}, step {step}")
        if process_to_lose and step == 2 and rank == process_to_lose[0]:
            exit_or_hang(process_to_lose[1])
        start = time.perf_counter()
        loss, sent = run_and_count_bytes_sent(way.step, ids, labels)
        seconds.append(time.perf_counter() - start)
        losses.append(loss)
        gradients = way.gathered_gradients()
        losses_alone.append(alone.step(ids, labels))
        gradient_difference = max(
            gradient_difference,
            largest_relative_difference(gradients, alone.gathered_gradients()),
        )
    return {
        "way": way_name,
        "processes": p,
        "losses": losses,
        "alone": losses_alone,
        "gradients_apart": max(gather_objects(gradient_difference)),
        "sent": sent,
        "formula": [
            8 * x for x in gather_objects(way.formula_numbers_sent(task, p, rank))
        ],
        "held": gather_objects(way.stored_weight_count()),
        "moments": gather_objects(count_moment_numbers(way.adam)),
        "parameters": alone.stored_weight_count(),
        "seconds": min(seconds),
    }


def largest_relative_difference(
    gradients: dict[str, torch.Tensor], expected_gradients: dict[str, torch.Tensor]
) -> float:
    """Return how far gradients are apart at most, for a largest entry of 1."""
    assert gradients.keys() == expected_gradients.keys(), (
        gradients.keys() ^ expected_gradients.keys()
    )
    return max(
        ((gradients[name] - G).abs().max() / G.abs().max()).item()
        for name, G in expected_gradients.items()
    )


def count_moment_numbers(adam) -> int:
    """Return how many numbers this process keeps of Adam's two averages."""
    averages = [x for state in adam.state.values() for x in state.values() if x.dim()]
    return sum(getattr(x, "_local_tensor", x).numel() for x in averages)


def measure_exchange_bytes(number_count: int) -> dict:
    """Return what each process sends in each kind of exchange, for one tensor of so many numbers."""
    p = dist.get_world_size()
    tensor = torch.ones(number_count)
    parts = list(tensor.chunk(p))
    sent = {}
    for name, exchange in {
        "all-reduce": lambda: dist.all_reduce(tensor),
        "all-gather": lambda: dist.all_gather(
            [torch.empty_like(x) for x in parts], parts[0]
        ),
        "reduce-scatter": lambda: dist.reduce_scatter(
            torch.empty_like(parts[0]), parts
        ),
    }.items():
        sent[name] = run_and_count_bytes_sent(exchange)[1]
    return {"processes": p, "bytes": tensor.nbytes, "sent": sent}


def time_pipelines(part_counts: list[int]) -> list[dict]:
    """Return how long steps of a pipeline take whose stages rest, and the order of their passes."""
    if not part_counts:
        return []
    from torch.distributed.pipelining import Schedule1F1B, ScheduleGPipe

    from .pipeline import time_pipeline_step

    rows = []
    for early, schedule in ((False, ScheduleGPipe), (True, Schedule1F1B)):
        # Early, torch wants at least as many parts as there are stages.
        for m in (m for m in part_counts if not early or m >= dist.get_world_size()):
            seconds, order = time_pipeline_step(m, schedule)
            orders = gather_objects(order)
            rows.append(
                {"parts": m, "early": early, "seconds": seconds, "orders": orders}
            )
    return rows


def parse_way(name: str) -> str:
    """Return a way's name, if there is one of that name."""
    if name not in WAY_NAMES:
        raise argparse.ArgumentTypeError(
            f"{name!r} is no way; expected one of {', '.join(WAY_NAMES)}"
        )
    return name


def parse_lost_process(text: str) -> tuple[int, str]:
    """Return the number and the manner of a process that is to be lost, from ``2:hang``."""
    rank, _, manner = text.partition(":")
    if not rank.isdecimal() or manner not in ("exit", "hang"):
        raise argparse.ArgumentTypeError(
            f"{text!r}; expected the number of a process and exit or hang, such as 2:hang"
        )
    return int(rank), manner


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="torchrun --nproc-per-node 4 -m transformer_lab.parallel",
        description="Train a small language model in several ways, each beside one process alone.",
    )
    add = parser.add_argument
    add(
        "ways",
        nargs="*",
        metavar="WAY",
        type=parse_way,
        help="by default all: " + ", ".join(WAY_NAMES),
    )
    add("--out", type=Path, help="a JSON file to write")
    for field in dataclasses.fields(TrainingTask):
        add(f"--{field.name.replace('_', '-')}", type=int, default=field.default)
    add(
        "--collectives", type=int, nargs="*", default=[], help="sizes to count bytes of"
    )
    add(
        "--bubble",
        type=int,
        nargs="*",
        default=[],
        help="parts to time a pipeline with",
    )
    add(
        "--patience",
        type=float,
        default=60.0,
        help="seconds to wait for another process",
    )
    add(
        "--lose",
        metavar="RANK:HOW",
        type=parse_lost_process,
        help="let a process exit or hang, at its second step; for a lesson and a test",
    )
    return parser


def main(argv=None):
    """Run the ways and measurements asked for; the first process prints and writes them."""
    parser = argument_parser()
    args = parser.parse_args(argv)
    if not {"RANK", "WORLD_SIZE"} <= os.environ.keys():
        parser.error(
            "RANK and WORLD_SIZE are not set; expected to be started by torchrun, which sets them:"
            " torchrun --nproc-per-node 4 -m transformer_lab.parallel"
        )
    # torch's warnings of its parts are not for the reader of a table.
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    task = TrainingTask(
        **{f.name: getattr(args, f.name) for f in dataclasses.fields(TrainingTask)}
    )
    measures_alone = args.collectives or args.bubble
    names = args.ways or ([] if measures_alone else WAY_NAMES)
    try:
        # Imports take seconds, and not the same ones everywhere: before anyone waits for anyone.
        ways = {name: import_way_class(name) for name in names}
        SingleProcess(task)
        with process_group_with_roll(args.patience) as roll:
            measurements = {
                "ways": [
                    train_beside_single_process(name, way, task, roll, args.lose)
                    for name, way in ways.items()
                ],
                "collectives": [
                    measure_exchange_bytes(size) for size in args.collectives
                ],
                "bubble": time_pipelines(args.bubble),
            }
            if dist.get_rank() == 0:
                if args.out:
                    args.out.write_text(json.dumps(measurements, indent=1), "utf-8")
                print_table_of_ways(measurements)
    except WorkerError as error:
        sys.exit(f"{type(error).__name__}: {error}")
    except ValueError as error:  # a size that cannot be split: all find it, one says it
        message = f"{type(error).__name__}: {error}"
        sys.exit(message if os.environ["RANK"] == "0" else 1)


def print_table_of_ways(measurements: dict) -> None:
    """Print a line for each way."""
    if measurements["ways"]:
        print(
            f"{'way':16}{'loss':>10}{'alone':>10}{'gradients':>11}{'MB sent':>9}{'formula':>9}"
        )
    for way in measurements["ways"]:
        sent, formula = (max(way[key]) / 1e6 for key in ("sent", "formula"))
        print(
            f"{way['way']:16}{way['losses'][-1]:10.6f}{way['alone'][-1]:10.6f}"
            f"{way['gradients_apart']:11.0e}{sent:9.3f}{formula:9.3f}"
        )


if __name__ == "__main__":
    main()
