"""A function that ``by_hand`` has, too, is called alike: by the same names and with the same defaults."""

import inspect

import pytest

from transformer_book import by_hand, nn

BOTH = sorted(
    name
    for name in {*by_hand.__all__} & {*nn.__all__}
    if inspect.isfunction(getattr(by_hand, name))
)
# How many rows and columns of the scores there are at a time: few enough to follow, or to be fast.
TILES = {"rows", "columns"}


def defaults(floor, name):
    parameters = inspect.signature(getattr(floor, name)).parameters.values()
    return {p.name: getattr(p.default, "__name__", p.default) for p in parameters}


@pytest.mark.parametrize("name", BOTH)
def test_a_function_of_both_floors_is_called_alike(name):
    expected, found = defaults(by_hand, name), defaults(nn, name)
    assert [each for each in found if each in expected] == list(expected)
    for each in expected.keys() - TILES:
        assert found[each] == expected[each], each


def test_the_functions_of_both_floors_are_found():
    wanted = {"softmax", "scaled_dot_product_attention", "rotate", "yarn_frequencies"}
    assert wanted <= {*BOTH}
