"""Who is here: processes say where they are, so that one that is lost can be named."""

import os
import time
from contextlib import contextmanager
from datetime import timedelta

import torch.distributed as dist

from transformer_book.train.distributed import WorkerError

START_TIMEOUT = timedelta(minutes=5)  # to import torch, on a machine with much to do
# Seconds, at least: the others may have begun to wait later than this one.
MIN_ANSWER_SECONDS = 3.0


class ProcessRoll:
    """A list that all processes write to and read, in the store of ``torchrun``.

    It outlives any of them, unlike the connections between them.
    """

    def __init__(self, store, rank, size, patience_seconds):
        self.store, self.rank, self.size = store, rank, size
        self.patience_seconds, self.place = patience_seconds, "the start"

    def report_place(self, place: str) -> None:
        """Say where this process is now."""
        self.place = place
        self.store.set(f"at/{self.rank}", place)

    def lost_ranks(self) -> list[int]:
        """Return the numbers of the processes that do not answer. All that are here must ask."""
        self.store.set(f"here/{self.rank}", "yes")
        missing = set(range(self.size))
        until = time.monotonic() + max(MIN_ANSWER_SECONDS, self.patience_seconds / 2)
        while missing and time.monotonic() < until:
            missing = {i for i in missing if not self.store.check([f"here/{i}"])}
            time.sleep(0.05)
        return sorted(missing)

    def last_place(self, rank: int) -> str:
        """Return where a process was when it last said so."""
        if not self.store.check([f"at/{rank}"]):
            return "no place at all"
        return self.store.get(f"at/{rank}").decode()

    def is_first_to_ask(self) -> bool:
        """Return whether this process is the first to ask, so that one speaks for all."""
        return self.store.add("speaks", 1) == 1

    def lost_message(self, ranks: list[int]) -> str:
        """Return the message about lost processes: which, where, and what was expected."""
        names = " and ".join(str(i) for i in ranks)
        last_places = " and ".join(self.last_place(i) for i in ranks)
        several = len(ranks) > 1
        return (
            f"Process{'es' if several else ''} {names} of {self.size} {'do' if several else 'does'} "
            f"not answer; last heard of at {last_places}. Expected: all {self.size} through each exchange "
            f"within {self.patience_seconds:g} s. Look above for an error of "
            f"{'theirs' if several else 'its own'}; if there is none, "
            f"{'they hang' if several else 'it hangs'} or {'were' if several else 'was'} killed."
        )


@contextmanager
def process_group_with_roll(patience_seconds=60.0):
    """Join the other processes that ``torchrun`` has started; yield the roll.

    Parameters
    ----------
    patience_seconds : float
        Seconds that a process waits for another in any exchange.

    Raises
    ------
    WorkerError
        Once for all processes: which of them died or hangs, and where.
    SystemExit
        In the others that are left.
    """
    store, rank, size = next(iter(dist.rendezvous("env://", timeout=START_TIMEOUT)))
    roll = ProcessRoll(dist.PrefixStore("roll", store), rank, size, patience_seconds)
    roll.report_place("the start")
    try:  # short patience only begins when all have come
        roll.store.wait([f"at/{i}" for i in range(size)], START_TIMEOUT)
    except RuntimeError as error:
        raise WorkerError(roll.lost_message(roll.lost_ranks())) from error
    limit = timedelta(seconds=patience_seconds)
    dist.init_process_group(
        "gloo", store=store, rank=rank, world_size=size, timeout=limit
    )
    try:
        yield roll
    except RuntimeError as error:
        lost = roll.lost_ranks()
        if not lost:  # all are here: it is an error as any other
            raise
        if roll.is_first_to_ask():
            raise WorkerError(roll.lost_message(lost)) from error
        raise SystemExit(1) from error
    dist.destroy_process_group()  # not after an error: it would wait for who is lost


def exit_or_hang(manner: str) -> None:
    """Leave the others, as a page and a test want it: ``exit`` or ``hang``."""
    if manner == "exit":
        os._exit(3)
    time.sleep(3600)
