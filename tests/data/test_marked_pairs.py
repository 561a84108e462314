"""What training and test get: marks that mean the same on both sides."""

import pytest

from transformer_book.data import marked_pairs, placeholders
from transformer_book.data.counterparts import find_counterparts
from transformer_book.data.placeholders import PLACEHOLDER_MARKS, Placeholder
from transformer_book.data.spans import find_spans, plain_sentence

KNOWN = frozenset(
    [
        "i",
        "am",
        "he",
        "has",
        "was",
        "in",
        "he",
        "we",
        "met",
        "tom",
        "Tom",
        "Mary",
        "saw",
        "at",
        "of",
        "us",
        "years",
        "ago",
        "it",
    ]
)
PAIRS = [
    ("He has 40 CDs.", "他有四十张CD。"),
    ("He has three dogs.", "他有三只狗。"),
    ("Tom met Mary.", "汤姆遇见了玛丽。"),
    ("I was born.", "我出生了。"),
]


def marks(tokens):
    return [token for token in tokens if token in PLACEHOLDER_MARKS]


def test_training_has_each_pair_and_then_more_with_marks():
    pairs = [*marked_pairs.training_pairs(PAIRS, KNOWN)]
    own, more = pairs[: len(PAIRS)], pairs[len(PAIRS) :]
    assert own[0] == (
        ["He", "has", "<n1>", "CDs", "."],
        ["他", "有", "<n1>", "张", "C", "D", "。"],
    )
    assert [marks(english) for english, _ in own[1:]] == [[], [], []]
    for english, chinese in pairs:
        assert sorted(marks(english)) == sorted(marks(chinese))
    assert len(more) >= marked_pairs.COPIES_OF_A_PAIR + 1
    assert more == [
        *marked_pairs.extra_copying_pairs(PAIRS, KNOWN)
    ]  # the same each time


def test_number_words_ordinals_clocks_and_names_become_marks():
    text = "At ten o'clock the second of us saw Tom, three years ago."
    chinese = "三年前十点，第二个人看见了汤姆。"
    found = marked_pairs.aligned_word_spans(text, chinese)
    assert [(a.kind, a.text, b.text) for a, b in found] == [
        ("t", "10:00", "十点"),
        ("o", "2", "二"),
        ("w", "Tom", "汤姆"),
        ("n", "3", "三"),
    ]
    english, target = marked_pairs.mark_pair(text, chinese, found)
    assert " ".join(english) == "At <t1> the <o1> of us saw <w1> , <n1> years ago ."
    assert "".join(target) == "<n1>年前<t1>，第<o1>个人看见了<w1>。"
    assert "".join(placeholders.restore_marked_text(target)) == chinese


@pytest.mark.parametrize(
    "english, chinese",
    [
        ("I saw one dog.", "我看见一只狗。"),  # 一 is in too many words
        ("I saw three dogs.", "三个人有三只狗。"),
        ("Tom met Tom.", "汤姆遇见了汤姆。"),
        ("I saw two or three.", "我看见两三个。"),
    ],
)
def test_what_is_not_certain_stays(english, chinese):
    assert marked_pairs.aligned_word_spans(english, chinese) == []


def test_what_is_held_out_is_read_as_a_reader_s_sentence():
    pairs = [("I met Kelly in 1941.", "我在一九四一年遇到凯莉。"), *PAIRS]
    out = [*marked_pairs.held_out_pairs(pairs, KNOWN)]
    for (english, chinese), (words, tokens) in zip(pairs, out):
        assert words == placeholders.mark_sentence(english, KNOWN)
        assert "".join(placeholders.restore_marked_text(tokens)) == chinese
    words, tokens = out[0]
    # Kelly has no counterpart: the mark stands in the source alone.
    assert words == ["I", "met", "<w1>", "in", "<y1>", "."]
    assert "".join(tokens) == "我在<y1>年遇到凯莉。"


def test_drawn_numbers_are_the_same_on_both_sides():
    import random

    text = plain_sentence("He has 2 of 5 at 7:45.")
    chinese = "他7:45有5个里的2个。"
    pairs = find_counterparts(chinese, find_spans(text, KNOWN))
    seen = set()
    for seed in range(40):
        words, tokens = marked_pairs.mark_pair(
            text, chinese, pairs, random.Random(seed)
        )
        texts = {str(t): t.text for t in words if isinstance(t, Placeholder)}
        assert (
            "".join(placeholders.restore_marked_text(map(str, tokens), words))
            == chinese
        )
        seen |= texts.keys()
    numbers = range(1, placeholders.MARKS_PER_KIND + 1)
    assert seen == {f"<{kind}{i}>" for kind in "nt" for i in numbers}
