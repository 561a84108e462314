"""Blocks: each token in its place, the tables' numbers, and an edge that says who holds it."""

import re

import pytest

from tests.press.figures.drawn import SAY, assert_one_clear_error, later, texts
from transformer_press import figures

POOL = [["the", "cat"], ["sat", "on"], ["", ""], ["in", ""]]
TABLES = {"A": [0, 1], "B": [0, 3]}


def test_tables_come_first_then_the_blocks_with_their_tokens():
    said = " ".join(
        text for text in texts(figures.paged_blocks(POOL, TABLES, **SAY).svg) if text
    )
    assert said.endswith("A 0 1 B 0 3 0 the cat 1 sat on 2 3 in")


def test_a_shared_block_has_a_thick_edge_and_a_free_one_a_dashed():
    svg = figures.paged_blocks(POOL, TABLES, **SAY).svg
    alone = figures.paged_blocks(POOL, {"A": [0, 1], "B": [3]}, **SAY).svg
    thick = re.compile(r'stroke-width: ?3[;"]')  # 4 px in points
    assert len(thick.findall(svg)) == 1 and not thick.findall(alone)
    assert len(re.findall("stroke-dasharray", svg)) == 1


def test_a_phone_gets_fewer_blocks_in_a_row():
    pool = [["couch", "couch", "couch"]] * 6
    figure = figures.paged_blocks(pool, {"A": [0]}, **SAY)
    widths = [
        float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])
        for svg in (figure.svg, figure.narrow_svg)
    ]
    assert widths[1] < 400 < widths[0]


@pytest.mark.parametrize(
    "pool, tables, said",
    [
        ([], {}, r"pool: got blocks of \[\] tokens, expected one or more"),
        ([["a"], ["a", "b"]], {}, r"pool: got blocks of \[1, 2\] tokens"),
        ([[]], {}, r"pool: got blocks of \[0\] tokens"),
        (POOL, {"A": [4]}, r"tables\['A'\]: got 4, expected an integer from 0 to 3"),
    ],
)
def test_what_is_no_pool_is_one_clear_error(pool, tables, said):
    assert_one_clear_error(later.paged_blocks(pool, tables), said)
