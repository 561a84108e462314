"""Numbers as they are written: in digits, in English words, in Chinese numerals."""

import re
from decimal import Decimal

from .errors import DataError

_WORDS_BELOW_TWENTY = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUE_BY_SCALE_WORD = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_VALUES_BY_WORD = {word: n for n, word in enumerate(_WORDS_BELOW_TWENTY)} | {
    word: 10 * n for n, word in enumerate(_TENS, start=2)
}
_ORDINAL_WORDS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
]
RANKS_BY_ORDINAL = {word: n for n, word in enumerate(_ORDINAL_WORDS)}
_NUMBER_WORD_PATTERN = "|".join((*_VALUES_BY_WORD, *_VALUE_BY_SCALE_WORD))
ENGLISH_NUMERAL_PATTERN = re.compile(
    rf"(?<![A-Za-z])(?:{_NUMBER_WORD_PATTERN})(?:[ -](?:{_NUMBER_WORD_PATTERN}))*(?![A-Za-z])",
    re.IGNORECASE,
)

_VALUE_BY_DIGIT = {sign: n for n, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
}
_VALUE_BY_UNIT = {"十": 10, "百": 100, "千": 1_000}
_VALUE_BY_MYRIAD = {"万": 10**4, "亿": 10**8}
CHINESE_NUMERAL_PATTERN = re.compile(
    f"[{''.join((*_VALUE_BY_DIGIT, *_VALUE_BY_UNIT, *_VALUE_BY_MYRIAD))}]+"
)
_NARROW_FORMS = str.maketrans("０１２３４５６７８９，．：％", "0123456789,.:%")


def narrow_digits(text):
    """Return a text with full-width digits, and the signs in numbers, as ASCII has them.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        As long as ``text``.
    """
    return text.translate(_NARROW_FORMS)


def digits_value(text):
    """Return the value of a number in digits: ``1,000`` is 1000.

    Parameters
    ----------
    text : str
        Such as ``"1,000"``, ``"2.5"`` or ``"-3"``.

    Returns
    -------
    Decimal or None
        None where commas do not part thousands or points are several: a list, a date.
    """
    if not re.fullmatch(r"-?\d+(,\d{3})*(\.\d+)?", text, re.ASCII):
        return None
    return Decimal(text.replace(",", ""))


def english_numeral_value(text):
    """Return the value of an English number word, or of several: ``three hundred``.

    Parameters
    ----------
    text : str
        As ``ENGLISH_NUMERAL_PATTERN`` matches it.

    Returns
    -------
    int or None
        None where the words are no one number, such as ``two three``.

    Raises
    ------
    DataError
        If a word is no number.
    """
    total = current = 0
    last = None
    for word in re.split("[ -]", text.lower()):
        if word in _VALUE_BY_SCALE_WORD:
            current = max(current, 1) * _VALUE_BY_SCALE_WORD[word]
            if _VALUE_BY_SCALE_WORD[word] > 100:
                total, current = total + current, 0
        elif word not in _VALUES_BY_WORD:
            raise DataError(
                f"english_numeral_value was given {text!r}; expected number words such as 'thirty-two'."
            )
        elif (last in _VALUES_BY_WORD) and not (
            last in _TENS and 0 < _VALUES_BY_WORD[word] < 10
        ):
            return None
        else:
            current += _VALUES_BY_WORD[word]
        last = word
    return total + current


def chinese_numeral_value(text):
    """Return the value of a Chinese numeral: ``十七`` is 17, ``一九四一`` 1941, ``八十万`` 800,000.

    Parameters
    ----------
    text : str
        As ``CHINESE_NUMERAL_PATTERN`` matches it.

    Returns
    -------
    int or None
        None where it is no one number, such as ``两三``: two or three.

    Raises
    ------
    DataError
        If a character is no numeral.
    """
    if not CHINESE_NUMERAL_PATTERN.fullmatch(text):
        raise DataError(
            f"chinese_numeral_value was given {text!r}; expected Chinese numerals such as '十七'."
        )
    if all(sign in _VALUE_BY_DIGIT for sign in text):
        if len(text) in (2, 3) or (len(text) > 1 and "两" in text):
            return (
                None  # two or three; only years and telephones are read digit by digit
            )
        return int("".join(str(_VALUE_BY_DIGIT[sign]) for sign in text))
    total = section = digit = 0
    fresh = True  # whether a digit may come
    for sign in text:
        if sign in _VALUE_BY_DIGIT:
            if not fresh:
                return None
            digit, fresh = _VALUE_BY_DIGIT[sign], sign in "零〇"
        elif sign in _VALUE_BY_UNIT:
            section += (digit or 1) * _VALUE_BY_UNIT[sign]
            digit, fresh = 0, True
        else:
            total = (total + section + digit or 1) * _VALUE_BY_MYRIAD[sign]
            section, digit, fresh = 0, 0, True
    return total + section + digit
