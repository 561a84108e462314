"""The picture of shared heads: as many heads of keys as are said, each read by its own group."""

import re

import pytest

from tests.press.figures.drawn import SAY, both, texts
from transformer_press import figures


@pytest.mark.parametrize(
    "g, name", [(4, "multi-head"), (2, "grouped-query"), (1, "multi-query")]
)
def test_there_are_as_many_keys_as_said_and_all_heads_of_queries(g, name):
    for svg in both(figures.shared_heads(4, [g], **SAY)):
        said = texts(svg)
        assert said.count("K") == said.count("V") == g
        assert sum(text.startswith("Q_") for text in said) == 4
        assert {name, f"g = {g}", f"kept: {g} K, {g} V"} <= {*said}


def test_each_head_of_queries_has_a_line_to_the_keys_of_its_group():
    svg = figures.shared_heads(4, [2], **SAY).svg.replace("\n", " ")
    lines = re.findall(r'd="M ([\d.]+) ([\d.]+) L ([\d.]+) ([\d.]+)\s*"', svg)
    ends = {round(float(a), 1): round(float(c), 1) for a, _, c, _ in lines}
    assert len(ends) == 4
    left, right = sorted({*ends.values()})
    order = [end for _, end in sorted(ends.items())]
    assert order == [left, left, right, right] and min(ends) < left < right < max(ends)


def test_what_is_not_kept_is_not_said_to_be_kept():
    for svg in both(figures.shared_heads(2, [2], latent=True, **SAY)):
        said = texts(svg)
        assert said.count("K") == 4 and said.count("c") == 1
        assert "kept: c" in said and "latent" in said


@pytest.mark.parametrize(
    "h, shares, said",
    [
        (0, [1], "h: got 0"),
        (7, [1], "h: got 7"),
        (True, [1], "h: got True"),
        (4, [3], "shares: got 3, expected whole numbers that divide h, which is 4"),
        (4, [4, 0], "shares: got 0"),
        (4, [], "shares: got none"),
    ],
)
def test_wrong_numbers_are_named(h, shares, said):
    with pytest.raises(ValueError, match=said):
        figures.shared_heads(h, shares, **SAY)
