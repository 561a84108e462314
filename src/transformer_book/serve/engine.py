"""The engine: requests come, are written together a token at a time, and go."""

from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from ..decode.errors import (
    DecodeError,
    check_ids,
    check_model,
    integer_ids,
    not_finite_error,
    rows_without_choice,
)
from ..decode.generate import check_continuation, suppress_marks
from ..decode.greedy import likeliest_ids
from ..decode.sampling import Sampling
from ..decode.sequences import evaluation_mode
from ..expect import expect, expect_integer
from ..nn import LanguageModel
from .paged import PagedCache
from .request import Request
from .scheduler import Scheduler
from .weights_fingerprint import WeightsFingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator


class Engine:
    """Continues many texts in one batch that changes from step to step: continuous batching.

    Each gets the tokens that :func:`decode.generate` would write for it alone, up to rounding, which
    differs with the sizes of a batch: in float32 it hardly ever turns a choice between two tokens, in
    bfloat16 it can where they are almost equally likely. Where the model's weights change, or a step
    is interrupted, every text is read again. Yu et al. (2022); Kwon et al. (2023).

    Parameters
    ----------
    model : nn.LanguageModel
        Is set to evaluation mode, in which every step runs, whatever it was set to since.
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
        If the model is no language model, or ``most`` no whole number of at least 1.
    PagingError
        If a number of blocks, or of tokens in one, is no whole number of at least 1.
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
        what, remedy = "requests at once", "Choose 1 to serve one after the other."
        expect_integer(DecodeError, "Engine", "most", most, what, remedy=remedy)
        self.model, self.ends = model.eval(), model.config.end_ids
        self.requests: dict[int, Request] = {}
        self.steps = self._next_id = 0
        self._ended: dict[int, Request] = {}  # which no step has returned yet
        self._sizes = blocks, block_size
        self._scheduler = lambda cache: scheduler(cache, most)
        self._start_over()

    def add(
        self,
        prompt: list[int],
        tokens: int,
        sampling: Sampling | None = None,
        *,
        seed: int | None = None,
    ) -> Request:
        """Ask for a continuation; it waits until a step admits it.

        Parameters
        ----------
        prompt : list of int
        tokens : int
            How many to write at most.
        sampling : decode.Sampling, optional
            As in :func:`decode.generate`, where there is a seed.
        seed : int, optional
            Decides what is drawn; without it each token is the likeliest.

        Raises
        ------
        DecodeError
            Also if it could not be served with all blocks for itself.
        """
        name = "Engine.add"
        if seed is not None:
            most, remedy = 2**64 - 1, "Leave it out for the likeliest tokens."
            expect_integer(
                DecodeError, name, "seed", seed, minimum=0, maximum=most, remedy=remedy
            )
        expect(
            seed is not None or sampling is None,
            DecodeError,
            name,
            "seed is None",
            "a whole number, as a sampling is given",
            "Give a seed, or leave out the sampling.",
        )
        id, text = self._next_id, integer_ids(name, "prompt", prompt)
        request = Request(
            id, text, tokens, sampling, seed, self.ends, arrived=self.steps
        )
        if text:
            words = self.model.config.target_words
            check_ids(name, "prompt", min(text), max(text), words)
        ids = torch.tensor([text], dtype=torch.long)
        check_continuation(name, self.model, ids, tokens, sampling, request.generator)
        read = len(text) + tokens - 1  # nobody reads the last
        blocks, size = self.cache.allocator.blocks, self.cache.allocator.block_size
        needed = -(-read // size)  # rounded up
        expect(
            needed <= blocks,
            DecodeError,
            name,
            f"prompt is {read} tokens long with what follows, which takes {needed} blocks",
            f"at most {blocks} blocks",
            "Ask for fewer tokens, or make the engine with more blocks.",
        )
        with self._start_over_on_error():
            self._next_id += 1
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
        expect(
            id in self.requests,
            DecodeError,
            "Engine.cancel",
            f"id is {id!r}",
            f"one of {[*self.requests]}, which wait or run",
            "Leave alone what has ended.",
        )
        with self._start_over_on_error():
            self.scheduler.remove(self.requests[id])
            return self.requests.pop(id)

    def step(self) -> list[Request]:
        """Write one token for each request that runs, and return those that have ended."""
        self.steps += 1
        with evaluation_mode(self.model), self._start_over_on_error():
            self._start_over_if_weights_changed()
            running = (
                self.scheduler.make_room_for_running()
            )  # makes room for what was written last
            new = self.scheduler.admit()
            for alike in _group_similar_lengths(new):  # prefill: all tokens of each
                self._write_next_tokens(alike)
            if running:  # decode: a row for each, one pass for all
                self._write_next_tokens(running)
            self._set_ended_aside(running + new)
        return self._pop_ended()

    def run(self) -> dict[int, list[int]]:
        """Make steps until nobody waits or runs; return by id what was written.

        Where it is interrupted, the next run returns also what has ended in this one.

        Raises
        ------
        DecodeError
            When all have ended, if one could not go on; see ``Request.error``. The next run returns
            what was written for the others.
        """
        ended: list[Request] = []
        try:
            while self.requests or self._ended:
                ended += self.step()
            for request in ended:
                if request.error is not None:
                    ended.remove(request)
                    raise request.error
        except BaseException:
            self._ended = {request.id: request for request in ended} | self._ended
            raise
        return {request.id: request.written for request in ended}

    def _write_next_tokens(self, requests: list[Request]) -> None:
        view = self.cache.view([request.id for request in requests])
        x, _ = self.model.vectors(view.ids, cache=view)  # what has not been read
        last = torch.arange(len(x), device=x.device), view.new - 1  # before the padding
        logits = self.model.logits(x[last])  # (batch, words)
        logits = suppress_marks(logits, self.model.config)
        likeliest, bad = (
            likeliest_ids(logits).tolist(),
            rows_without_choice(logits).tolist(),
        )
        for i, request in enumerate(requests):
            if bad[i]:  # the others go on
                what = f"the text of request {request.id}, after {len(request.written)} tokens"
                request.fail(not_finite_error("Engine", what))
                continue
            token = likeliest[i] if request.seed is None else request.draw(logits[i])
            request.write(token, self.steps)

    @contextmanager
    def _start_over_on_error(self) -> "Iterator[None]":
        """Where what is done fails or is interrupted, keep what was written, and no more."""
        try:
            yield
        except BaseException:  # Ctrl+C is no Exception
            self._start_over()
            raise

    def _start_over_if_weights_changed(self) -> None:
        """Start over where the weights are others by now; look at all of them where a text may come."""
        places = len(self.scheduler.running) < self.scheduler.most
        if self._weights_fingerprint.has_changed(
            read_all=places and bool(self.scheduler.waiting)
        ):
            self._start_over()

    def _set_ended_aside(self, requests: list[Request]) -> None:
        """Put those aside that have ended, and free their blocks."""
        for request in requests:
            if request.ended:
                self._ended[request.id] = request
                self.scheduler.remove(self.requests.pop(request.id))

    def _pop_ended(self) -> list[Request]:
        """Return those that have ended, each once."""
        ended, self._ended = [*self._ended.values()], {}
        return ended

    def _start_over(self) -> None:
        """Let all that wait or run be read again, by the model as it is now."""
        N, where = self.model.config.N, self.model.output.device
        self.cache = PagedCache(N, *self._sizes, device=where)
        self.scheduler = self._scheduler(self.cache)
        self._weights_fingerprint = WeightsFingerprint(self.model)
        for request in [*self.requests.values()]:  # in the order in which they came
            if request.id not in self._ended:
                request.drop_unfinished_step()
            if request.ended:
                self._ended[request.id] = self.requests.pop(request.id)
            else:
                self.scheduler.waiting.append(request)


def _group_similar_lengths(requests: list[Request]) -> "Iterator[list[Request]]":
    """Split requests into passes: in none is a text more than twice as long as another."""
    alike: list[Request] = []
    for request in sorted(requests, key=lambda request: len(request.text)):
        if alike and len(request.text) > 2 * len(alike[0].text):
            yield alike
            alike = []
        alike.append(request)
    if alike:
        yield alike
