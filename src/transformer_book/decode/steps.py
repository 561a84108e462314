"""What the model thinks while it decodes: each step's distribution, and the sum of it all."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..expect import expect
from ..nn import Transformer
from ..shapes import checked
from .errors import (
    DecodeError,
    check_ids,
    check_model,
    check_source,
    integer_ids,
    not_finite_error,
)
from .greedy import likeliest_ids
from .sequences import Sequences, evaluation_mode


@dataclass(frozen=True)
class Step:
    """One step of greedy decoding.

    Parameters
    ----------
    token : int
        The id taken; EOS at the last step, unless the translation was cut.
    probabilities : tensor, (words,)
        The whole distribution that it was taken from, padding and BOS included.
    cross_attention : tensor, (N, h, n), or None
        How much each head of each layer looked at each token of the source; None if not asked for.
    """

    token: int
    probabilities: Float[Tensor, "words"]
    cross_attention: Float[Tensor, "N h n"] | None


@checked
def steps(
    model: Transformer,
    source: Int[Tensor, "batch n"],
    *,
    need_weights: bool = False,
    max_length: int | None = None,
    use_cache: bool = True,
    copied_ids: Sequence[int] = (),
) -> list[Step]:
    """Decode one sentence greedily and keep what the model thought at each step.

    Parameters
    ----------
    model : nn.Transformer
    source : integer tensor, (1, n)
        Ids of one sentence, with EOS.
    need_weights : bool
        Whether to keep the cross-attention.
    max_length, use_cache, copied_ids
        As in :func:`greedy`.

    Returns
    -------
    list of Step

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    check_model("steps", model, "Transformer")
    expect(
        len(source) == 1,
        DecodeError,
        "steps",
        f"source is {len(source)} sentences",
        "one, of shape (1, n)",
        "Call it for each sentence.",
    )
    seen = []

    def choose(logits):
        token = likeliest_ids(sequences.candidate_logits(logits))
        seen.append((int(token), logits[0], sequences.weights))
        return token

    with evaluation_mode(model):
        sequences = Sequences(
            "steps",
            model,
            source,
            max_length,
            use_cache,
            copied_ids,
            need_weights=need_weights,
        )
        sequences.write_until_end(choose)
    return [
        Step(
            token, torch.softmax(logits, dim=-1), _newest_token_cross_attention(weights)
        )
        for token, logits, weights in seen
    ]


def _newest_token_cross_attention(weights):
    B = [B[0, :, -1] for name, B in weights.items() if "cross_attention" in name]
    return torch.stack(B) if B else None


@checked
def log_probability(
    model: Transformer, source: Int[Tensor, "batch n"], target: list[list[int]]
) -> list[Float[Tensor, "m_and_1"]]:
    r"""Return the log-probability of translations under the model, token by token.

    .. math:: \log p(Y \mid X) = \sum_t \log p(y_t \mid y_1, \ldots, y_{t-1}, X)

    Parameters
    ----------
    model : nn.Transformer
    source : integer tensor, (batch, n)
        Ids of the sentences, each with EOS, padded at the end.
    target : list of list of int
        A translation of each, without BOS and EOS.

    Returns
    -------
    list of tensor, (m + 1,)
        For each translation the terms of the sum, in nats, float64. The last is that of EOS: leave
        it out for a translation that was cut. It is missing where no position is left for it.

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    check_model("log_probability", model, "Transformer")
    check_source("log_probability", model, source)
    labels, device = (
        _listed_target_tokens(model, target, len(source)),
        model.output.device,
    )
    pad, begin = (
        model.config.pad_id,
        torch.full((len(labels), 1), model.config.begin_id),
    )
    padded = torch.nn.utils.rnn.pad_sequence(
        labels, batch_first=True, padding_value=pad
    )
    read = torch.cat([begin, padded[:, :-1]], dim=1).to(device)
    with evaluation_mode(model):
        logits, _ = model(source.to(device), read)
    log_p = torch.log_softmax(logits, dim=-1, dtype=torch.float64)
    of_label = log_p.gather(-1, padded.to(device)[..., None])[..., 0]  # (batch, m)
    terms = [row[: len(ids)] for row, ids in zip(of_label, labels)]
    if bad := [i for i, row in enumerate(terms) if row.isnan().any()]:
        raise not_finite_error("log_probability", f"texts {bad}")
    return terms


def _listed_target_tokens(model, target, batch_size) -> list:
    c, name = model.config, ("log_probability", "target")
    expect(
        len(target) == batch_size,
        DecodeError,
        name[0],
        f"target is {len(target)} translations",
        f"{batch_size}, one for each source",
        "Give as many of both.",
    )
    target = [integer_ids(*name, ids) for ids in target]
    longest = max(map(len, target))
    expect(
        longest <= c.max_length,
        DecodeError,
        name[0],
        f"target is {longest} tokens long",
        f"at most {c.max_length}",
        "Cut it.",
    )
    labels = [[*ids, *c.end_ids[:1]][: c.max_length] for ids in target]
    check_ids(*name, min(map(min, labels)), max(map(max, labels)), c.target_words)
    return [torch.tensor(ids) for ids in labels]
