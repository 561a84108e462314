"""Time things that are to be compared, turn by turn, so that a slow moment hits all of them."""

import statistics
import time


def median_seconds_and_ratios(
    our_call, *peer_calls, min_seconds=1.0, min_repeats=5, is_warm=False
) -> tuple[float, ...]:
    """Return the median time of ``our_call`` and how many times each peer's median that is."""
    calls = (our_call, *peer_calls)
    for call in () if is_warm else calls:
        call()
    times_by_call = [[] for _ in calls]
    end = time.perf_counter() + min_seconds
    while time.perf_counter() < end or len(times_by_call[0]) < min_repeats:
        for call, times in zip(calls, times_by_call):
            began = time.perf_counter()
            call()
            times.append(time.perf_counter() - began)
    first, *others = map(statistics.median, times_by_call)
    return first, *(first / other for other in others)
