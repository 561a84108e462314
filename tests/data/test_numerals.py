"""A number has one value, however it is written; what is no one number has none."""

from decimal import Decimal

import pytest

from transformer_book.data import DataError, numerals


@pytest.mark.parametrize(
    "text, value",
    [("1,000", 1000), ("2.5", Decimal("2.5")), ("-3", -3), ("007", 7)]
    + [(text, None) for text in ("1,00", "1.2.3", "555-1234", "7:45", "")],
)
def test_digits(text, value):
    assert numerals.digits_value(text) == value


@pytest.mark.parametrize(
    "text, value",
    [
        ("three", 3),
        ("Twenty-five", 25),
        ("thirteen hundred", 1300),
        ("two hundred ten", 210),
        ("hundred", 100),
        ("three million five hundred thousand", 3_500_000),
        ("two three", None),
        ("ten five", None),
        ("twenty ten", None),
    ],
)
def test_english_words(text, value):
    assert numerals.ENGLISH_NUMERAL_PATTERN.fullmatch(text)
    assert numerals.english_numeral_value(text) == value


def test_number_words_are_found_as_whole_words():
    text = "Someone ate ten of thirty-two often weighted stones."
    assert numerals.ENGLISH_NUMERAL_PATTERN.findall(text) == ["ten", "thirty-two"]


@pytest.mark.parametrize(
    "text, value",
    [
        ("三", 3),
        ("十七", 17),
        ("二十", 20),
        ("一百零五", 105),
        ("两千", 2000),
        ("八十万", 800_000),
        ("六亿", 600_000_000),
        ("一九四一", 1941),
        ("二〇一三", 2013),
        ("两三", None),
        ("三四", None),
        ("三四十", None),
    ],
)
def test_chinese_numerals(text, value):
    assert numerals.CHINESE_NUMERAL_PATTERN.fullmatch(text)
    assert numerals.chinese_numeral_value(text) == value


def test_full_width_signs_keep_their_places():
    assert numerals.narrow_digits("在２：３０，７％。") == "在2:30,7%。"


@pytest.mark.parametrize(
    "value, text",
    [(numerals.english_numeral_value, "many"), (numerals.chinese_numeral_value, "几")],
)
def test_other_words_are_refused(value, text):
    with pytest.raises(DataError, match=f"was given '{text}'; expected"):
        value(text)
