"""Each sentence has all its right translations, and no others; some neighbours are held out."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk import CFG
from nltk.parse import EarleyChartParser

from transformer_book.data import (
    DataError,
    grammar,
    grammar_pairs,
    held_out_neighbours,
    lexicon,
    rules,
    translations,
    word_tokens,
)

# Translated by hand: all that is right.
TRANSLATED = """\
The black cat sat on the couch and the brown dog slept on the rug.
    黑猫坐在沙发上，棕狗睡在地毯上。 黑猫在沙发上坐着，棕狗睡在地毯上。
    黑猫坐在沙发上，棕狗在地毯上睡觉。 黑猫在沙发上坐着，棕狗在地毯上睡觉。
The cat slept comfortably on the rug.
    猫舒服地睡在地毯上。 猫在地毯上舒服地睡觉。 猫舒服地在地毯上睡觉。
The cat rested comfortably on the rug yesterday.
    昨天猫在地毯上舒服地休息。 昨天猫舒服地在地毯上休息。 猫昨天在地毯上舒服地休息。
    猫昨天舒服地在地毯上休息。
Two dogs found three tables.
    两只狗找到了三张桌子。
A horse met a cow.
    一匹马遇见了一头牛。 一匹马碰见了一头牛。
An old pig sat under an umbrella.
    一头老猪坐在一把伞下面。 一头老猪坐在一把伞底下。 一头老猪在一把伞下面坐着。
    一头老猪在一把伞底下坐着。
The old horse saw the old boat.
    老马看见了旧船。 老马看到了旧船。
The cat on the rug found the dog behind the house.
    地毯上的猫找到了房子后面的狗。
The cat and the dog waited patiently in front of the garden.
    猫和狗在花园前面耐心地等待。 猫和狗耐心地在花园前面等待。
These happy small children danced in my garden.
    这些高兴的小孩子在我的花园里跳舞。 这些快乐的小孩子在我的花园里跳舞。
    这些快活的小孩子在我的花园里跳舞。
The child danced in the garden on Monday.
    星期一孩子在花园里跳舞。 星期一小孩在花园里跳舞。 周一孩子在花园里跳舞。 周一小孩在花园里跳舞。
    孩子星期一在花园里跳舞。 小孩星期一在花园里跳舞。 孩子周一在花园里跳舞。 小孩周一在花园里跳舞。
The boy helped the girl and the rabbit and the duck ate on four green chairs.
    男孩帮助了女孩，兔子和鸭子在四把绿椅子上吃东西。
The girl waited in the garden and she found the cat.
    女孩在花园里等待，她找到了猫。
The boy and the girl waited in the garden and they found the cat.
    男孩和女孩在花园里等待，他们找到了猫。
Two girls waited in the garden and they found the cat.
    两个女孩在花园里等待，她们找到了猫。
The cat and the dog waited in the garden and they found the girl.
    猫和狗在花园里等待，它们找到了女孩。
Two girls waited on two rugs and they were dry-cleaned.
    两个女孩在两块地毯上等待，它们被干洗了。
The cat waited on the rug and it was dry-cleaned yesterday.
    猫在地毯上等待，昨天它被干洗了。 猫在地毯上等待，它昨天被干洗了。
