"""Scores of translations, against sacreBLEU and against an example worked by hand."""

import math

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from transformer_lab.translations.scores import (
    Bleu,
    ScoreError,
    bleu,
    ngrams,
    sacrebleu_scores,
)

words = st.lists(st.sampled_from(["a", "b", "c", "die", "."]), max_size=12)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=6)


def cut(text):
    return text.split()


def reference(hypotheses, references, n=4):
    metric = sacrebleu.BLEU(
        tokenize="none", smooth_method="none", force=True, max_ngram_order=n
    )
    found = metric.corpus_score(
        [" ".join(words) for words in hypotheses],
        [[" ".join(words) for words in references]],
    )
    return Bleu(
        found.score, tuple(found.precisions), found.bp, found.sys_len, found.ref_len
    )


def check_same(hypotheses, references, n=4):
    ours, theirs = bleu(hypotheses, references, n), reference(hypotheses, references, n)
    for name, value in vars(theirs).items():
        assert getattr(ours, name) == pytest.approx(value, rel=1e-12, abs=1e-12), name
    return ours


@given(corpora)
def test_it_is_sacrebleu_s_without_smoothing_and_cutting(pairs):
    check_same(*zip(*pairs))


@given(corpora, st.integers(1, 6))
def test_it_is_so_for_n_grams_of_any_length(pairs, n):
    check_same(*zip(*pairs), n)


CAT = cut("the black cat sat on the couch and the brown dog slept on the rug .")
DOG = cut("a dog slept on the big rug today .")


@pytest.mark.parametrize(
    "hypotheses, references, expected",
    [
        ([CAT, DOG], [CAT, DOG], 100.0),
        ([CAT[:9], DOG], [CAT, DOG], "shorter"),
        ([CAT + DOG, DOG], [CAT, DOG], "longer"),
        ([CAT[::-1], DOG], [CAT, DOG], "worse"),
        ([[], DOG], [CAT, DOG], "shorter"),
        ([["nothing", "of", "that", "is", "there"]], [CAT], 0.0),
        ([CAT[::-1]], [CAT], 0.0),  # words, but no run of four
        ([DOG[:3]], [DOG], 0.0),  # no run of four can be
        ([[]], [CAT], 0.0),
    ],
)
def test_fixed_texts(hypotheses, references, expected):
    found = check_same(hypotheses, references)
    if isinstance(expected, float):
        assert found.score == pytest.approx(expected)
    else:
        assert 0 < found.score < 100
        assert (found.brevity_penalty < 1) == (expected == "shorter")


def test_an_example_worked_by_hand():
    hypothesis, reference = cut("the the the cat sat"), cut("the cat sat on the rug")
    # "the" counts twice at most: 4 of 5 words; of 4 pairs "the cat" and "cat sat".
    found = bleu([hypothesis], [reference], n=2)
    assert found.precisions == pytest.approx((80.0, 50.0))
    assert found.brevity_penalty == pytest.approx(math.exp(1 - 6 / 5))
    assert found.score == pytest.approx(100 * math.exp(-0.2) * math.sqrt(0.8 * 0.5))
    assert str(found) == "BLEU 51.78 (80.0/50.0, BP 0.819)"


def test_counts_are_those_of_the_corpus_not_the_mean_of_sentences():
    hypotheses, references = [CAT, DOG[::-1]], [CAT, DOG]
    alone = [bleu([h], [r]).score for h, r in zip(hypotheses, references)]
    assert bleu(hypotheses, references).score != pytest.approx(sum(alone) / 2)


def test_n_grams_are_counted():
    assert ngrams(cut("a b a b"), 2) == {("a", "b"): 2, ("b", "a"): 1}
    assert not ngrams(["a"], 2)


@pytest.mark.parametrize("score", [bleu, sacrebleu_scores])
@pytest.mark.parametrize(
    "hypotheses, references, message",
    [
        ([], [], "0 hypotheses and 0 references; expected one reference for each"),
        ([["a"]], [], "1 hypotheses and 0 references; expected one reference for each"),
        ("a b", "a c", "'a b' is one string; expected a list"),
    ],
)
def test_what_cannot_be_scored_is_named(score, hypotheses, references, message):
    with pytest.raises(ScoreError, match=f"^{score.__name__}: .*{message}"):
        score(hypotheses, references)


def test_of_a_long_text_the_error_shows_the_beginning():
    # With its quotes, the first has 60 characters.
    for text, shown in (
        ("x" * 58, f"'{'x' * 58}' is"),
        ("x" * 59, f"'{'x' * 59}... is"),
    ):
        with pytest.raises(ScoreError) as caught:
            bleu(text, [["a"]])
        assert shown in str(caught.value)


def test_a_sentence_must_be_of_the_kind_that_is_scored():
    for pair in (["a b"], [["a"]]), ([["a"]], ["a b"]):
        with pytest.raises(
            ScoreError, match="'a b' is a string, whose letters .* list of words"
        ):
            bleu(*pair)
    with pytest.raises(
        ScoreError, match=r"\['a'\] is no string; expected plain sentences"
    ):
        sacrebleu_scores([["a"]], ["a"])
    with pytest.raises(
        ScoreError, match="n is 0; expected a whole number of at least 1"
    ):
        bleu([["a"]], [["a"]], n=0)


SENTENCES = {
    "de": (
        ["Ein Hund schläft, tief!", "Zwei Hunde."],
        ["Ein Hund schläft fest.", "Zwei Hunde."],
    ),
    "zh": (["黑猫坐在沙发上。", "狗睡了。"], ["黑猫坐在地毯上。", "狗睡了。"]),
}


@pytest.mark.parametrize("language, tokenize", [("de", "13a"), ("zh", "zh")])
def test_sacrebleu_is_asked_for_the_language(language, tokenize):
    hypotheses, references = SENTENCES[language]
    found = sacrebleu_scores(hypotheses, references, language)
    expected = sacrebleu.corpus_bleu(hypotheses, [references], tokenize=tokenize)
    assert 0 < found["bleu"]["score"] == expected.score < 100
    assert (
        found["chrf"]["score"] == sacrebleu.corpus_chrf(hypotheses, [references]).score
    )
    assert f"tok:{tokenize}" in found["bleu"]["signature"]
    for metric in found.values():
        assert f"version:{sacrebleu.__version__}" in metric["signature"]
