"""The same number, time or word is found on both sides, and what is not certain is left out."""

import pytest

from transformer_book.data.counterparts import find_counterparts, numbers_in_chinese
from transformer_book.data.spans import find_spans, plain_sentence


def aligned(english, chinese):
    text = plain_sentence(english)
    pairs = find_counterparts(chinese, find_spans(text, frozenset({"i", "tom", "Tom"})))
    return [(ours.text, chinese[theirs.start : theirs.end]) for ours, theirs in pairs]


@pytest.mark.parametrize(
    "english, chinese, pairs",
    [
        ("It was 1,000 yen.", "是1000日元。", [("1,000", "1000")]),
        ("It was 10,000 yen.", "是1万日元。", [("10,000", "1万")]),
        ("I was 17.", "十七岁。", [("17", "十七")]),
        ("I was 40.", "四十多岁", [("40", "四十")]),
        ("in 1941", "一九四一年", [("1941", "一九四一")]),
        ("at 7:45", "七点四十五分", [("7:45", "七点四十五分")]),
        ("at 2:30", "在２：３０", [("2:30", "２：３０")]),
        ("at 2:30", "两点半", [("2:30", "两点半")]),
        ("at 7:00", "七点钟", [("7:00", "七点钟")]),
        ("at 10 o'clock", "十点", [("10", "十")]),
        ("by 7%", "７％", [("7%", "７％")]),
        ("by 50 percent", "百分之五十", [("50%", "百分之五十")]),
        ("in 2 of 5", "5个里的2个", [("2", "2"), ("5", "5")]),
        ("Use MP3.", "用MP3。", [("MP3", "MP3")]),
        ("600 million", "六亿", [("6亿", "六亿")]),
    ],
)
def test_the_same_written_in_another_way(english, chinese, pairs):
    assert aligned(english, chinese) == pairs


@pytest.mark.parametrize(
    "english, chinese",
    [
        ("I was 17.", "十八岁。"),
        ("10 October, 1972", "十月十日"),  # two tens
        ("2 and 2", "2"),  # two twos
        ("at 11:00 p.m.", "23点"),
        ("10%", "10"),
        ("It took 30 minutes.", "半小时。"),
        ("I know Jennifer.", "我认识詹妮弗。"),
    ],
)
def test_what_is_not_there_or_not_certain_has_none(english, chinese):
    assert aligned(english, chinese) == []


def test_the_numbers_of_a_chinese_sentence():
    assert numbers_in_chinese("他给了我1,000元、三本书和百分之五。") == [1000, 3, 5]
