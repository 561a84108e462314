"""Split and merge: every entry stands where the tensor operations put it, in its head's pattern."""

import re

import numpy as np
import pytest

from tests.press.figures.drawn import (
    PX,
    SAY,
    assert_one_clear_error,
    both,
    later,
    placed,
)
from transformer_press import figures

ENTRIES = np.array([[f"{word}{j}" for j in range(4)] for word in "abc"])


def boxes(svg, style):
    """Return (left, top, width, height) in px of every path whose style matches."""
    found = []
    for path in re.findall(rf'd="([^"]*)"[^>]*style="[^"]*{style}', svg):
        x, y = np.array(re.findall(r"([\d.]+) ([\d.]+)", path), dtype=float).T / 0.75
        found.append([x.min(), y.min(), np.ptp(x), np.ptp(y)])
    return np.array(found)


def stages(svg):
    """Return the places of each entry, stage by stage, as they are drawn."""
    places = {}
    for x, y, text in placed(svg, PX):
        if text in ENTRIES:
            places.setdefault(text, []).append((x, y))
    assert set(places) == set(ENTRIES.flat)
    assert {len(found) for found in places.values()} == {3}
    return places


def read(places, stage):
    """Return the entries of a stage line by line, from left to right."""
    found = sorted(
        (round(spots[stage][1]), spots[stage][0], text)
        for text, spots in places.items()
    )
    return [text for *_, text in found]


def test_every_entry_is_drawn_at_each_stage_and_the_rows_stay_rows():
    for svg in both(figures.split_and_merge(ENTRIES, 2, **SAY)):
        places = stages(svg)
        assert read(places, 0) == read(places, 1) == ENTRIES.ravel().tolist()


def test_the_last_stage_reads_as_the_transposed_tensor():
    expected = ENTRIES.reshape(3, 2, 2).swapaxes(0, 1).ravel().tolist()
    for svg in both(figures.split_and_merge(ENTRIES, 2, **SAY)):
        assert read(stages(svg), 2) == expected


def test_the_shape_of_all_heads_stands_above_the_name_of_the_first():
    for svg in both(figures.split_and_merge(ENTRIES, 2, **SAY)):
        height = {text: y for _, y, text in placed(svg, PX)}
        assert (
            height["all heads"]
            < height["(2, 3, 2)"]
            < height["head 1"]
            < height["head 2"]
        )


def test_the_shapes_of_the_stages_are_written():
    for svg in both(
        figures.split_and_merge(np.arange(24.0).reshape(2, 12), 3, name="K", **SAY)
    ):
        shown = [text for *_, text in placed(svg, PX)]
        assert {"K", "(2, 12)", "(2, 3, 4)", "(3, 2, 4)", "head 1", "head 3"} <= set(
            shown
        )
        assert "head 4" not in shown


def test_the_first_head_is_filled_and_the_others_hatched():
    svg = figures.split_and_merge(ENTRIES, 2, role="v", **SAY).svg
    filled = boxes(svg, r"fill:var\(--tb-v[^\"]*opacity:0.3")
    hatched = boxes(svg, r"fill:url\(#")
    assert len(filled) == len(hatched) == 3 * 6
    middles = dict(stages(svg).items())
    for x, y, wide, tall in filled:
        inside = [
            t
            for t, spots in middles.items()
            for sx, sy in spots
            if x < sx < x + wide and y < sy < y + tall
        ]
        assert len(inside) == 1 and inside[0][1] in "01"


def test_the_mark_follows_one_entry():
    for svg in both(figures.split_and_merge(ENTRIES, 2, mark=(1, 2), **SAY)):
        marked = boxes(svg, r"[^\"]*stroke:var\(--tb-ink")
        spots = stages(svg)["b2"]
        assert len(marked) == 3
        for (x, y, wide, tall), (sx, sy) in zip(marked, spots, strict=True):
            assert x < sx < x + wide and y < sy < y + tall


def test_memory_is_drawn_address_by_address():
    strips = {
        "split": [("a", 1), ("b", 2), ("c", 1)],
        "copied": [("a", 1), ("c", 1), ("b", 2)],
    }
    for svg in both(figures.memory_strips(strips, **SAY)):
        shown = [text for *_, text in placed(svg, PX)]
        assert shown == ["split", *"a0b1c2", "copied", *"a0c1b2"]
        assert len(boxes(svg, r"fill:url\(#")) == 2


def test_long_memory_breaks_into_equal_lines():
    svg = figures.memory_strips({"m": [(f"word {k}", 1) for k in range(16)]}, **SAY).svg
    lines = {}
    for _, y, text in placed(svg, PX):
        if text.startswith("word"):
            lines.setdefault(round(y), []).append(text)
    assert [len(line) for line in lines.values()] == [8, 8]


WRONG = {
    "a batch": (
        later.split_and_merge(np.ones((2, 3, 4)), 2),
        r"entries: got shape \(2, 3, 4\), expected \(n, h \* d\)",
    ),
    "nan": (later.split_and_merge([[np.nan, 1]], 2), "entries: got nan at"),
    "h": (later.split_and_merge(ENTRIES, 3), "h: got 3 for 4 columns"),
    "no head": (later.split_and_merge(ENTRIES, 0), "h: got 0 for 4 columns"),
    "too many": (later.split_and_merge(np.ones((1, 8)), 8), "from 1 to 4"),
    "role": (later.split_and_merge(ENTRIES, 2, role="red"), "role: got 'red'"),
    "rows": (
        later.split_and_merge(ENTRIES, 2, row_labels=["a"]),
        "row_labels: got 1 labels",
    ),
    "mark": (later.split_and_merge(ENTRIES, 2, mark=(3, 0)), "mark row: got 3"),
    "no strip": (
        later.memory_strips({}),
        "entries_by_memory: got none, expected a dict",
    ),
    "no head given": (later.memory_strips({"m": ["ab", ()]}), "give both"),
    "strip head": (
        later.memory_strips({"m": [("a", 5)]}),
        "head: got 5, expected an integer from 1 to 4",
    ),
    "strip head, counted from 0": (
        later.memory_strips({"m": [("a", 0)]}),
        "head: got 0, expected an integer from 1 to 4",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_gets_one_clear_error(case):
    make, message = WRONG[case]
    assert_one_clear_error(make, message)
