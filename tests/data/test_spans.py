"""What of a sentence is copied, and what is not."""

import pytest

from transformer_book.data.spans import find_spans, number_in_myriads, plain_sentence

KNOWN = frozenset(
    [
        "i",
        "paid",
        "for",
        "it",
        "on",
        "the",
        "at",
        "is",
        "in",
        "of",
        "please",
        "meet",
        "giraffe",
        "and",
        "like",
        "we",
        "love",
        "here",
        "us",
        "his",
        "this",
        "do",
        "not",
        "call",
        "visit",
        "mail",
        "to",
        "see",
        "saw",
        "Tom",
        "CD",
        "Mr",
        "Mrs",
        "was",
        "born",
        "lives",
        "room",
    ]
)


def found(text):
    return [(one.kind, one.text) for one in find_spans(plain_sentence(text), KNOWN)]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Please meet Jennifer at 7:45 in room 312.", "w Jennifer, t 7:45, n 312"),
        ("It is $40.", "n 40"),
        (
            "It is €1,234.56 or 20 %, -5 or 20 percent.",
            "n 1,234.56, n 20%, n -5, n 20%",
        ),
        ("In 1998, on the 3rd of May 2,000.", "y 1998, o 3, w May, n 2,000"),
        (
            "I paid 1998% on 24/12/2019 for 555-1234.",
            "n 1998%, n 24/12/2019, n 555-1234",
        ),
        ("His 13-year room", "n 13"),
        ("Call at 5pm.", "n 5"),
        ("It is 2.5 million.", "n 250万"),
        ("Visit https://a.org/b?c=1, www.x.com.", "w https://a.org/b?c=1, w www.x.com"),
        ("Mail me@x.org or see example.com/a.", "w me@x.org, w example.com/a"),
        ("MP3, COVID-19", "w MP3, w COVID-19"),
    ],
)
def test_numbers_times_names_and_addresses(text, expected):
    assert ", ".join(map(" ".join, found(text))) == expected


@pytest.mark.parametrize(
    "text, names",
    [
        ("I saw Tom and Jean-Paul O'Brien.", ["Jean-Paul O'Brien"]),
        ("Jennifer lives in Room.", ["Jennifer"]),  # room is known, in small letters
        ("Jennifer's room", ["Jennifer"]),
        ("Jennifer Lopez lives here.", ["Jennifer Lopez"]),
        (
            "Giraffes like us. Crocodiles like us.",
            [],
        ),  # the first word has its capital anyway
        (
            "I saw Giraffes and Crocodiles.",
            ["Crocodiles"],
        ),  # of a known word, and of none
        ("Don't call. Isn't it?", []),
        ("WE LOVE IT IN PARIS.", []),
        ("Mr. Smith lives in the U.S.", ["Smith"]),
        ("It is on CD.", []),
    ],
)
def test_a_name_is_what_has_a_capital_and_is_not_known(text, names):
    assert [text for kind, text in found(text) if kind == "w"] == names


def test_a_span_says_where_it_is():
    text = plain_sentence("  On the 3rd   it  is $40 .")
    assert text == "On the 3rd it is 40 dollars ."
    parts = [text[one.start : one.end] for one in find_spans(text, KNOWN)]
    assert parts == ["3rd", "40"]


def test_characters_of_no_text_are_replaced():
    assert plain_sentence("a \ue001 b") == "a \ufffd b"


@pytest.mark.parametrize(
    "text, expected",
    [
        ("2.5 million", "250万"),
        ("3 billion", "30亿"),
        ("600 million", "6亿"),
        ("1,200 thousand", "120万"),
        ("5 hundred", "500"),
        ("0.5 million", "50万"),
        ("1.2345678 million", "1.2345678 million"),
    ],
)
def test_large_numbers_are_counted_as_chinese_does(text, expected):
    assert number_in_myriads(text) == expected
