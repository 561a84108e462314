"""What arrives is counted as a reader would count it."""

import pytest
import sacrebleu

from transformer_book.data import marked_pairs
from transformer_book.data.parallel_corpus import ParallelCorpus
from transformer_lab.translations.copied_tokens import (
    count_standalone_occurrences,
    count_unforced_copies,
    score_copied_tokens,
)

KNOWN = frozenset(
    [
        "he",
        "has",
        "was",
        "in",
        "met",
        "at",
        "we",
        "three",
        "dogs",
        "paid",
        "it",
        "is",
        "the",
        "of",
    ]
)
PAIRS = [
    ("He has 40 dogs.", "他有40只狗。"),
    ("He was 17 in 1998.", "他一九九八年十七岁。"),
    ("We met Jennifer at 7:00.", "我们七点遇到了詹妮弗。"),
    ("He has three dogs.", "他有三只狗。"),
    ("He has ten dogs.", "他有几只狗。"),
    ("It is $10.", "不贵。"),
]


@pytest.fixture
def corpus():
    pairs = tuple(
        (tuple(words), tuple(tokens))
        for words, tokens in marked_pairs.held_out_pairs(PAIRS, KNOWN)
    )
    about = dict(
        name="", title="", terms="", source_language="en", target_language="zh"
    )
    return ParallelCorpus.from_pairs(pairs, pairs, pairs, known=KNOWN, **about)


def said(*texts):
    return [list(text) for text in texts]


def test_what_arrives_and_what_does_not(corpus):
    hypotheses = said(
        "他有40只狗。",
        "他1998年7岁。",  # 17 is not 7
        "我们7:00遇到了Jennifer。",
        "他有3只狗。",
        "他有三只狗。",
        "要100美元。",  # 100 is not 10
    )
    found = score_copied_tokens(corpus, corpus.test, hypotheses)
    assert found["numbers"] == {
        "total": 5,
        "arrived": 3,
        "references": {"digits": 1, "numerals": 3, "otherwise": 1},
    }
    assert found["names"] == {"total": 1, "arrived": 1}
    assert found["number_words"] == {"total": 2, "arrived": 1, "references": 1}
    assert found["with"]["sentences"] == 4 and found["without"]["sentences"] == 2
    chrf = sacrebleu.corpus_chrf(
        ["他有3只狗。", "他有三只狗。"], [["他有三只狗。", "他有几只狗。"]]
    )
    assert found["without"]["chrf"] == pytest.approx(chrf.score)


def test_right_translations_score_in_full(corpus):
    references = [corpus.join_tokens(target) for _, target in corpus.test]
    found = score_copied_tokens(corpus, corpus.test, references)
    for part in ("with", "without"):
        assert found[part]["bleu"] == pytest.approx(100)


@pytest.mark.parametrize(
    "text, token, n",
    [
        ("有40只", "40", 1),
        ("有400只", "40", 0),
        ("有1,40", "40", 0),
        ("4040 40，40", "40", 2),
        ("在7:45。", "7:45", 1),
        ("JenniferLopez说", "Jennifer Lopez", 1),
        ("Annabel", "Anna", 0),
    ],
)
def test_a_token_counts_where_it_stands_alone(text, token, n):
    assert count_standalone_occurrences(text, token) == n


def test_what_a_model_copies_of_itself_is_counted_apart(corpus):
    from transformer_book.train.translator import translator

    model = translator(
        corpus, seed=0, preset="tiny", d_model=16, d_ff=16, h=2, N=1
    ).eval()
    found = count_unforced_copies(model, corpus, corpus.test, 1, 0.0)
    assert found["numbers"]["total"] == 5 > found["numbers"]["arrived"]
    none = [pair for pair in corpus.test if "." not in pair[0]]
    assert count_unforced_copies(model, corpus, none, 1, 0.0)["numbers"] == {
        "total": 0,
        "arrived": 0,
    }
