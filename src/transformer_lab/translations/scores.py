"""How near translations come to those of people: BLEU by hand, and sacreBLEU beside it."""

import math
from collections import Counter
from dataclasses import dataclass

from transformer_book.expect import expect_integer


class ScoreError(ValueError):
    """Translations that cannot be scored; the message says why and what is expected."""


@dataclass(frozen=True)
class Bleu:
    """A BLEU score and the counts behind it.

    Parameters
    ----------
    score : float
        In percent.
    precisions : tuple of float
        In percent: the share of the hypotheses' 1-grams, 2-grams, ... that the references have.
    brevity_penalty : float
        From 0 to 1, which it is unless the hypotheses have fewer words than the references.
    hypothesis_words, reference_words : int
    """

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_words: int
    reference_words: int

    def __str__(self):
        percentages = "/".join(f"{p:.1f}" for p in self.precisions)
        return f"BLEU {self.score:.2f} ({percentages}, BP {self.brevity_penalty:.3f})"


def bleu(hypotheses, references, n: int = 4) -> Bleu:
    r"""Compare a whole corpus of translations with one reference for each.

    .. math:: \mathrm{BLEU} = \mathrm{BP} \cdot \Bigl(\prod_{k=1}^n p_k\Bigr)^{1/n}, \qquad
              \mathrm{BP} = \min\bigl(1,\, e^{1 - r/c}\bigr)

    :math:`p_k` is the share of all k-grams in the hypotheses that their references have, each
    counted no more often than there; c and r are the words of all hypotheses and references.
    Papineni et al. (2002), without smoothing.

    Parameters
    ----------
    hypotheses, references : sequence of (sequence of str)
        A list of words for each sentence; a hypothesis may be empty.
    n : int
        The longest n-grams that count.

    Returns
    -------
    Bleu

    Raises
    ------
    ScoreError
        If there is no sentence, the numbers of sentences differ, or one is a string; if ``n`` is not a
        whole number of at least 1.
    """
    _check_pairing("bleu", hypotheses, references)
    remedy = "Leave it out for n-grams of up to four words."
    expect_integer(ScoreError, "bleu", "n", n, remedy=remedy)
    matches, total = [0] * n, [0] * n
    for hypothesis, reference in zip(hypotheses, references):
        _check_is_no_string(hypothesis)
        _check_is_no_string(reference)
        for k in range(n):
            counts, reference_counts = (
                ngrams(hypothesis, k + 1),
                ngrams(reference, k + 1),
            )
            matches[k] += (
                counts & reference_counts
            ).total()  # the smaller count of each
            total[k] += counts.total()
    precisions = [a / b if b else 0.0 for a, b in zip(matches, total)]
    c, r = (sum(map(len, texts)) for texts in (hypotheses, references))
    brevity = 1.0 if c >= r else math.exp(1 - r / c) if c else 0.0
    geometric_mean = math.prod(precisions) ** (1 / n)
    percentages = tuple(100 * p for p in precisions)
    return Bleu(100 * brevity * geometric_mean, percentages, brevity, c, r)


def ngrams(words, k: int) -> Counter:
    """Count the k-grams of a sentence: each run of k neighbouring words, as a tuple."""
    return Counter(zip(*(words[i:] for i in range(k))))


def sacrebleu_scores(hypotheses, references, language: str = "en") -> dict[str, dict]:
    """Return BLEU and chrF by sacreBLEU, which cuts plain sentences into words itself.

    Post (2018); chrF is the F-score of characters' n-grams of Popović (2015).

    Parameters
    ----------
    hypotheses, references : sequence of str
        Plain sentences, one reference each.
    language : str
        The code of their language; "zh" is cut into characters, the rest as mteval-v13a does.

    Returns
    -------
    dict
        ``bleu`` and ``chrf`` in percent, and for each the ``signature`` that says how.

    Raises
    ------
    ScoreError
        If there is no sentence, the numbers of sentences differ, or one is no string.
    """
    _check_pairing("sacrebleu_scores", hypotheses, references)
    for sentence in (*hypotheses, *references):
        if not isinstance(sentence, str):
            raise ScoreError(
                f"sacrebleu_scores: {_short_repr(sentence)} is no string; expected plain sentences."
            )
    from sacrebleu.metrics import BLEU, CHRF  # a second to import

    metrics = {
        "bleu": BLEU(tokenize="zh" if language == "zh" else "13a"),
        "chrf": CHRF(),
    }
    by_metric = {}
    for name, metric in metrics.items():
        score = metric.corpus_score(list(hypotheses), [list(references)]).score
        by_metric[name] = {"score": score, "signature": str(metric.get_signature())}
    return by_metric


def _check_pairing(function_name: str, hypotheses, references) -> None:
    for texts in (hypotheses, references):
        if isinstance(texts, str):
            raise ScoreError(
                f"{function_name}: {_short_repr(texts)} is one string; expected a list."
            )
    if len(hypotheses) != len(references) or not hypotheses:
        raise ScoreError(
            f"{function_name}: there are {len(hypotheses):,} hypotheses and {len(references):,} "
            "references; expected one reference for each hypothesis, and at least one."
        )


def _check_is_no_string(sentence) -> None:
    if isinstance(sentence, str):
        raise ScoreError(
            f"bleu: {_short_repr(sentence)} is a string, whose letters would count as words; expected "
            "a list of words. Cut it first, for example with .split()."
        )


def _short_repr(value) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
