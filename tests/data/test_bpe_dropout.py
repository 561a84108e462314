"""BPE-dropout against its rule, done place by place, and against what its two ends must give."""

import random
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.data import real
from transformer_book.data import BPEDropout, DataError, Subwords
from transformer_book.data.bpe_dropout import _MergeSkips

LOWER = Subwords([("l", "o"), ("lo", "w"), ("e", "r</w>"), ("w", "e")])
WORDS = st.lists(st.text("abc@", min_size=1, max_size=9), min_size=1, max_size=8).map(
    lambda words: [word + "x" if word.endswith("@@") else word for word in words]
)


class Drawn:
    """Draws that are chosen: how many merges are kept until each that is skipped."""

    def __init__(self, p, kept):
        self.p, self.kept = p, iter(kept)

    def random(self):
        return 1 - (1 - self.p) ** (next(self.kept, 40) + 0.5)


def by_rule(word, merges, p, draw):
    """Algorithm 1 of Provilkov et al. (2020): a number for each place of each round."""
    symbols = [*word[:-1], f"{word[-1]}</w>"]
    while True:
        left = [
            (merges.index(pair), i)
            for i, pair in enumerate(pairwise(symbols))
            if pair in merges and draw.random() >= p
        ]
        if not left:
            return symbols
        oldest, joined = min(left)[0], []
        places, i = {i for age, i in left if age == oldest}, 0
        while i < len(symbols):
            two = i in places
            joined.append("".join(symbols[i : i + 1 + two]))
            i += 1 + two
        symbols = joined


@pytest.mark.parametrize(
    "kept, pieces",
    [
        ([], "low@@ er"),
        ([0], "low@@ er"),  # er goes first, then lo, for it is looked at anew
        ([0, 2], "l@@ o@@ w@@ er"),  # lo is skipped again once er is there
        ([0, 1], "lo@@ we@@ r"),  # lo and er are skipped: we goes first
        ([3], "low@@ er"),
        ([3, 2], "lo@@ w@@ er"),  # low is skipped before er is there, and after
        ([0, 0, 0], "l@@ o@@ w@@ e@@ r"),
    ],
)
def test_by_hand(kept, pieces):
    """The places of the first round are lo, we and er; if lo goes, then low, we and er."""
    draw = Drawn(0.5, kept)
    assert BPEDropout(LOWER, 0.5).cut(["lower"], draw) == [pieces.split()]


def test_of_three_equal_symbols_the_first_two_are_joined_unless_that_is_skipped():
    subwords = Subwords([("a", "a")])
    for kept, pieces in (([], "aa@@ a@@ b"), ([0, 0], "a@@ a@@ a@@ b")):
        draw = Drawn(0.5, kept)
        assert BPEDropout(subwords, 0.5).cut(["aaab"], draw) == [pieces.split()]
    draw = Drawn(0.5, [0])
    assert BPEDropout(subwords, 0.5).cut(["aaab"], draw) == [["a@@", "aa@@", "b"]]


@given(WORDS, st.integers(0, 30), st.integers(0, 9))
def test_without_dropout_it_is_byte_pair_encoding_and_with_1_characters(
    words, n_merges, seed
):
    subwords, draw = Subwords.learn(words * 2, n_merges), random.Random(seed)
    plain = BPEDropout(subwords, 0.0).cut(words, draw)
    assert plain == [subwords.cut([word]) for word in words]
    apart = BPEDropout(subwords, 1).cut(words, draw)
    assert apart == [[*(f"{c}@@" for c in word[:-1]), word[-1]] for word in words]
    half = BPEDropout(subwords, 0.5).cut(words, draw)
    assert [word for pieces in half for word in subwords.join(pieces)] == words


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("word", ["lower", "aaaa"])
def test_every_cut_is_as_frequent_as_by_the_rule(word, p):
    subwords = Subwords([*LOWER.merges, ("a", "a"), ("aa", "a</w>")])
    n, draw = 20_000, random.Random(0)
    ours = Counter(map(tuple, BPEDropout(subwords, p).cut([word] * n, draw)))
    theirs = Counter(
        tuple(subwords.spell_subwords(by_rule(word, [*subwords.merges], p, draw)))
        for _ in range(n)
    )
    assert len(ours) > 2
    for pieces in ours.keys() | theirs.keys():
        spread = (max(ours[pieces], theirs[pieces]) * 2) ** 0.5
        assert abs(ours[pieces] - theirs[pieces]) < 5 * spread, pieces


