"""One way to refuse: each message says what was given, what was expected and what to do."""

import re

import numpy as np
import pytest

from transformer_book.expect import expect, expect_number, expect_whole
from transformer_book.options import ConfigError


def test_what_is_right_raises_nothing():
    expect(True, ConfigError, "f", "n is 1", "1")
    expect_whole(ConfigError, "f", "n", np.int64(1))
    expect_whole(ConfigError, "f", "n", 5, least=5, most=5)
    expect_number(ConfigError, "f", "x", np.float32(0.5), lambda x: x < 1, "below 1")


def test_the_message_has_three_parts():
    with pytest.raises(ConfigError) as error:
        expect(False, ConfigError, "f", "n is 3", "a number that divides 8", "Ask.")
    assert str(error.value) == "f: n is 3; expected a number that divides 8. Ask."


@pytest.mark.parametrize("value", [0, 6, 2.0, True, "2", None, 2**64, float("nan")])
def test_a_whole_number_is_one_within_its_bounds(value):
    said = f"f: n is {value!r}; expected a length, a whole number from 1 to 5. Give"
    with pytest.raises(ConfigError, match=re.escape(said)):
        expect_whole(ConfigError, "f", "n", value, "a length", most=5)


def test_without_a_largest_only_the_least_is_named():
    with pytest.raises(ConfigError, match="expected a whole number of at least 0. Cut"):
        expect_whole(ConfigError, "f", "n", -1, least=0, remedy="Cut it.")


@pytest.mark.parametrize("value", [1, float("inf"), float("nan"), True, "0.5", 10**400])
def test_a_number_is_a_finite_one_that_is_right(value):
    with pytest.raises(
        ConfigError, match="f: x is .*; expected a number below 1. Give"
    ):
        expect_number(ConfigError, "f", "x", value, lambda x: x < 1, "a number below 1")
