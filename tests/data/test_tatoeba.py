"""The split shares no sentence and does not move; a reader without the file is told what to do."""

import random
from collections import Counter

import pytest

from tests.data.real import FOLDER, load, needs
from transformer_book.data import (
    DataError,
    Subwords,
    load_parallel,
    tatoeba,
    word_tokens,
)
from transformer_book.data.placeholders import PLACEHOLDER_MARKS

# Sentences shared in both languages, in chains: s0-c0, s1-c0, s1-c1, s2-c1 are one group.
# Each digit is a word, so that training has every word of the test.
MADE_UP = [
    (
        f"Cat {' '.join(str(group))} sat on mat {i // 2}{'!' if i % 3 else '.'}",
        f"猫{group}坐在垫子{(i + 1) // 2}上。",
    )
    for group in range(600)
    for i in range(5)
]


def write(folder, content):
    path = folder / "tatoeba-en-zh" / "cmn.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def text(pairs):
    return "".join(
        f"{english}\t{chinese}\tCC-BY someone\n" for english, chinese in pairs
    )


def bare(sentence):
    return "".join(c for c in sentence.lower() if c.isalnum())


def check_parts(parts):
    """No part has a sentence of another, in either language, up to case and punctuation."""
    for side in (0, 1):
        sets = [{bare(pair[side]) for pair in part} for part in parts]
        assert sum(map(len, sets)) == len(set.union(*sets))
    for part in parts[1:]:
        sources = [bare(english) for english, _ in part]
        assert len(sources) == len(set(sources)) > 0


def test_the_parts_share_no_sentence():
    parts = tatoeba.split_pairs(MADE_UP)
    check_parts(parts)
    assert set().union(*parts) <= set(MADE_UP)
    # What is left out of training are other translations of sentences held out: all else is there.
    gone = {bare(english) for english, _ in parts[1] + parts[2]}
    for english, chinese in set(MADE_UP) - set(parts[0]):
        assert bare(english) in gone or (english, chinese) in set().union(*parts)


def test_a_sentence_of_another_case_or_punctuation_is_the_same():
    pairs = [(f"Stop {i}{mark}", f"停{i}{mark}") for i in range(300) for mark in ".!"]
    check_parts(tatoeba.split_pairs(pairs))
    # Signs alone are sentences too, each another one: they do not all go to one part.
    assert all(tatoeba.split_pairs([("?" * i, "？" * i) for i in range(1, 300)]))


def test_the_split_does_not_depend_on_the_order_of_the_file():
    mixed = random.Random(0).sample(MADE_UP, len(MADE_UP))
    assert tatoeba.split_pairs(mixed) == tatoeba.split_pairs(MADE_UP + MADE_UP[:50])


def test_new_sentences_move_no_old_one():
    old = tatoeba.split_pairs(MADE_UP)
    others = [(f"A dog {i}.", f"狗{i}。") for i in range(900)]
    # Further translations stay with what they translate, and do not take it along.
    others += [(f"The same as {english}", chinese) for english, chinese in MADE_UP]
    new = tatoeba.split_pairs(MADE_UP + others)
    for before, after in zip(old, new):
        assert set(before) <= set(after)
        assert [pair for pair in after if pair in set(before)] == before


def test_the_parts_are_about_as_large_as_said():
    pairs = [(f"Sentence {i}.", f"句{i}。") for i in range(10_000)]
    sizes = [len(part) for part in tatoeba.split_pairs(pairs)]
    assert sum(sizes) == 10_000
    for size in sizes[1:]:
        assert abs(size / 10_000 - tatoeba.HELD_OUT_SHARE) < 0.01


def test_the_corpus_of_a_file(cache):
    write(cache, text(MADE_UP))
    corpus = load_parallel("tatoeba")
    parts = [
        [tuple(map(" ".join, map(corpus.join_tokens, pair))) for pair in part]
        for part in (corpus.train, corpus.validation, corpus.test)
    ]
    expected = tatoeba.split_pairs(MADE_UP)
    wanted = [
        [
            (" ".join(word_tokens(english)), " ".join(chinese))
            for english, chinese in part
        ]
        for part in expected
    ]
    assert parts[0][: len(wanted[0])] == wanted[0] and parts[1:] == wanted[1:]
    assert {*parts[0]} == {*wanted[0]}  # behind them the same with other marks
    english, chinese = expected[2][0]
    ((source, target),) = corpus.ids(corpus.test[:1])
    tokens, _ = corpus.test[0]
    assert corpus.source_ids(english) == source
    assert corpus.source_tokens(english) == [*tokens]
    # What is copied is as the source has it, which here the translation has, too.
    assert corpus.target_words(target, tokens) == list(chinese)
    assert corpus.target_sentence(target, tokens) == chinese


