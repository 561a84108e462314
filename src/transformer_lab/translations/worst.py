"""The translations that share least with their references."""

WORST_SENTENCE_COUNT = 20


def pair_rows(
    sentence_pairs, attributions: dict[tuple[str, str], str]
) -> list[dict[str, str]]:
    """Return ``source``, ``reference`` and ``authors`` of each pair of sentences."""
    return [
        {
            "source": english,
            "reference": chinese,
            "authors": attributions[english, chinese],
        }
        for english, chinese in sentence_pairs
    ]


def worst_translations(test_rows: list[dict], hypotheses: list[str]) -> list[dict]:
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
