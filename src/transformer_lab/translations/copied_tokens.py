"""What becomes of numbers and names: how many arrive as they stood, and what the sentences score."""

import re
from collections import Counter

from transformer_book.data import numerals
from transformer_book.data.counterparts import numbers_of
from transformer_book.data.marked_pairs import LEAST
from transformer_book.data.placeholders import Placeholder

from .scores import bleu, sacrebleu_scores
from .translate_corpus import translate_corpus

NUMBERS = "ntyo"  # kinds of marks; w are names and addresses


def copied_tokens(corpus, pairs, hypotheses):
    """Count what arrives unchanged, and score the sentences that have such tokens and those without.

    Parameters
    ----------
    corpus : ParallelCorpus
        With ``known``.
    pairs : sequence of (sequence of str, sequence of str)
        For example ``corpus.test``.
    hypotheses : list of list of str
        The words of a translation for each pair, marks filled in.

    Returns
    -------
    dict
        ``with`` and ``without``: the ``sentences``, ``bleu`` on characters and ``chrf`` in percent, both
        absent where there is no sentence. ``numbers``: how many digits, times and ordinals the
        sources have, how many ``arrived`` unchanged; ``references`` counts how those who translated
        wrote them: in ``digits``, as ``numerals`` or ``otherwise``. ``names``: the same of names and
        addresses. ``number_words``: how many numbers of ``LEAST`` or more the sources have in
        words; how many of them the hypotheses have (``arrived``) and the references
        (``references``), in digits or in Chinese numerals.
    """
    rows = [
        (source, corpus.words(target), words)
        for (source, target), words in zip(pairs, hypotheses, strict=True)
    ]
    marked = [row for row in rows if _texts(row[0])]
    return {
        "with": _scored(corpus, marked),
        "without": _scored(corpus, [row for row in rows if not _texts(row[0])]),
        "numbers": _arrived(rows, NUMBERS) | {"references": _written(rows)},
        "names": _arrived(rows, "w"),
        "number_words": _number_words(corpus, rows),
    }


def unforced(model, corpus, pairs, beams, length_penalty):
    """Count what arrives where no translation is made to have its marks: what the model learned.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs, beams, length_penalty
        As in ``evaluate.translations``.

    Returns
    -------
    dict
        ``numbers`` and ``names`` as of :func:`copied_tokens`, without the references.
    """
    some = [pair for pair in pairs if _texts(pair[0])]
    if not some:
        return {"numbers": _arrived([], NUMBERS), "names": _arrived([], "w")}
    sources = [source for source, _ in corpus.ids(some)]
    found = translate_corpus(model, sources, beams, length_penalty)
    rows = [
        (source, (), corpus.target_words(one.ids, source))
        for one, (source, _) in zip(found, some)
    ]
    return {"numbers": _arrived(rows, NUMBERS), "names": _arrived(rows, "w")}


def _texts(source, kinds=NUMBERS + "w"):
    return [t.text for t in source if isinstance(t, Placeholder) and t[1] in kinds]


def _scored(corpus, rows):
    if not rows:
        return {"sentences": 0}
    _, references, hypotheses = zip(*rows)
    written, wanted = (
        [corpus.sentence(words) for words in side] for side in (hypotheses, references)
    )
    scores = sacrebleu_scores(written, wanted, corpus.target_language)
    return {
        "sentences": len(rows),
        "bleu": bleu(hypotheses, references).score,
        "chrf": scores["chrf"]["score"],
    }


def _arrived(rows, kinds):
    total = arrived = 0
    for source, _, words in rows:
        wanted = Counter(_texts(source, kinds))
        total += wanted.total()
        arrived += sum(
            min(n, occurrences("".join(words), text)) for text, n in wanted.items()
        )
    return {"total": total, "arrived": arrived}


def occurrences(text, token):
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
    token = re.escape(token.replace(" ", ""))
    return len(
        re.findall(
            rf"(?<![A-Za-z0-9])(?<![0-9][.,:]){token}(?![A-Za-z0-9]|[.,:][0-9])", text
        )
    )


def _written(rows):
    found = Counter(digits=0, numerals=0, otherwise=0)
    for source, target, _ in rows:
        text = numerals.narrow("".join(target))
        values = [str(value) for value in numbers_of(text)]
        for token in _texts(source, NUMBERS):
            value = token.replace(",", "").removesuffix("%").removesuffix(":00")
            here = "digits" if occurrences(text, token) else "otherwise"
            if here == "otherwise" and (value in values or _is_clock(token, text)):
                here = "numerals"
            found[here] += 1
    return dict(found)


def _is_clock(token, text):
    return ":" in token and "点" in text


def _number_words(corpus, rows):
    total = arrived = references = 0
    for source, target, words in rows:
        text = " ".join(corpus.words(source))
        said = [numerals.english_value(m[0]) for m in numerals.ENGLISH.finditer(text)]
        wanted = [value for value in said if value is not None and value >= LEAST]
        total += len(wanted)
        for side, counted in (("".join(words), True), ("".join(target), False)):
            there = Counter(wanted) & Counter(
                int(v) for v in numbers_of(side) if v == int(v)
            )
            arrived += there.total() * counted
            references += there.total() * (not counted)
    return {"total": total, "arrived": arrived, "references": references}
