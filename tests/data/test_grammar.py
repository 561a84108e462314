"""Each sentence has one translation, and it is the right one; some neighbours are held out."""

import random

import pytest
from nltk import CFG
from nltk.parse import EarleyChartParser

from transformer_book.data import (
    DataError,
    grammar,
    grammar_pairs,
    held_out,
    word_tokens,
)

# Translated by hand.
TRANSLATIONS = [
    (
        "The black cat sat on the couch and the brown dog slept on the rug.",
        "黑猫坐在沙发上，棕狗睡在地毯上。",
    ),
    ("The cat slept quietly on the rug.", "猫静静地睡在地毯上。"),
    ("The cat rested quietly on the rug yesterday.", "昨天猫在地毯上静静地休息。"),
    ("Two dogs found three tables.", "两只狗找到了三张桌子。"),
    ("A horse met a cow.", "一匹马遇见了一头牛。"),
    ("An old pig sat under an umbrella.", "一头老猪坐在一把伞下面。"),
    ("The old horse saw the old boat.", "老马看见了旧船。"),
    (
        "The cat on the rug saw the dog behind the house.",
        "地毯上的猫看见了房子后面的狗。",
    ),
    (
        "The cat and the dog waited patiently in front of the garden.",
        "猫和狗在花园前面耐心地等待。",
    ),
    (
        "These happy small children danced in my garden on Monday.",
        "星期一这些快乐的小孩子在我的花园里跳舞。",
    ),
    (
        "This fox hid behind that tree last night and our sheep ate on her bed this morning.",
        "昨晚这只狐狸躲在那棵树后面，今天早上我们的羊在她的床上吃东西。",
    ),
    (
        "The boy helped the girl and the rabbit and the duck lay on four green chairs.",
        "男孩帮助了女孩，兔子和鸭子躺在四把绿椅子上。",
    ),
]
# The English half, once more, for a parser that we did not write. It knows no agreement, so it
# finds every reading that the package's grammar has, or more.
ENGLISH = """
S -> C '.' | C 'and' C '.'
C -> P | P TIME
P -> WHO ABOUT WHERE | WHO ABOUT ADVERB WHERE | WHO DEED WHOM
WHO -> NP | NP WHERE | NP 'and' NP
WHOM -> NP | NP WHERE
WHERE -> PREPOSITION NP
NP -> WHICH NOUN | WHICH ADJECTIVE NOUN | WHICH MOOD NOUN | WHICH MOOD ADJECTIVE NOUN
"""


@pytest.fixture(scope="module")
def pairs():
    return grammar_pairs(16_000)


@pytest.fixture(scope="module")
def parser():
    lexicon = {
        "WHICH": grammar.DETERMINERS,
        "NOUN": {*grammar.NOUNS, *grammar.SINGULAR},
        "MOOD": grammar.MOODS,
        "ADJECTIVE": grammar.COATS | grammar.PAINTS,
        "PREPOSITION": grammar.PREPOSITIONS,
        "ADVERB": grammar.ADVERBS,
        "ABOUT": grammar.POSTURES | grammar.ACTIONS,
        "DEED": grammar.DEEDS,
        "TIME": grammar.TIMES,
    }
    rules = [
        f"{name} -> "
        + " | ".join(" ".join(map(repr, entry.split())) for entry in entries)
        for name, entries in lexicon.items()
    ]
    return EarleyChartParser(CFG.fromstring(ENGLISH + "\n".join(rules)))


def readings(parser, english):
    tokens = word_tokens(english[0].lower() + english[1:])
    return list(parser.parse(["a" if token == "an" else token for token in tokens]))


def script(tree):
    """The choices that lead to a sentence, in the grammar's order, read off its parse."""
    parts = [child for child in tree if not isinstance(child, str)]
    inside = {part.label(): part for part in parts}
    if tree.label() == "S":
        second = [True, *script(parts[1])] if len(parts) == 2 else [False]
        return [*script(parts[0]), *second]
    if tree.label() == "C":
        dated = [True, *maybe(inside, "TIME")] if "TIME" in inside else [False]
        return [*script(inside["P"]), *dated]
    if tree.label() == "P":
        verb = " ".join(tree[1].leaves())
        if "WHOM" in inside:
            return ["deed", *script(inside["WHO"]), verb, *script(inside["WHOM"])]
        form = "posture" if verb in grammar.POSTURES else "action"
        how = maybe(inside, "ADVERB")
        return [form, *script(inside["WHO"]), verb, *how, *script(inside["WHERE"])]
    if tree.label() in ("WHO", "WHOM"):
        phrases = [part for part in parts if part.label() == "NP"]
        located = [True, *script(inside["WHERE"])] if "WHERE" in inside else [False]
        first = script(phrases[0])
        if tree.label() == "WHOM":
            return [*first, *located]
        if len(phrases) == 2:
            return [*first, True, *script(phrases[1])[1:]]
        return [*first, False, *located]
    if tree.label() == "WHERE":
        return [" ".join(inside["PREPOSITION"].leaves()), *script(inside["NP"])]
    which, noun = inside["WHICH"][0], inside["NOUN"][0]
    noun = grammar.SINGULAR.get(noun, noun)
    feels = noun in grammar.BEINGS and not grammar.DETERMINERS[which].endswith("的")
    mood = maybe(inside, "MOOD") if feels else []
    return [which, noun, *mood, *maybe(inside, "ADJECTIVE")]


