"""The translations that share least with their references."""

WORST_SENTENCE_COUNT = 20


def sentence_rows(sentences, attributions) -> list:
    """Return ``source``, ``reference`` and ``authors`` of each pair of sentences."""
    return [
        {
            "source": english,
            "reference": chinese,
            "authors": attributions[english, chinese],
        }
        for english, chinese in sentences
    ]


def worst_translations(test_rows, hypotheses):
    """Return the translations with the lowest chrF; of equal ones the longest sources first.

    Parameters
    ----------
    test_rows : list of dict
        ``source``, ``reference`` and ``authors`` of each sentence.
    hypotheses : list of str

    Returns
    -------
    list of dict
        ``WORST_SENTENCE_COUNT`` rows, with ``hypothesis`` and ``chrf`` in percent.
    """
    from sacrebleu.metrics import CHRF

    metric = CHRF()
    rows = [
        row
        | {
            "hypothesis": hypothesis,
            "chrf": round(
                metric.sentence_score(hypothesis, [row["reference"]]).score, 2
            ),
        }
        for row, hypothesis in zip(test_rows, hypotheses)
    ]
    return sorted(rows, key=lambda row: (row["chrf"], -len(row["source"])))[
        :WORST_SENTENCE_COUNT
    ]
