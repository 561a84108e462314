"""Analogy questions: what word vectors know about pairs of words."""

import math
from collections import defaultdict
from pathlib import Path

import numpy as np

QUESTIONS_AT_ONCE = 512  # their scores for 100,000 words are 200 MB


def analogy_accuracy(
    wv, questions_path=None
) -> tuple[float, dict[str, dict[str, int]]]:
    """Answer "a is to b as c is to ?" and count the right answers.

    The answer is the word, other than a, b and c, whose vector has the largest cosine with
    b - a + c, each of length 1 (Mikolov, Yih and Zweig, 2013). Upper and lower case are
    the same. A question with a word that has no vector cannot be answered and is left out.

    Parameters
    ----------
    wv : gensim.models.KeyedVectors
    questions_path : path, optional
        A file of questions; by default ``questions-words.txt``, which gensim bundles.

    Returns
    -------
    accuracy : float
        Right answers among the answerable questions, from 0 to 1; nan if there are none.
    sections : dict of str to dict
        For each section of the file: ``correct``, ``answerable`` and ``asked``, as counts.

    Raises
    ------
    ValueError
        If the file has a line that is neither a section nor four words.
    """
    questions_of_section = _read_questions(questions_path)
    first_id = {}
    for i, word in enumerate(wv.index_to_key):
        first_id.setdefault(
            word.upper(), i
        )  # the most frequent spelling stands for the others
    unit = wv.get_normed_vectors()
    first_spelling = np.array([first_id[word.upper()] for word in wv.index_to_key])
    spellings = defaultdict(list)
    for i, first in enumerate(first_spelling):
        spellings[first].append(i)
    sections = {}
    for name, lines in questions_of_section.items():
        ids = [
            [first_id[w] for w in words]
            for words in lines
            if all(w in first_id for w in words)
        ]
        correct = (
            _count_correct(np.array(ids), unit, first_spelling, spellings) if ids else 0
        )
        sections[name] = {
            "correct": correct,
            "answerable": len(ids),
            "asked": len(lines),
        }
    answerable = sum(section["answerable"] for section in sections.values())
    correct = sum(section["correct"] for section in sections.values())
    return correct / answerable if answerable else math.nan, sections


def _count_correct(
    question_ids: np.ndarray,
    unit_vectors: np.ndarray,
    first_spelling_ids: np.ndarray,
    spellings_by_first_id: dict[int, list[int]],
) -> int:
    # A section asks about few words, many times each: the cosines of each are computed once.
    asked_words, cosine_rows = np.unique(question_ids[:, :3], return_inverse=True)
    cosine_rows = cosine_rows.reshape(-1, 3)  # (questions, 3): rows of the cosines
    cosines = unit_vectors[asked_words] @ unit_vectors.T  # (asked, words)
    correct = 0
    for start in range(0, len(question_ids), QUESTIONS_AT_ONCE):
        chunk = slice(start, start + QUESTIONS_AT_ONCE)
        a, b, c = cosine_rows[chunk].T
        scores = cosines[b] - cosines[a] + cosines[c]
        for row, question in zip(scores, question_ids[chunk, :3]):
            row[[i for word in question for i in spellings_by_first_id[word]]] = -np.inf
        correct += int(
            np.sum(first_spelling_ids[scores.argmax(axis=1)] == question_ids[chunk, 3])
        )
    return correct


def _read_questions(path) -> dict[str, list[list[str]]]:
    if path is None:
        from gensim.test.utils import datapath

        path = datapath("questions-words.txt")
    sections, lines = {}, None
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), start=1):
        if line.startswith(":"):
            lines = sections.setdefault(line[1:].strip(), [])
        elif lines is not None and len(line.split()) == 4:
            lines.append(line.upper().split())
        else:
            raise ValueError(
                f"Line {number} of {Path(path).name} is {line!r}; expected four words, or a colon "
                "and the name of a section, which comes first."
            )
    return sections