def test_subwords_are_those_of_training_alone(cache):
    # Each sentence has a word that no other has.
    pairs = [
        (f"hut{'abcdefghij'[i % 10] * (i // 10 + 1)}", f"帽{i}") for i in range(700)
    ]
    write(cache, text(pairs))
    corpus = load_parallel("tatoeba")
    words = [word for source, _ in corpus.train for word in Subwords.join(source)]
    subwords = Subwords.learn(words, tatoeba.MERGE_COUNT)
    assert corpus.subwords.merges == subwords.merges
    _, *held_out = tatoeba.split_pairs(pairs)
    for part, expected in zip((corpus.validation, corpus.test), held_out, strict=True):
        kept, free = (
            [tuple(subwords.cut([english], known)) for english, _ in expected]
            for known in (corpus.source_vocabulary, None)
        )
        assert [source for source, _ in part] == kept != free


def test_a_reader_without_the_file_is_told_what_to_do(cache):
    with pytest.raises(DataError) as caught:
        load_parallel("tatoeba")
    said = str(caught.value)
    assert "Download cmn-eng.zip from manythings.org/anki and unpack it" in said
    assert f"put its cmn.txt at {cache / 'tatoeba-en-zh' / 'cmn.txt'}" in said
    assert (
        "or at tatoeba-en-zh/cmn.txt in a folder of your own that TRANSFORMER_BOOK_DATA"
        in said
    )
    assert "/" not in caught.value.reason


@pytest.mark.parametrize(
    "line, said",
    [
        (
            "Hi.",
            "line 2 has 1 column; expected an English sentence, a tab and a .* begins 'Hi.'",
        ),
        ("", "line 2 has 1 column"),
        ("Hi.\t", "line 2 is empty; expected a sentence"),
        ("\t嗨。\tCC-BY", "line 2 is empty; expected a sentence"),
        ("Hi.\t" + "嗨 " * 5_000, "line 2 has 5,000 tokens"),
        ("Hi.\t嗨。".encode("gb18030"), "line 2 is not UTF-8"),
    ],
)
def test_a_line_that_is_no_pair(cache, line, said):
    line = line if isinstance(line, bytes) else line.encode()
    path = write(cache, text(MADE_UP[:1]).encode() + line + b"\n")
    with pytest.raises(DataError, match=said) as caught:
        load_parallel("tatoeba")
    assert str(path) in str(caught.value)


def test_two_columns_are_enough(tmp_path):
    path = write(tmp_path, "Hi.\t嗨。\r\nStop!\t“停”\u3000\u2028“好”\tCC-BY\n")
    assert tatoeba.read_pairs(path) == [("Hi.", "嗨。"), ("Stop!", "“停” “好”")]


@needs("tatoeba-en-zh/cmn.txt")
def test_the_real_file():
    corpus = load("tatoeba")
    parts = tatoeba.split_pairs(
        tatoeba.read_pairs(FOLDER / "tatoeba-en-zh" / "cmn.txt")
    )
    check_parts(parts)
    for pairs, part in zip(parts, (corpus.train, corpus.validation, corpus.test)):
        for (_, chinese), (_, target) in zip(pairs, part):
            assert corpus.join_tokens(target) == list("".join(chinese.split()))
    # What no test sentence is without, and training has often enough.
    read = Counter(token for source, _ in corpus.train for token in source)
    written = Counter(token for _, target in corpus.train for token in target)
    assert all(read[mark] == written[mark] >= 5 for mark in PLACEHOLDER_MARKS)
    for part in parts[1:]:
        assert 800 < len(part) < 1_200
    assert len(parts[0]) > 20 * len(parts[2])


SAID = "CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM) & #22 (Martha)"


def test_who_wrote_a_pair_is_read_and_of_two_the_first(tmp_path):
    other = SAID.replace("#1 (CM)", "#3 (CK)")
    lines = ["Hi.\t嗨。\t" + SAID, " Hi. \t嗨。\t" + other, "Run.\t跑。\t" + other]
    path = write(tmp_path, "\n".join(lines))
    assert tatoeba.read_attributions(path) == {
        ("Hi.", "嗨。"): "#1 (CM) & #22 (Martha)",
        ("Run.", "跑。"): "#3 (CK) & #22 (Martha)",
    }
    assert tatoeba.read_attributions(path).keys() == set(tatoeba.read_pairs(path))


@pytest.mark.parametrize("third", ["", "\t", "\tCC-BY someone"])
def test_a_pair_that_nobody_signed_is_refused_with_its_line(tmp_path, third):
    path = write(tmp_path, f"Hi.\t嗨。\t{SAID}\nRun.\t跑。{third}\n")
    with pytest.raises(DataError, match=r"line 2 does not say who wrote it.*cmn\.txt"):
        tatoeba.read_attributions(path)


@needs("tatoeba-en-zh/cmn.txt")
def test_every_real_pair_is_signed():
    path = FOLDER / "tatoeba-en-zh" / "cmn.txt"
    found = tatoeba.read_attributions(path)
    assert found.keys() == set(tatoeba.read_pairs(path))
    assert all(text.count("#") == 2 == text.count("(") for text in found.values())
    english, chinese, told = path.read_text("utf-8").partition("\n")[0].split("\t")
    assert told.endswith(f"tatoeba.org {found[english, chinese]}")
