"""Several processes, one model: each takes its shard of every batch, torch's DDP adds up.

The losses are those of one process with the same batches, but for rounding, if dropout is 0:
each process draws its own dropout.
"""

import os
import re
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import torch
import torch.distributed as dist

# For a worker that says nothing: one may be minutes behind in translating its shard back.
WORKER_TIMEOUT = timedelta(minutes=30)


class WorkerError(RuntimeError):
    """One of the processes that train together was lost."""


def rank():
    """Return the number of this process, 0 for the one that writes and shows progress."""
    return dist.get_rank() if dist.is_initialized() else 0


def world_size():
    """Return how many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def shard(batch):
    """Return this process's rows of a batch: every ``world_size()``-th; perhaps none."""
    mine = slice(rank(), None, world_size())
    return replace(batch, source=batch.source[mine], target=batch.target[mine])


def all_reduce(x):
    """Return the sum of a tensor over all processes."""
    if dist.is_initialized():
        dist.all_reduce(x)
    return x


def all_gather(x):
    """Return what each process gives, in the order of their numbers, to all of them."""
    if not dist.is_initialized():
        return [x]
    gathered = [None] * world_size()
    dist.all_gather_object(gathered, x)
    return gathered


def data_parallel(module):
    """Return the module in torch's DistributedDataParallel, if there are several processes.

    DDP averages the gradients of the processes while they are being computed. A loss that is a
    sum over one process's shard must therefore be multiplied by ``world_size()``.
    """
    if not dist.is_initialized():
        return module
    return torch.nn.parallel.DistributedDataParallel(module)


@contextmanager
def process_group(device="cpu"):
    """Join the other processes if ``torchrun`` has started this one; do nothing if not.

    Parameters
    ----------
    device : str
        On "cuda" they speak through nccl, and each takes the GPU of its local rank.

    Raises
    ------
    WorkerError
        If another process dies, or says nothing for half an hour.
    """
    if not {"RANK", "WORLD_SIZE"} <= os.environ.keys():
        yield
        return
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    backend = "nccl" if device == "cuda" else "gloo"
    dist.init_process_group(backend, timeout=WORKER_TIMEOUT)
    try:
        yield
    except RuntimeError as error:
        # gloo and nccl have no class for this error; the cause stands in the
        # message, behind a place in their source.
        cause = re.sub(r"^\[\S+\] ", "", str(error)).splitlines()[0].split(". ")[0]
        raise WorkerError(
            f"Process {rank()} of {world_size()} stopped, as it could not go on with the "
            f"others: {cause}. The last checkpoint is whole. Look above for the error of "
            "the process that was lost, then start again with --resume."
        ) from error
    # Not after an error: it would wait for the process that was lost.
    dist.destroy_process_group()
