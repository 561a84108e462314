"""The engine: requests come, are written together a token at a time, and go."""

import torch

from ..decode.errors import check, check_model, check_whole
from ..decode.generate import check_text, possible
from ..decode.greedy import best
from ..decode.sampling import tamed
from ..nn import LanguageModel
from ..shapes import check_count
from .paged import PagedCache
from .request import Request
from .scheduler import Scheduler


class Engine:
    """Continues many texts in one batch that changes from step to step: continuous batching.

    Each gets the tokens that :func:`decode.generate` would write for it alone. Yu et al. (2022);
    Kwon et al. (2023).

    Parameters
    ----------
    model : nn.LanguageModel
        Is set to evaluation mode.
    blocks : int
        How many blocks of keys and values there are for all.
    block_size : int
        Tokens of a block.
    most : int
        How many requests may run at one time.
    scheduler : callable
        What makes the scheduler, of the cache and ``most``.

    Attributes
    ----------
    requests : dict of int to Request
        Those that wait or run, by id.
    steps : int
        How many steps it has made.

    Raises
    ------
    DecodeError
        If the model is no language model.
    ShapeError, PagingError
        If a size is no whole number of at least 1.
    """

    def __init__(
        self,
        model: LanguageModel,
        blocks: int = 1024,
        block_size: int = 16,
        most: int = 32,
        *,
        scheduler=Scheduler,
    ):
        check_model("Engine", model, "LanguageModel")
        check_count("Engine", "most", most, "requests")
        self.model = model.eval()
        where = model.output.device
        self.cache = PagedCache(model.config.N, blocks, block_size, device=where)
        self.scheduler = scheduler(self.cache, most)
        self.requests: dict[int, Request] = {}
        self.steps = self._asked = 0

    def add(
        self,
        prompt: list[int],
        tokens: int,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        *,
        seed: int | None = None,
    ) -> Request:
        """Ask for a continuation; it waits until a step admits it.

        Parameters
        ----------
        prompt : list of int
        tokens : int
            How many to write at most.
        temperature, top_k, top_p
            As in :func:`decode.generate`, where there is a seed.
        seed : int, optional
            Decides what is drawn; without it each token is the likeliest.

        Raises
        ------
        DecodeError
            Also if it could not be served with all blocks for itself.
        """
        name, settings = "Engine.add", (temperature, top_k, top_p)
        if seed is not None:
            check_whole(name, "seed", seed, 0)
        plain = seed is not None or settings == (1.0, None, None)
        expected = "a whole number, as temperature, top_k or top_p is given"
        check(plain, name, "seed", "None", expected)
        id, text = self._asked, list(prompt)
        request = Request(id, text, tokens, *settings, seed, arrived=self.steps)
        ids = torch.tensor([text], dtype=torch.long)
        check_text(name, self.model, ids, tokens, request.generator, *settings)
        tamed(torch.zeros(1, 1), *settings)  # what is wrong must not stop the others
        read = len(prompt) + tokens - 1  # nobody reads the last
        every, size = self.cache.allocator.blocks, self.cache.allocator.block_size
        needed = -(-read // size)  # rounded up
        given = f"{read} tokens long with what follows, which takes {needed} blocks"
        check(needed <= every, name, "prompt", given, f"at most {every} blocks")
        self._asked += 1
        self.requests[id] = request
        self.scheduler.waiting.append(request)
        return request

    def cancel(self, id: int) -> Request:
        """Drop a request that waits or runs; it keeps what was written.

        Raises
        ------
        DecodeError
            If no such request waits or runs.
        """
        expected = f"one of {[*self.requests]}, which wait or run"
        check(id in self.requests, "Engine.cancel", "id", id, expected)
        self.scheduler.remove(self.requests[id])
        return self.requests.pop(id)

    def step(self) -> list[Request]:
        """Write one token for each request that runs, and return those that have ended."""
        self.steps += 1
        running = self.scheduler.grow()  # what was written last gets a row in the cache
        new = self.scheduler.admit()
        with torch.inference_mode():
            for request in new:  # prefill: a pass for each
                self._write([request])
            if running:  # decode: a row for each, one pass for all
                self._write(running)
        ended = [request for request in running + new if request.ended]
        for request in ended:
            self.scheduler.remove(self.requests.pop(request.id))
        return ended

    def run(self) -> dict[int, list[int]]:
        """Make steps until nobody waits or runs; return by id what was written."""
        ended = []
        while self.requests:
            ended += self.step()
        return {request.id: request.written for request in ended}

    def _write(self, requests):
        view = self.cache.view([request.id for request in requests])
        x, _ = self.model.vectors(view.ids, cache=view)  # what has not been read
        logits = possible(self.model.logits(x[:, -1]))  # (batch, words)
        likeliest = best(logits).tolist()
        for i, request in enumerate(requests):
            token = likeliest[i] if request.seed is None else request.draw(logits[i])
            request.write(token, self.steps)
