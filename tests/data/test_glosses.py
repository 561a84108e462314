"""Every Chinese word of the grammar has its English, in right translations and in wrong ones."""

import random
from collections import Counter

import pytest

from transformer_book.data import (
    DataError,
    gloss_words,
    grammar,
    grammar_glosses,
    grammar_pairs,
    lexicon,
    rules,
)
from transformer_book.data.glosses import cut_known_words


def test_a_translation_word_by_word():
    assert gloss_words("黑猫坐在沙发上，棕狗睡在地毯上。") == [
        ("黑", "black"),
        ("猫", "cat"),
        ("坐", "sat"),
        ("在", "at"),
        ("沙发", "couch"),
        ("上", "on"),
        ("，", ""),
        ("棕", "brown"),
        ("狗", "dog"),
        ("睡", "slept"),
        ("在", "at"),
        ("地毯", "rug"),
        ("上", "on"),
        ("。", ""),
    ]


@pytest.mark.parametrize(
    "chinese, english",
    [
        ("两只小孩子", "two (measure) small child"),
        ("三个快活的小孩", "three (measure) happy child"),
        ("地毯上的猫", "rug on (of) cat"),
        ("周日她们在船上静静地躺着", "on Sunday|they (she)|at|boat|on|quietly|lay"),
        ("昨晚它们被干洗了", "last night|they (it)|was dry-cleaned"),
        # Wrong: parts of words, and what the grammar has nowhere.
        ("沙地毯", "(couch) rug"),
        ("桌猫子", "(table) cat (thing)"),
        ("紫猫 ", "? cat ?"),
        ("", ""),
    ],
)
def test_right_and_wrong_texts_have_glosses(chinese, english):
    pieces = gloss_words(chinese)
    assert "".join(word for word, _ in pieces) == chinese
    given = [each for _, each in pieces]
    assert given == english.split("|") or " ".join(given) == english


def test_every_character_of_every_right_translation_has_a_gloss():
    seen, english = set(), set()
    draw = random.Random(0).choice
    for _ in range(5_000):
        said, chinese = rules.build_sentence(draw)
        english.update(grammar.sentence_words(said.lower()))
        seen |= characters_of(chinese)
    assert english >= {
        word.lower() for word in rules.SINGULAR_BY_PLURAL
    }  # none was missed
    assert all(gloss_words(one)[0][1] != "?" for one in seen)
    assert [one for one in seen if gloss_words(one)[0][1] == ""] in (
        ["，", "。"],
        ["。", "，"],
    )


def characters_of(chinese):
    if isinstance(chinese, str):
        return set(chinese)
    if isinstance(chinese, dict):
        return set().union(*map(characters_of, chinese))
    if isinstance(chinese, tuple):
        return set().union(*map(characters_of, chinese))
    return set().union(*(characters_of(way) for way, _ in chinese))


def test_the_glosses_of_a_translation_are_the_words_of_its_sentence():
    beside = {"at", "(of)", "(measure)", ""}
    for english, chinese in grammar_pairs(2_000):
        given = Counter(each for _, each in gloss_words(chinese) if each not in beside)
        text = f" {english[0].lower()}{english[1:-1]} ".replace(" an ", " a ")
        for several in grammar.UNITS_OF_SEVERAL_WORDS:
            text = text.replace(f" {several} ", f" {several.replace(' ', '_')} ")
        said = Counter()
        for word in text.split():
            word = rules.SINGULAR_BY_PLURAL.get(word, word).replace("_", " ")
            said[word.replace("were dry", "was dry")] += 1
        del said["the"]
        for word in list(given):
            if word.startswith("they ("):
                given["they"] += given.pop(word)
            if word == "small child":
                given["small"] += given[word]
                given["child"] += given.pop(word)
        said["and"] = given["and"]  # between clauses it is ，
        assert +given == +said, (english, chinese)


def test_words_of_the_lexicon_keep_their_gloss():
    known = grammar_glosses()
    for table in (lexicon.MOOD_ADJECTIVES, lexicon.ADVERBS, lexicon.TIME_PHRASES):
        for english, chinese in table.items():
            for word in [chinese] if isinstance(chinese, str) else chinese:
                assert known[word] == english


def test_no_string_is_an_error():
    with pytest.raises(DataError, match="a list; expected a string"):
        gloss_words(["黑", "猫"])


def test_another_table_of_words_may_be_given():
    known = {"黑猫": "panther", "坐": "sits", "。": ""}
    assert gloss_words("黑猫坐上。", known) == [
        ("黑猫", "panther"),
        ("坐", "sits"),
        ("上", "?"),
        ("。", ""),
    ]
    assert gloss_words("黑", {}) == [("黑", "?")]


def test_a_cut_takes_the_longest_word_that_it_looks_for():
    words = {"a", "ab", "abc", "b"}
    assert cut_known_words("abcabx", words, 3) == ["abc", "ab", "x"]
    assert cut_known_words("abcabx", words, 2) == ["ab", "c", "ab", "x"]
    assert cut_known_words("", words, 3) == []
