"""The dictionary is read whole, and of its senses the corpus chooses the one it means."""

import gzip

import pytest

from transformer_book.data import DataError
from transformer_lab.words import dictionary

HEAD = "# CC-CEDICT\n#! version=1\n#! date=2023-11-07T06:42:16Z\n"
BODY = """\
貓 猫 [mao1] /cat/CL:隻|只[zhi1]/(dialect) to hide oneself/
打 打 [da2] /dozen (loanword)/
打 打 [da3] /to beat; to strike/to play (a game)/surname Da/
網球 网球 [wang3 qiu2] /tennis/
球 球 [qiu2] /ball/
輛 辆 [liang4] /classifier for vehicles/
本 本 [ben3] /classifier for books/
犬 犬 [quan3] /dog that is kept as a watchdog/dog/
"""
PAIRS = [
    ("They are playing tennis.", "他们打网球。"),
    ("He played with Tom.", "他跟汤姆打。"),
    ("A cat beat Tom.", "貓"),
    ("A cat.", "猫ok球3"),
    ("Two cars.", "两辆"),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "cedict.txt"
    path.write_text(HEAD + BODY, "utf-8")
    return path


def test_both_kinds_of_characters_are_read_compressed_or_not(file, tmp_path):
    senses, date = dictionary.read_dictionary(file)
    assert date == "2023-11-07"
    assert (
        senses["猫"]
        == senses["貓"]
        == [
            "cat",
            "CL:隻|只[zhi1]",
            "(dialect) to hide oneself",
        ]
    )
    assert senses["打"][0] == "dozen (loanword)" and len(senses["打"]) == 4
    packed = tmp_path / "cedict.txt.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert dictionary.read_dictionary(packed) == (senses, date)


@pytest.mark.parametrize(
    "senses, short",
    [
        (["to speak (a language)", "CL:個|个[ge4]"], ["speak"]),
        (["dozen (loanword)", "to beat; to strike"], ["dozen", "beat", "strike"]),
        (["classifier for vehicles"], ["(measure)"]),
        (["surname Da", "old variant of 打", "see 打[da3]"], []),
        (["a word of too many letters", "what?", "to let sb do sth"], ["what"]),
    ],
)
def test_what_is_said_about_a_sense_is_left_out(senses, short):
    assert dictionary.short_senses(senses) == short


def test_the_corpus_chooses_and_what_it_never_meant_is_the_first(file):
    senses, _ = dictionary.read_dictionary(file)
    found = dictionary.choose_glosses(PAIRS, senses)
    assert found["打"] == "play"  # stands beside "playing" and "played"
    assert found["猫"] == found["貓"] == "cat"
    assert found["网球"] == "tennis" and found["球"] == "ball"
    assert found["辆"] == "(measure)" and found["汤姆"] == "Tom"
    assert found["他"] == "he" and "犬" not in found and "们" in found
    signs = ("。", "o", "k", "3")
    assert [found[sign] for sign in signs] == [""] * 4
    further = dictionary.choose_glosses(PAIRS, senses, ["本子打"])
    assert further == found | {"本": "(measure)"}
    (other,) = {dictionary.choose_glosses([("Bread.", "打。")], senses)["打"]}
    assert other == "dozen"


def test_no_gloss_is_longer_than_fits(file):
    senses, _ = dictionary.read_dictionary(file)
    found = dictionary.choose_glosses([("A dog.", "犬")], senses)
    assert found["犬"] == "dog"
    assert (
        max(map(len, dictionary.GLOSS_BY_WORD.values())) <= dictionary.MAX_GLOSS_LETTERS
    )


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is not CC-CEDICT: it has 0 entries and no date"),
        (BODY.encode(), "8 entries and no date|10 entries and no date"),
        (HEAD.encode(), "it has 0 entries and a date"),
        (b"\xff\xfe", "cannot be read .UnicodeDecodeError"),
        (None, "cannot be read .FileNotFoundError"),
    ],
)
def test_another_file_is_one_error(tmp_path, content, message):
    path = tmp_path / "other.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=f"other.txt.*{message}"):
        dictionary.read_dictionary(path)


def test_half_a_compressed_file_is_one_error(file, tmp_path):
    packed = tmp_path / "cedict.txt.gz"
    packed.write_bytes(gzip.compress(file.read_bytes())[:-20])
    with pytest.raises(DataError, match=r"cedict.txt.gz cannot be read \(EOFError"):
        dictionary.read_dictionary(packed)