@pytest.mark.parametrize("p", [0.0, 0.1, 0.9, 1])
def test_merges_are_skipped_with_the_probability_each(p):
    skips, n, draw = _MergeSkips(p, random.Random(1)), 40_000, random.Random(2)
    skipped, passed, places = 0, 0, []
    while passed < n:
        some = draw.randint(0, 5)
        if draw.random() < 0.3 and skips.pass_if_none_skipped(some):
            passed += some
            continue
        found = skips.pass_and_list_skipped(some)
        assert found == sorted({*found} & {*range(some)})
        places += found
        skipped, passed = skipped + len(found), passed + some
    assert abs(skipped - p * passed) <= 5 * (p * (1 - p) * passed) ** 0.5
    assert p in (0, 1) or {*places} == {0, 1, 2, 3, 4}


def test_the_same_draws_give_the_same_cuts_and_each_word_has_its_own():
    dropout = BPEDropout(LOWER, 0.3)
    one, other, again = (
        dropout.cut(["lower"] * 50, random.Random(seed)) for seed in (1, 2, 1)
    )
    assert one == again != other
    assert len({*map(tuple, one)}) > 3
    fresh = BPEDropout(LOWER, 0.3).cut(["lower"] * 50, random.Random(1))
    assert fresh == one  # what it remembers changes nothing


def test_known_subwords_are_kept_to_and_a_word_where_that_fails_is_cut_as_ever():
    known = {"low@@", "l@@", "o@@", "w@@", "er", "e@@"}  # no lo@@, we@@, r
    cut = BPEDropout(LOWER, 0.5, known).cut(["lower"] * 400, random.Random(0))
    assert {*map(tuple, cut)} == {("low@@", "er"), ("l@@", "o@@", "w@@", "er")}
    assert BPEDropout(LOWER, 1, known).cut(["lower"], random.Random(0)) == [
        ["low@@", "er"]
    ]


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan"), "0.1", None, True])
def test_what_is_no_probability_is_an_error(p):
    with pytest.raises(DataError, match=f"p is {p!r}; expected a probability, from 0"):
        BPEDropout(LOWER, p)


@pytest.mark.parametrize("word", ["", "two words", "end@@", None])
def test_bad_words(word):
    with pytest.raises(DataError, match="expected one word"):
        BPEDropout(LOWER, 0.1).cut(["a", word], random.Random(0))


@real.needs("multi30k-en-de/code")
def test_the_published_corpus_is_cut_into_its_own_subwords():
    corpus = real.load("multi30k")
    known = {*corpus.source_vocabulary} - {*corpus.source_vocabulary.specials}
    words = [
        w
        for pair in corpus.train[:500]
        for side in pair
        for w in corpus.join_tokens(side)
    ]
    plain = BPEDropout(corpus.subwords, 0.0, known).cut(words, random.Random(0))
    tokens = [token for pair in corpus.train[:500] for side in pair for token in side]
    assert [piece for pieces in plain for piece in pieces] == tokens
    for p, longer in ((0.1, 1.2), (1.0, 3.0)):
        cut = BPEDropout(corpus.subwords, p, known).cut(words, random.Random(0))
        pieces = [piece for pieces in cut for piece in pieces]
        assert {*pieces} <= known and len(pieces) > longer * len(tokens)
        assert corpus.join_tokens(pieces) == words
