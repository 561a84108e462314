"""Time things that are to be compared, turn by turn, so that a slow moment hits all of them."""

import statistics
import time


def ratios(ours, *peers, seconds=1.0, least=5, warm=False):
    """Return the median time of ``ours`` and how many times each peer's median that is."""
    calls = (ours, *peers)
    for call in () if warm else calls:
        call()
    times_by_call = [[] for _ in calls]
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times_by_call[0]) < least:
        for call, times in zip(calls, times_by_call):
            began = time.perf_counter()
            call()
            times.append(time.perf_counter() - began)
    first, *others = map(statistics.median, times_by_call)
    return first, *(first / other for other in others)
