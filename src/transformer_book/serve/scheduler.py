"""Who is served next: first come, first served; last come, first sent back."""

from collections import deque

from .blocks import OutOfBlocks
from .paged import PagedCache
from .request import Request


class Scheduler:
    """The requests that wait, and those that run and have their keys and values in the cache.

    Parameters
    ----------
    cache : PagedCache
    most : int
        How many requests may run at one time.
    """

    def __init__(self, cache: PagedCache, most: int):
        self.cache, self.most = cache, most
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []  # who was admitted first stands first

    def make_room_for_running(self) -> list[Request]:
        """Make room for the token that each running request wrote last; return those that run.

        Where no block is left, the one admitted last is sent back to wait, so the first can always go on.
        """
        grown = 0
        while grown < len(self.running):
            request = self.running[grown]
            try:
                self.cache.append(request.id, request.written[-1])
                grown += 1
            except OutOfBlocks:
                self._preempt(self.running[-1])
        return list(self.running)

    def admit(self) -> list[Request]:
        """Admit waiting requests in their order, while there are free places and enough blocks.

        Requests cannot overtake each other, because otherwise a long one might never be admitted.
        """
        new: list[Request] = []
        while self.waiting and len(self.running) < self.most:
            request = self.waiting[0]
            try:
                self.cache.add(request.id, request.text)
            except OutOfBlocks:
                break
            new.append(request)
            self.running.append(self.waiting.popleft())
        return new

    def remove(self, request: Request) -> None:
        """Forget a request, and free its blocks if it runs."""
        if request in self.running:
            self.running.remove(request)
            self.cache.free(request.id)
        else:
            self.waiting.remove(request)

    def _preempt(self, request: Request) -> None:
        self.remove(request)
        self.waiting.appendleft(request)  # it came before all that wait
        request.preempted += 1
