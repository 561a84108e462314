"""One way to refuse: each message says what was given, what was expected and what to do."""

import re

import numpy as np
import pytest

from transformer_book.expect import expect, expect_integer, expect_number
from transformer_book.options import ConfigError


def test_what_is_right_raises_nothing():
    expect(True, ConfigError, "f", "n is 1", "1", "Ask.")
    expect_integer(ConfigError, "f", "n", np.int64(1), remedy="Ask.")
    expect_integer(ConfigError, "f", "n", 5, minimum=5, maximum=5, remedy="Ask.")
    half = np.float32(0.5)
    expect_number(ConfigError, "f", "x", half, lambda x: x < 1, "below 1", "Ask.")


def test_the_message_has_three_parts():
    with pytest.raises(ConfigError) as error:
        expect(False, ConfigError, "f", "n is 3", "a number that divides 8", "Ask.")
    assert str(error.value) == "f: n is 3; expected a number that divides 8. Ask."


@pytest.mark.parametrize("value", [0, 6, 2.0, True, "2", None, 2**64, float("nan")])
def test_a_whole_number_is_one_within_its_bounds(value):
    message = f"f: n is {value!r}; expected a length, a whole number from 1 to 5. Ask."
    with pytest.raises(ConfigError, match=re.escape(message)):
        expect_integer(
            ConfigError, "f", "n", value, "a length", maximum=5, remedy="Ask."
        )


def test_without_a_largest_only_the_least_is_named():
    with pytest.raises(ConfigError, match="expected a whole number of at least 0. Cut"):
        expect_integer(ConfigError, "f", "n", -1, minimum=0, remedy="Cut it.")


@pytest.mark.parametrize("value", [1, float("inf"), float("nan"), True, "0.5", 10**400])
def test_a_number_is_a_finite_one_that_is_right(value):
    expected = "a number below 1"
    with pytest.raises(ConfigError, match=f"f: x is .*; expected {expected}. Ask."):
        expect_number(ConfigError, "f", "x", value, lambda x: x < 1, expected, "Ask.")
