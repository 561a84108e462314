"""Names and ticks of an axis stay apart, round and plain."""

import numpy as np
import pytest

from transformer_press.figures.kit import axes


def test_line_names_do_not_overlap():
    ends = axes.spread_apart([10.0, 11.0, 12.0, 100.0], 17, 0, 200)
    assert np.diff(ends).min() >= 16.9 and ends.min() >= 0 and ends[3] == 100
    pinned = axes.spread_apart([199.0, 200.0], 17, 0, 200)
    assert pinned.max() <= 200 and np.diff(pinned)[0] == pytest.approx(17, abs=0.1)


def test_ticks_are_round_and_plain():
    assert axes.round_ticks(0, 1, False, 6) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1])
    assert axes.round_ticks(1, 1000, True, 6) == [1, 10, 100, 1000]
    assert axes.round_ticks(1, 1e9, True, 6) == [1, 1e2, 1e4, 1e6, 1e8]
    assert axes.round_ticks(1.45, 4.77, True, 6) == [2, 3, 4]
    assert axes.round_ticks(1.3, 1.9, True, 6) == pytest.approx(
        [1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9]
    )
    assert axes.round_ticks(7, 600, True, 8, [8, 16, 32]) == [8, 16, 32]
    assert [axes.TICK_FORMAT(v) for v in (0, 1000, 0.001, -2.5)] == [
        "0",
        "1,000",
        "0.001",
        "−2.5",
    ]