def maybe(inside, name):
    return [True, " ".join(inside[name].leaves())] if name in inside else [False]


def derive(choices):
    """Let the grammar make a sentence of these choices, all of which it must offer and use."""
    left = iter(choices)

    def pick(options):
        choice = next(left)
        assert choice in options, (choice, options)
        return choice

    made = grammar.sentence(pick)
    assert list(left) == []
    return made


@pytest.mark.parametrize("english, chinese", TRANSLATIONS)
def test_the_grammar_translates_as_we_do(parser, english, chinese):
    (tree,) = readings(parser, english)
    assert derive(script(tree)) == (english, chinese)
    assert grammar.fits(english)


def test_every_sentence_has_one_reading_and_so_one_translation(parser, pairs):
    for english, chinese in pairs[:300]:
        (tree,) = readings(parser, english)
        assert derive(script(tree)) == (english, chinese)


def test_a_phrase_has_at_most_one_的(parser, pairs):
    clumsy = {
        *grammar.MOODS,
        *(d for d, chinese in grammar.DETERMINERS.items() if "的" in chinese),
    }
    counts = []
    for english, _ in pairs[:300]:
        (tree,) = readings(parser, english)
        for part in tree.subtrees(lambda part: part.label() in ("NP", "WHO", "WHOM")):
            located = part.label() != "NP" and part[-1].label() == "WHERE"
            if located or part.label() == "NP":
                counts.append(located + len(clumsy.intersection(part.leaves())))
    assert max(counts) == 1 and counts.count(1) > 100


def test_pairs_are_distinct_and_vary(pairs):
    assert len({english for english, _ in pairs}) == len(pairs) == 16_000
    lengths = [len(word_tokens(english)) for english, _ in pairs[:1000]]
    assert min(lengths) <= 7 and 18 <= max(lengths) <= grammar.LONGEST
    assert any("，" in chinese for _, chinese in pairs) and any(
        "和" in c for _, c in pairs
    )


def test_the_same_seed_gives_the_same_pairs(pairs):
    state = random.getstate()
    assert grammar_pairs(100) == pairs[:100] != grammar_pairs(100, seed=1)
    assert random.getstate() == state


def test_no_noun_and_no_time_stands_twice(pairs):
    nouns = {*grammar.NOUNS, *grammar.SINGULAR}
    for english, _ in pairs:
        named = [word for word in english[:-1].split() if word in nouns]
        assert len(named) == len(set(named)), english
        assert all(english.count(time) < 2 for time in grammar.TIMES), english


def test_every_noun_has_its_own_measure_word(pairs):
    measures = {measure for _, measure, _ in grammar.NOUNS.values()}
    said = "".join(chinese for _, chinese in pairs)
    for noun, (_, measure, chinese) in grammar.NOUNS.items():
        for count in "一两三四那":
            seen = {other for other in measures if count + other + chinese in said}
            assert seen == {measure}, noun


def test_held_out_neighbours_are_found_in_one_and_in_many():
    assert held_out("The brown dog slept quietly on the red rug.") == [
        ("brown", "dog"),
        ("slept", "quietly"),
    ]
    assert held_out("Two brown dogs met three big foxes.") == [
        ("brown", "dog"),
        ("big", "fox"),
    ]
    assert held_out("A brown small dog slept.") == []
    assert held_out("The black cat sat on the couch.") == []


def test_every_row_of_the_held_out_holds_something_out(pairs):
    found = {pair for english, _ in pairs for pair in held_out(english)}
    assert found == {(a, b) for a, row in grammar.HELD_OUT.items() for b in row.split()}


@pytest.mark.parametrize("n", [-1, 1.5, "3", 1_000_001])
def test_a_wrong_number(n):
    with pytest.raises(DataError, match="expected a whole number from 0 to 1,000,000"):
        grammar_pairs(n)


def test_no_pairs():
    assert grammar_pairs(0) == []
