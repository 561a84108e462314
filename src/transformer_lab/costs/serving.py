"""Serving measured: a load of requests, static batches, and how long each request waited."""

import time
from dataclasses import dataclass, field

import numpy as np

from transformer_book import serve


class StaticScheduler(serve.Scheduler):
    """Admits a batch only when the one before it has ended: static batching.

    A row that has ended is left out of the passes here. Where it is computed on as padding, as in
    most such batches, it costs more than this.
    """

    def admit(self) -> list[serve.Request]:
        return [] if self.running else super().admit()


@dataclass(frozen=True)
class TimedRequest:
    """What one reader asks for, and when: the arguments of ``Engine.add``.

    Parameters
    ----------
    at : float
        When, in steps of the engine or in seconds.
    prompt : list of int
    tokens : int
    settings : dict
        ``seed`` and ``sampling``.
    leaves : float
        How long after it came the request is cancelled, if it has not ended by then.
    """

    at: float
    prompt: list[int]
    tokens: int
    settings: dict = field(default_factory=dict)
    leaves: float = float("inf")


def load(
    ids, request_count, seed, *, prompt=(8, 64), tokens=(16, 256), gap=0.0
) -> list[TimedRequest]:
    """Return requests whose prompts are cut out of a text, of random lengths.

    Parameters
    ----------
    ids : integer array, (n,)
        The text.
    request_count : int
    seed : int
    prompt, tokens : (int, int)
        The least and the most tokens of a prompt, and of what is to be written.
    gap : float
        The mean time between two that come, exponentially distributed; 0 if all come at once.

    Returns
    -------
    list of TimedRequest
        In the order in which they come.
    """
    rng, arrivals, at = np.random.default_rng(seed), [], 0.0
    for _ in range(request_count):
        n, m = (int(rng.integers(low, high + 1)) for low, high in (prompt, tokens))
        start = int(rng.integers(len(ids) - n))
        arrivals.append(TimedRequest(at, ids[start : start + n].tolist(), m))
        at += rng.exponential(gap)
    return arrivals


def play(
    engine: serve.Engine, arrivals: list[TimedRequest], *, clock: bool = False
) -> tuple[list[serve.Request], np.ndarray]:
    """Ask an engine for all of them, each when its time has come, and serve until none is left.

    Parameters
    ----------
    engine : serve.Engine
        Fresh.
    arrivals : list of TimedRequest
        In the order in which they come.
    clock : bool
        Whether ``at`` and ``leaves`` are in seconds, or in steps of the engine.

    Returns
    -------
    requests : list of serve.Request
        In the same order, all of them ended or cancelled.
    seconds : array, (steps + 1,)
        The time after each step; the first is 0.
    """
    requests, seconds, start = [], [0.0], time.perf_counter()
    while len(requests) < len(arrivals) or engine.requests:
        now = time.perf_counter() - start if clock else engine.steps
        for arrival in arrivals[len(requests) :]:
            if arrival.at > now:
                break
            requests.append(
                engine.add(arrival.prompt, arrival.tokens, **arrival.settings)
            )
        for arrival, request in zip(arrivals, requests):
            if now - arrival.at >= arrival.leaves and request.id in engine.requests:
                engine.cancel(request.id)
        if clock and not engine.requests:  # nobody is there
            still_to_come = arrivals[len(requests) :]
            time.sleep(max(0.0, still_to_come[0].at - now) if still_to_come else 0.0)
            continue
        engine.step()
        seconds.append(time.perf_counter() - start)
    return requests, np.array(seconds)


def first_tokens(
    arrivals: list[TimedRequest],
    requests: list[serve.Request],
    step_end_seconds: np.ndarray,
) -> np.ndarray:
    """Return how long each waited for its first token, in seconds, as ``play`` has timed it."""
    return np.array(
        [
            step_end_seconds[request.steps[0]] - arrival.at
            for arrival, request in zip(arrivals, requests)
        ]
    )


def request_phases(requests: list[serve.Request]) -> list[list[tuple[int, int, str]]]:
    """Return for each request what it did when, in steps: (start, end, kind).

    It "waits" until it is admitted, and again where it was sent back; then it "writes". When it has
    ended its place is "idle" until another takes it, or all have ended.

    Parameters
    ----------
    requests : list of serve.Request
        All of them ended.
    """
    by_request = []
    for request in requests:
        last_step, phases = request.arrived, []
        for step in request.steps:
            if step > last_step + 1:
                phases.append((last_step, step - 1, "waits"))
            if phases and phases[-1][1:] == (step - 1, "writes"):
                phases[-1] = (phases[-1][0], step, "writes")
            else:
                phases.append((step - 1, step, "writes"))
            last_step = step
        by_request.append(phases)
    starts = sorted(
        start for phases in by_request for start, _, kind in phases if kind == "writes"
    )
    last_end = max(phases[-1][1] for phases in by_request)
    for phases in sorted(by_request, key=lambda phases: phases[-1][1]):
        end = phases[-1][1]
        next_start = next((start for start in starts if start >= end), last_end)
        if next_start < last_end:
            starts.remove(next_start)  # a place is taken once
        if next_start > end:
            phases.append((end, next_start, "idle"))
    return by_request
