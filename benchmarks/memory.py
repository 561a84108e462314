"""How much torch memory a call holds at its fullest moment."""

import gc
import os

os.environ.setdefault(
    "KINETO_LOG_LEVEL", "99"
)  # the profiler reports its start and stop

import torch
from torch._C._profiler import _EventType


def measure_peak_bytes(function) -> int:
    """Return the most bytes that tensors created during ``function`` occupied at one time."""
    function()
    gc.disable()  # else it depends on what ran before when the call's garbage is freed
    try:
        with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
        ) as profile:
            output = function()
    finally:
        gc.enable()
    events = profile.profiler.kineto_results.experimental_event_tree()
    del output
    sizes: dict[
        int, int
    ] = {}  # of what the call allocated and has not freed, by its address
    bytes_now = bytes_at_most = 0
    for event in sorted(
        _allocations_and_frees(events), key=lambda event: event.start_time_ns
    ):
        address, size = event.extra_fields.ptr, event.extra_fields.alloc_size
        if size > 0:
            sizes[address] = size
            bytes_now += size
            bytes_at_most = max(bytes_at_most, bytes_now)
        else:  # what is older may be freed meanwhile, and the profiler does not know its size
            bytes_now -= sizes.pop(address, 0)
    return bytes_at_most


def _allocations_and_frees(event_tree: list):
    """Yield what was allocated and freed, of a tree of events."""
    for event in event_tree:
        if event.tag == _EventType.Allocation:
            yield event
        yield from _allocations_and_frees(event.children)
