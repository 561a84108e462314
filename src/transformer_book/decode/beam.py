"""Beam search with the length penalty of Wu et al. (2016), as in section 6.1 of the paper."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from ..expect import expect, expect_integer, expect_number
from ..nn import Transformer
from ..shapes import checked
from .errors import DecodeError, check_model
from .sequences import Sequences, evaluation_mode, tokens_until_end


@dataclass(frozen=True)
class Hypothesis:
    """A translation that a beam search found.

    Parameters
    ----------
    ids : list of int
        Without BOS and EOS.
    log_probability : float
        The sum over its tokens, EOS among them, in nats.
    score : float
        The same divided by the length penalty; the search maximises it.
    finished : bool
        Whether it ended with EOS; if not, it was cut at its greatest length.
    """

    ids: list[int]
    log_probability: float
    score: float
    finished: bool


@checked
def beam_search(
    model: Transformer,
    source: Int[Tensor, "batch n"],
    beams: int = 4,
    length_penalty: float = 0.6,
    *,
    max_length: int | None = None,
    use_cache: bool = True,
    copied_ids: Sequence[int] = (),
) -> list[list[Hypothesis]]:
    r"""Translate by following the most probable few beginnings at once.

    At each step each live sequence is continued with every word, and the ``beams`` best of all
    these stay. One that ends with EOS is put aside, and keeps its place: the others get one fewer.

    .. math:: \mathrm{score}(Y) = \frac{\log p(Y \mid X)}{\mathrm{lp}(Y)}, \qquad
              \mathrm{lp}(Y) = \left(\frac{5 + |Y|}{6}\right)^\alpha

    Equation (14) of Wu et al. (2016), without its coverage. The search for a sentence stops as
    soon as nothing can beat the best hypothesis put aside: a sequence's log-probability only falls
    as it grows, so no score can come of it above log-probability / lp at the greatest length.

    Parameters
    ----------
    model : nn.Transformer
    source : integer tensor, (batch, n)
        Ids of the sentences, each with EOS, padded at the end.
    beams : int
        How many beginnings are followed; 1 is greedy decoding.
    length_penalty : float
        alpha, at least 0; 0 compares bare log-probabilities, which favours short sentences.
    max_length, use_cache, copied_ids
        As in :func:`greedy`.

    Returns
    -------
    list of list of Hypothesis
        For each sentence at most ``beams``, best first: those that ended, by score, then those
        that were cut. The first is the best; the search met the others on the way to it.

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    check_model("beam_search", model, "Transformer")
    remedy = "Choose 1 for a greedy search."
    expect_integer(DecodeError, "beam_search", "beams", beams, remedy=remedy)
    expect_number(
        DecodeError,
        "beam_search",
        "length_penalty",
        length_penalty,
        lambda alpha: 0 <= alpha < math.inf,
        "a finite number of at least 0",
        "Choose 0 for no penalty.",
    )
    with evaluation_mode(model):
        sequences = Sequences(
            "beam_search",
            model,
            source,
            max_length,
            use_cache,
            copied_ids,
            copies=beams,
        )
        hypotheses = _search_beams(sequences, beams, length_penalty)
    empty = [i for i, of_sentence in enumerate(hypotheses) if not of_sentence]
    expect(
        not empty,
        DecodeError,
        "beam_search",
        f"model rules out every word in each beam of sentences {empty}",
        "one that leaves a word",
        "Look for logits that are all -inf.",
    )
    return [
        sorted(of_sentence, key=_rank_key, reverse=True) for of_sentence in hypotheses
    ]


def _search_beams(sequences, beams, alpha):
    limits, hypotheses = sequences.limits[:, None], [[] for _ in sequences.limits]
    rank = torch.arange(beams, device=limits.device)
    # At first all sequences of a sentence are alike, and one of them is enough.
    sequence_log_p = (
        torch.where(rank == 0, 0.0, -math.inf).double().repeat(len(hypotheses), 1)
    )
    for length in range(1, int(limits.max()) + 1):
        sequence_log_p = _extend_sequences(
            sequences, sequence_log_p
        )  # (batch, beams), best first
        places = limits.new_tensor([beams - len(ended) for ended in hypotheses])
        live = (sequence_log_p > -math.inf) & (rank < places[:, None])
        ends = torch.isin(sequences.target[:, -1], sequences.ends).view_as(live)
        ends |= length >= limits
        for i, j in (live & ends).nonzero().tolist():
            tokens = sequences.target[i * beams + j, 1:].tolist()
            hypotheses[i].append(
                _make_hypothesis(
                    tokens, float(sequence_log_p[i, j]), alpha, sequences.ends.tolist()
                )
            )
        sequence_log_p = sequence_log_p.masked_fill(~live | ends, -math.inf)
        best_scores = [
            max((hypothesis.score for hypothesis in ended), default=-math.inf)
            for ended in hypotheses
        ]
        bounds = sequence_log_p.amax(dim=1) / length_divisor(
            limits[:, 0].double(), alpha
        )
        sequence_log_p[bounds <= bounds.new_tensor(best_scores)] = -math.inf
        if (sequence_log_p == -math.inf).all():
            break
    return hypotheses


def _extend_sequences(sequences, sequence_log_p):
    """Continue the sequences by one token; the best continuations of each sentence take over."""
    batch, beams = sequence_log_p.shape
    sequences.ended = (sequence_log_p == -math.inf).flatten()
    logits = sequences.check_choosable(sequences.next_logits())
    step = torch.log_softmax(logits, dim=-1, dtype=torch.float64)
    total = sequence_log_p.view(-1, 1) + sequences.rule_out_forbidden(
        step
    )  # (batch * beams, words)
    words = total.shape[-1]
    sequence_log_p, chosen = total.view(batch, -1).topk(beams)
    first = torch.arange(0, batch * beams, beams, device=sequence_log_p.device)[:, None]
    sequences.select((first + chosen // words).flatten())
    sequences.append((chosen % words).flatten())
    return sequence_log_p


def _make_hypothesis(tokens, sequence_log_p, alpha, end_ids):
    score, ids = (
        sequence_log_p / length_divisor(len(tokens), alpha),
        tokens_until_end(tokens, end_ids),
    )
    return Hypothesis(ids, sequence_log_p, score, len(ids) < len(tokens))


def _rank_key(hypothesis) -> tuple:
    return hypothesis.finished, hypothesis.score


def length_divisor(length, alpha):
    r"""Return lp = ((5 + length) / 6) ** alpha, equation (14) of Wu et al. (2016).

    Parameters
    ----------
    length : int
        Tokens of the translation, EOS counted.
    alpha : float
        0 for no penalty; 0.6 in Vaswani et al. (2017).
    """
    return ((5 + length) / 6) ** alpha