"""
TRANSLATIONS = [
    (english, " ".join(chinese.split()))
    for english, chinese in re.findall(r"^(\S.*)\n((?: .*\n)+)", TRANSLATED, re.M)
]
# The English half, once more, for a parser that we did not write. It knows no agreement, so it
# finds every reading that the package's grammar has, or more.
ENGLISH = """
S -> C '.' | C 'and' C '.' | C 'and' D '.'
C -> P | P TIME
P -> WHO ABOUT WHERE | WHO ABOUT ADVERB WHERE | WHO DEED WHOM
D -> Q | Q TIME
Q -> IT ABOUT WHERE | IT ABOUT ADVERB WHERE | IT DEED WHOM | IT CLEANED
WHO -> NP | NP WHERE | NP 'and' NP
WHOM -> NP | NP WHERE
WHERE -> PREPOSITION NP
NP -> WHICH NOUN | WHICH ADJECTIVE NOUN | WHICH MOOD NOUN | WHICH MOOD ADJECTIVE NOUN
"""


@pytest.fixture(scope="session")
def pairs():
    return grammar_pairs(16_000)


@pytest.fixture(scope="session")
def parser():
    entries = {
        "WHICH": lexicon.DETERMINERS,
        "NOUN": {*lexicon.NOUNS, *rules.SINGULAR_BY_PLURAL},
        "MOOD": lexicon.MOOD_ADJECTIVES,
        "ADJECTIVE": lexicon.ANIMAL_ADJECTIVES | lexicon.THING_ADJECTIVES,
        "PREPOSITION": lexicon.PREPOSITIONS,
        "ADVERB": lexicon.ADVERBS,
        "ABOUT": lexicon.POSTURE_VERBS | lexicon.ACTION_VERBS,
        "DEED": lexicon.TRANSITIVE_VERBS,
        "CLEANED": lexicon.DRY_CLEANING_VERBS,
        "TIME": lexicon.TIME_PHRASES,
        "IT": ["it", "he", "she", "they"],
    }
    written = [
        f"{name} -> " + " | ".join(" ".join(map(repr, each.split())) for each in words)
        for name, words in entries.items()
    ]
    # Without max_time it would give up after five seconds, on a machine with much else to do.
    return EarleyChartParser(
        CFG.fromstring(ENGLISH + "\n".join(written)), max_time=None
    )


def readings(parser, english):
    tokens = word_tokens(english[0].lower() + english[1:])
    return list(parser.parse(["a" if token == "an" else token for token in tokens]))


def all_said(chinese):
    """Write with every row of choices that ``say`` can be given.

    An option that is drawn more often stands there more than once, and is taken once.
    """
    written, scripts = set(), [[]]
    while scripts:
        script = scripts.pop()
        left = iter(script)

        def pick(options, script=script, left=left):
            choice = next(left, None)
            if choice is None:
                choice = 0
                more = (
                    i for i in range(1, len(options)) if options[i] not in options[:i]
                )
                scripts.extend([*script, other] for other in more)
                script.append(0)
            return options[choice]

        written.add(grammar.draw_translation(pick, chinese))
    return written


@pytest.mark.parametrize("english, chinese", TRANSLATIONS)
def test_the_grammar_translates_as_we_do(parser, english, chinese):
    assert len(readings(parser, english)) == 1
    assert set(translations(english)) == set(chinese.split())


def test_every_sentence_has_one_reading(parser, pairs):
    for english, _ in pairs[:300]:
        assert len(readings(parser, english)) == 1, english


def test_what_is_drawn_is_right(pairs):
    for english, chinese in pairs[:2_000]:
        found = translations(english)
        assert chinese in found, english
        assert sum(found.values()) == pytest.approx(1)
        assert list(found.values()) == sorted(found.values(), reverse=True)


@given(st.integers(0, 2**32))
def test_all_that_is_right_can_be_drawn(seed):
    english, chinese = rules.build_sentence(random.Random(seed).choice)
    few = len(grammar.translation_probabilities(chinese)) < 50
    if few and grammar.fits_limits(english):
        assert all_said(chinese) == set(translations(english)), english


def test_each_is_drawn_as_often_as_it_says():
    table, drawn, n = lexicon.TIME_PHRASES["on Sunday"], Counter(), 3_000
    chinese = rules.fill_sentence_pattern(
        "topic", who=("the child", lexicon.NOUNS["child"][2]), when=("", table)
    )[1]
    pick = random.Random(0).choice
    for _ in range(n):
        drawn[grammar.draw_translation(pick, chinese)] += 1
    found = grammar.translation_probabilities(chinese)
    assert found["周日孩子"] == pytest.approx(0.6 * 0.4 * 0.6)
    assert set(drawn) == set(found) and len(found) == 12
    for text, p in found.items():
        assert abs(drawn[text] / n - p) < 4 * (p * (1 - p) / n) ** 0.5, text


def test_a_phrase_has_at_most_one_de(parser, pairs):
    clumsy = {
        *lexicon.MOOD_ADJECTIVES,
        *(d for d, chinese in lexicon.DETERMINERS.items() if "的" in chinese),
    }
    counts = []
    for english, _ in pairs[:300]:
        (tree,) = readings(parser, english)
        for part in tree.subtrees(lambda part: part.label() in ("NP", "WHO", "WHOM")):
            located = part.label() != "NP" and part[-1].label() == "WHERE"
            if located or part.label() == "NP":
                counts.append(located + len(clumsy.intersection(part.leaves())))
    assert max(counts) == 1 and counts.count(1) > 100


@pytest.mark.parametrize(
    "english, named",
    [
        ("The purple dog slept on the rug.", "after 'the' it has 'purple'; .*'dog'"),
        ("The dog slept.", "after 'the dog slept' it has '.'; .*'in front of'"),
        ("The dog slept on the rug it.", "it has 'it'; expected one of: '.'"),
        ("", "it has '.'; expected one of: 'the'"),
        ("dog", "it has 'dog'; expected one of: 'the'"),
        ("An dog slept on the rug.", "but 'A dog slept on the rug.' is. Write it so"),
        ("The dog slept on the rug", "but 'The dog slept on the rug.' is"),
        (
            "The girl slept on the rug and it sang on the mat.",
            "'sang'; expected one of: 'was dry-cleaned'",
        ),
        ("The dog slept on the bed and they sang on the mat.", "it has 'they'"),
        ("The dog sat on the bed and a dog sat on a bed.", "no noun or time twice"),
        (3, "english is a int; expected a string"),
    ],
)
def test_what_is_no_sentence_of_the_grammar(english, named):
    with pytest.raises(DataError, match=named):
        translations(english)


def test_pairs_are_distinct_and_vary(pairs):
    assert len({english for english, _ in pairs}) == len(pairs) == 16_000
    lengths = [len(word_tokens(english)) for english, _ in pairs[:1000]]
    assert min(lengths) <= 7 and 18 <= max(lengths) <= grammar.MAX_WORDS
    assert any("，" in chinese for _, chinese in pairs) and any(
        "和" in c for _, c in pairs
    )


def test_the_same_seed_gives_the_same_pairs(pairs):
    state = random.getstate()
    assert grammar_pairs(100) == pairs[:100] != grammar_pairs(100, seed=1)
    assert random.getstate() == state


@pytest.mark.parametrize("n", [-1, 4, 2.0, "3"])
def test_no_more_pairs_are_drawn_than_there_surely_are(monkeypatch, n):
    monkeypatch.setattr(grammar, "MAX_PAIRS", 3)
    assert len(grammar_pairs(3)) == 3 and grammar_pairs(0) == []
    with pytest.raises(
        DataError, match=f"n is {n!r}; expected a whole number from 0 to 3. Give"
    ):
        grammar_pairs(n)


def test_no_noun_and_no_time_stands_twice(pairs):
    nouns = {*lexicon.NOUNS, *rules.SINGULAR_BY_PLURAL}
    for english, _ in pairs:
        named = [word for word in english[:-1].split() if word in nouns]
        assert len(named) == len(set(named)), english
        assert all(english.count(time) < 2 for time in lexicon.TIME_PHRASES), english


def test_every_noun_has_its_own_measure_word(pairs):
    measures = {measure for _, measure, _ in lexicon.NOUNS.values()}
    said = "".join(chinese for _, chinese in pairs)
    for noun, (_, measure, chinese) in lexicon.NOUNS.items():
        for count in "一两三四那":
            for word in [chinese] if isinstance(chinese, str) else chinese:
                seen = {other for other in measures if count + other + word in said}
                assert seen == {measure}, noun


def test_held_out_neighbours_are_found_in_one_and_in_many():
    assert held_out_neighbours("The brown dog slept quietly on the red rug.") == [
        ("brown", "dog"),
        ("slept", "quietly"),
    ]
    assert held_out_neighbours("Two brown dogs met three big foxes.") == [
        ("brown", "dog"),
        ("big", "fox"),
    ]
    assert held_out_neighbours("A brown small dog slept.") == []
    assert held_out_neighbours("The black cat sat on the couch.") == []


def test_every_row_of_the_held_out_holds_something_out(pairs):
    found = {pair for english, _ in pairs for pair in held_out_neighbours(english)}
    assert found == {
        (a, b)
        for a, row in grammar.HELD_OUT_NEIGHBOURS_BY_WORD.items()
        for b in row.split()
    }


@pytest.mark.parametrize("n", [-1, 1.5, "3", 1_000_001])
def test_a_wrong_number(n):
    with pytest.raises(DataError, match="expected a whole number from 0 to 1000000"):
        grammar_pairs(n)


def test_no_pairs():
    assert grammar_pairs(0) == []
