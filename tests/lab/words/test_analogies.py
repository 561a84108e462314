"""Analogy questions, counted as gensim counts them."""

import math

import pytest

from tests.lab.words.key_vectors import key_vectors
from transformer_book import data
from transformer_lab.words.analogies import analogy_accuracy
from transformer_lab.words.word_vectors import train_word_vectors


def test_analogies_are_counted_as_gensim_counts_them():
    from gensim.test.utils import datapath

    sample = data.load("wikipedia-sample")
    wv = train_word_vectors(sample, sg=1, epochs=5, vector_size=48, min_count=20)
    accuracy, sections = analogy_accuracy(wv)
    theirs, their_sections = wv.evaluate_word_analogies(datapath("questions-words.txt"))
    assert accuracy == pytest.approx(theirs)
    for section in their_sections[:-1]:  # the last one is the sum of all
        ours = sections[section["section"]]
        assert ours["correct"] == len(section["correct"])
        assert ours["answerable"] == len(section["correct"]) + len(section["incorrect"])
    assert sum(section["answerable"] for section in sections.values()) > 500
    assert sum(section["correct"] for section in sections.values()) > 0
    assert sum(section["asked"] for section in sections.values()) == 19_544


def test_analogies_ignore_case_and_leave_out_the_unknown(tmp_path):
    wv = key_vectors(
        {
            "King": [1, 1, 0, 0.1],
            "man": [1, 0, 0, 0],
            "woman": [0, 0, 1, 0.2],
            "Queen": [0, 1, 1, 0],
            "KING": [0, 1, 1, 0.1],
            "rug": [0.1, 0, 0, 1],
        }
    )
    questions = tmp_path / "questions.txt"
    questions.write_text(
        ": family\nman king woman queen\nman king woman emperor\n", "utf-8"
    )
    accuracy, sections = analogy_accuracy(wv, questions)
    # "KING" lies nearer than "Queen", but it is one of the words asked about.
    assert (accuracy, sections) == (
        1.0,
        {"family": {"correct": 1, "answerable": 1, "asked": 2}},
    )
    assert wv.evaluate_word_analogies(str(questions))[0] == 1.0


@pytest.mark.parametrize(
    "asked", ["near1 near2 near3 far", "near2 near1 near3 far", "near3 near2 near1 far"]
)
def test_a_word_of_the_question_is_no_answer(asked, tmp_path):
    wv = key_vectors(
        {
            "near1": [1, 0.1, 0],
            "near2": [1, 0, 0.1],
            "near3": [1, 0.05, 0.1],
            "far": [0.2, 1, 1],
            "opposite": [-1, 0, 0],
        }
    )
    questions = tmp_path / "questions.txt"
    questions.write_text(f": words\n{asked}\n", "utf-8")
    assert analogy_accuracy(wv, questions)[0] == 1.0


def test_no_answerable_question_is_no_accuracy(tmp_path):
    questions = tmp_path / "questions.txt"
    questions.write_text(": family\nman king woman queen\n", "utf-8")
    accuracy, sections = analogy_accuracy(key_vectors({"rug": [1, 0]}), questions)
    assert math.isnan(accuracy)
    assert sections["family"] == {"correct": 0, "answerable": 0, "asked": 1}


@pytest.mark.parametrize("text", ["a b c d\n", ": s\na b c\n"])
def test_a_file_that_holds_no_questions(text, tmp_path):
    questions = tmp_path / "questions.txt"
    questions.write_text(text, "utf-8")
    with pytest.raises(
        ValueError, match="Line . of questions.txt is 'a b c.*expected four words"
    ):
        analogy_accuracy(key_vectors({"rug": [1, 0]}), questions)
