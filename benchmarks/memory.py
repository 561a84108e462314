"""How much torch memory a call holds at its fullest moment."""

import os

os.environ.setdefault(
    "KINETO_LOG_LEVEL", "99"
)  # the profiler reports its own start and stop

import torch


def peak(call):
    """Return the most bytes that tensors made during ``call`` occupied at one time."""
    call()
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as profile:
        kept = call()
    events = [
        e for e in profile.profiler.kineto_results.events() if e.name() == "[memory]"
    ]
    del kept
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most
