"""Marks stand where their texts stood, and come back as they were."""

import copy
import pickle
import random

import pytest

from transformer_book.data import DataError, placeholders
from transformer_book.data.placeholders import (
    PLACEHOLDER_MARKS,
    Placeholder,
    assign_marks,
    mark_sentence,
    missing_copies,
    restore_marked_text,
)
from transformer_book.data.spans import find_spans, plain_sentence
from transformer_book.data.tokens import word_tokens

KNOWN = frozenset(
    [
        "i",
        "am",
        "at",
        "it",
        "is",
        "is't",
        "the",
        "room",
        "said",
        "see",
        "and",
        "in",
        "was",
        "born",
    ]
)
PARTS = [
    "$",
    "€",
    ",",
    ".",
    ":",
    "-",
    "/",
    "%",
    "'s",
    "'t",
    "'",
    '"',
    "(",
    ")",
    "[",
    "]",
    ";",
    "!",
    "?",
    "@",
    "#",
    "+",
    "=",
    "_",
    "\\",
    "|",
    "…",
    "“",
    "”",
    "th",
    "st",
    "Jennifer",
    "O'Brien",
    "7:45",
    "1998",
    "1,000",
    "2.5",
    "23",
    "MP3",
    "x.com",
    "www.",
    "<n1>",
    "<eos>",
    "é",
    "漢",
    "😀",
    "a",
]


def test_marks_take_the_places_of_what_is_copied():
    words = mark_sentence("I am at $7.50 in 1998, said Jennifer at 7:45.", KNOWN)
    assert words == (
        [
            "I",
            "am",
            "at",
            "<n1>",
            "dollars",
            "in",
            "<y1>",
            ",",
            "said",
            "<w1>",
            "at",
            "<t1>",
            ".",
        ]
    )
    assert [one.text for one in words if isinstance(one, Placeholder)] == [
        "7.50",
        "1998",
        "Jennifer",
        "7:45",
    ]


@pytest.mark.parametrize(
    "text, words",
    [
        ("It was in room 312", "It was in room <n1>"),
        ('It was "Room 312".', "It was `` Room <n1> '' ."),
        ("The 13-year room is 5pm.", "The <n1> year room is <n2> pm ."),
        ("It is Jennifer's.", "It is <w1> 's ."),
        ("It was in 1998. It is in 1999.", "It was in <y1> . It is in <y2> ."),
        ("(7:45)", "( <t1> )"),
    ],
)
def test_a_mark_is_a_word_of_its_own(text, words):
    assert mark_sentence(text, KNOWN) == words.split()


def test_whatever_stands_around_it_no_mark_is_lost_and_none_is_made_up():
    draw = random.Random(0)
    for _ in range(3_000):
        joint = draw.choice(["", " "])
        text = joint.join(draw.choices(PARTS, k=draw.randint(1, 8)))
        marks = [
            mark for _, mark in assign_marks(find_spans(plain_sentence(text), KNOWN))
        ]
        words = mark_sentence(text, KNOWN)
        assert [w for w in words if isinstance(w, Placeholder)] == marks, text
        assert sum(word in PLACEHOLDER_MARKS for word in words) == len(marks), text


def test_a_sentence_without_is_cut_as_ever():
    text = "It isn't the room, is it?"
    assert mark_sentence(text, KNOWN) == word_tokens(text)


def test_what_is_too_many_stays():
    words = mark_sentence("1 2 3 4 5", KNOWN)
    assert words == ["<n1>", "<n2>", "<n3>", "<n4>", "5"]
    assert (
        len(PLACEHOLDER_MARKS)
        == len({*PLACEHOLDER_MARKS})
        == 5 * placeholders.MARKS_PER_KIND
    )


def test_what_was_copied_comes_back():
    source = mark_sentence("Jennifer Lopez said 12 and 7:45.", KNOWN)
    written = ["在", "<t1>", "<w1>", "说", "<n1>", "<n2>", "<n1>"]
    # A mark of no source stays; one that stands there twice is filled twice.
    assert (
        "".join(restore_marked_text(written, source))
        == "在7:45 Jennifer Lopez说12<n2>12"
    )
    assert restore_marked_text(["<n1>"], source) == ["1", "2"]
    assert restore_marked_text([Placeholder("<n1>", "四十"), "岁"]) == [
        "四",
        "十",
        "岁",
    ]
    assert missing_copies(written, source) == []
    assert missing_copies(["<w1>"], source) == ["12", "7:45"]


def test_a_placeholder_is_its_mark_and_keeps_its_text():
    one = Placeholder("<n1>", ["40"])
    assert one == "<n1>" and hash(one) == hash("<n1>") and one in {"<n1>": 1}
    for other in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert other == one and other.text == "40"


@pytest.mark.parametrize("sentence, said", [(" ", "empty"), (None, "is a NoneType")])
def test_no_sentence_is_one_error(sentence, said):
    with pytest.raises(DataError, match=said):
        mark_sentence(sentence, KNOWN)
