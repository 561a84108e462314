"""Who is served next: admitted first come, first served; preempted last come, first sent back."""

from collections import deque

from .request import Request


class Scheduler:
    """Which requests wait and which run, and the blocks that those that run hold.

    Parameters
    ----------
    blocks
        The pool of blocks.
    most : int
        How many requests may run at one time.
    """

    def __init__(self, blocks, most: int):
        self.blocks, self.most = blocks, most
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []  # the one admitted first stands first
