"""What becomes of numbers and names: how many arrive as they stood, and what the sentences score."""

import re
from collections import Counter

from transformer_book.data import numerals
from transformer_book.data.counterparts import numbers_in_chinese
from transformer_book.data.marked_pairs import LEAST_MARKED_NUMBER
from transformer_book.data.placeholders import Placeholder

from .scores import bleu, sacrebleu_scores
from .translate_corpus import translate_corpus

NUMBER_KINDS = "ntyo"  # kinds of marks; w are names and addresses


def score_copied_tokens(corpus, pairs, hypotheses: list[list[str]]) -> dict:
    """Count what arrives unchanged, and score the sentences that have such tokens and those without.

    Parameters
    ----------
    corpus : ParallelCorpus
        With ``known``.
    pairs : sequence of (sequence of str, sequence of str)
        For example ``corpus.test``.
    hypotheses : list of list of str
        The words of a translation for each pair, marks filled in, as of
        ``corpus.spaced_target_words``.

    Returns
    -------
    dict
        ``with`` and ``without``: the ``sentences``, ``bleu`` on characters and ``chrf`` in percent, both
        absent where there is no sentence. ``numbers``: how many digits, times and ordinals the
        sources have, how many ``arrived`` unchanged; ``references`` counts how those who translated
        wrote them: in ``digits``, as ``numerals`` or ``otherwise``. ``names``: the same of names and
        addresses. ``number_words``: how many numbers of ``LEAST_MARKED_NUMBER`` or more the sources
        have in words; how many of them the hypotheses have (``arrived``) and the references
        (``references``), in digits or in Chinese numerals.
    """
    rows = [
        (source, corpus.join_tokens(target), words)
        for (source, target), words in zip(pairs, hypotheses, strict=True)
    ]
    marked = [row for row in rows if _mark_texts(row[0])]
    return {
        "with": _score_triples(corpus, marked),
        "without": _score_triples(
            corpus, [row for row in rows if not _mark_texts(row[0])]
        ),
        "numbers": _count_arrivals(rows, NUMBER_KINDS)
        | {"references": _count_number_forms_in_references(rows)},
        "names": _count_arrivals(rows, "w"),
        "number_words": _count_number_words(corpus, rows),
    }


def count_unforced_copies(model, corpus, pairs, beams: int, length_penalty) -> dict:
    """Count what arrives where nothing forces the marks into a translation: what the model learned.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs, beams, length_penalty
        As in ``evaluate.translate_pairs``.

    Returns
    -------
    dict
        ``numbers`` and ``names`` as of :func:`score_copied_tokens`, without the references.
    """
    marked_pairs = [pair for pair in pairs if _mark_texts(pair[0])]
    if not marked_pairs:
        return {
            "numbers": _count_arrivals([], NUMBER_KINDS),
            "names": _count_arrivals([], "w"),
        }
    sources = [source for source, _ in corpus.ids(marked_pairs)]
    hypotheses = translate_corpus(model, sources, beams, length_penalty)
    rows = [
        (source, (), corpus.spaced_target_words(hypothesis.ids, source))
        for hypothesis, (source, _) in zip(hypotheses, marked_pairs)
    ]
    return {
        "numbers": _count_arrivals(rows, NUMBER_KINDS),
        "names": _count_arrivals(rows, "w"),
    }


def _mark_texts(source_tokens, mark_kinds=NUMBER_KINDS + "w") -> list[str]:
    return [
        t.text
        for t in source_tokens
        if isinstance(t, Placeholder) and t[1] in mark_kinds
    ]


def _score_triples(corpus, triples) -> dict:
    if not triples:
        return {"sentences": 0}
    _, references, hypotheses = zip(*triples)
    plain_hypotheses, plain_references = (
        [corpus.write_sentence(words) for words in side]
        for side in (hypotheses, references)
    )
    scores = sacrebleu_scores(
        plain_hypotheses, plain_references, corpus.target_language
    )
    unspaced = [[word for word in words if word != " "] for words in hypotheses]
    return {
        "sentences": len(triples),
        "bleu": bleu(unspaced, references).score,
        "chrf": scores["chrf"]["score"],
    }


def _count_arrivals(triples, mark_kinds: str) -> dict[str, int]:
    total = arrived = 0
    for source, _, words in triples:
        wanted = Counter(_mark_texts(source, mark_kinds))
        total += wanted.total()
        arrived += sum(
            min(n, count_standalone_occurrences("".join(words), text))
            for text, n in wanted.items()
        )
    return {"total": total, "arrived": arrived}


def count_standalone_occurrences(text: str, token: str) -> int:
    """Count how often a token stands in a Chinese text, but in no longer number or word.

    Parameters
    ----------
    text : str
    token : str
        Spaces do not count.

    Returns
    -------
    int
    """
    token = r"\s*".join(map(re.escape, token.split()))
    return len(
        re.findall(
            rf"(?<![A-Za-z0-9])(?<![0-9][.,:]){token}(?![A-Za-z0-9]|[.,:][0-9])", text
        )
    )


def _count_number_forms_in_references(triples) -> dict[str, int]:
    counts = Counter(digits=0, numerals=0, otherwise=0)
    for source, target, _ in triples:
        text = numerals.narrow_digits("".join(target))
        values = [str(value) for value in numbers_in_chinese(text)]
        for token in _mark_texts(source, NUMBER_KINDS):
            value = token.replace(",", "").removesuffix("%").removesuffix(":00")
            form = (
                "digits" if count_standalone_occurrences(text, token) else "otherwise"
            )
            if form == "otherwise" and (value in values or _is_clock_time(token, text)):
                form = "numerals"
            counts[form] += 1
    return dict(counts)


def _is_clock_time(token: str, text: str) -> bool:
    return ":" in token and "点" in text


def _count_number_words(corpus, triples) -> dict[str, int]:
    total = arrived = references = 0
    for source, target, words in triples:
        text = " ".join(corpus.join_tokens(source))
        values = [
            numerals.english_numeral_value(m[0])
            for m in numerals.ENGLISH_NUMERAL_PATTERN.finditer(text)
        ]
        wanted = [
            value
            for value in values
            if value is not None and value >= LEAST_MARKED_NUMBER
        ]
        total += len(wanted)
        for side, is_hypothesis in (("".join(words), True), ("".join(target), False)):
            common = Counter(wanted) & Counter(
                int(v) for v in numbers_in_chinese(side) if v == int(v)
            )
            arrived += common.total() * is_hypothesis
            references += common.total() * (not is_hypothesis)
    return {"total": total, "arrived": arrived, "references": references}
