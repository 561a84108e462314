"""Decoding by chance, and the three ways to tame it: temperature, top-k, top-p."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..expect import expect, expect_integer, expect_number
from ..nn import Transformer
from ..shapes import checked
from .errors import DecodeError, check_model, rows_without_choice
from .sequences import Sequences, evaluation_mode


@checked
def with_temperature(
    logits: Float[Tensor, "*batch words"], temperature: float
) -> Float[Tensor, "*batch words"]:
    r"""Divide the logits: below 1 the distribution gets sharper, above 1 flatter.

    .. math:: p_i = \mathrm{softmax}(z / T)_i

    Parameters
    ----------
    logits : tensor, (..., words)
        z.
    temperature : float
        T, above 0. Towards 0 only the largest logit is left: greedy decoding.

    Returns
    -------
    tensor, (..., words)

    Raises
    ------
    DecodeError
        If the temperature is not a finite number above 0.
    """
    expect_number(
        DecodeError,
        "with_temperature",
        "temperature",
        temperature,
        lambda T: 0 < T < math.inf,
        "a finite number above 0",
        "For the most probable word use greedy.",
    )
    scaled = logits / temperature
    if rows_without_choice(scaled).any():
        # Too large for the dtype; less the largest, the distribution is the same.
        logits = logits - logits.amax(dim=-1, keepdim=True)
        scaled = (logits.double() / temperature).to(logits.dtype)
    return scaled


@checked
def keep_top_k(
    logits: Float[Tensor, "*batch words"], k: int
) -> Float[Tensor, "*batch words"]:
    """Keep the k largest logits. Fan et al. (2018).

    Parameters
    ----------
    logits : tensor, (..., words)
    k : int
        How many words to keep, at least 1; all of them if there are no more.

    Returns
    -------
    tensor, (..., words)
        Minus infinity where a word is removed. Of equal logits the first is kept.

    Raises
    ------
    DecodeError
        If k is not a whole number of at least 1.
    """
    remedy = "Choose 1 for the most probable word alone."
    expect_integer(DecodeError, "keep_top_k", "k", k, remedy=remedy)
    order = logits.argsort(dim=-1, descending=True, stable=True)
    return logits.scatter(-1, order[..., k:], -math.inf)


@checked
def keep_top_p(
    logits: Float[Tensor, "*batch words"], p: float
) -> Float[Tensor, "*batch words"]:
    """Keep the fewest words whose probabilities sum to p or more. Holtzman et al. (2020).

    Parameters
    ----------
    logits : tensor, (..., words)
    p : float
        Probability to keep, above 0 and at most 1. The most probable word always stays.

    Returns
    -------
    tensor, (..., words)
        Minus infinity where a word is removed. Of equal logits the first is kept.

    Raises
    ------
    DecodeError
        If p is not above 0 and at most 1.
    """
    expect_number(
        DecodeError,
        "keep_top_p",
        "p",
        p,
        lambda p: 0 < p <= 1,
        "a probability above 0 and at most 1",
        "Choose 1 to keep all words.",
    )
    if p == 1:
        return logits  # rounding must not remove the last
    sorted_logits, order = logits.sort(dim=-1, descending=True, stable=True)
    probabilities = torch.softmax(sorted_logits, dim=-1, dtype=torch.float64)
    before = probabilities.cumsum(dim=-1) - probabilities  # of all earlier
    removed = torch.zeros_like(logits, dtype=torch.bool)
    removed = removed.scatter(-1, order, before >= p)
    return logits.masked_fill(removed, -math.inf)


@dataclass(frozen=True)
class Sampling:
    """How a distribution is sharpened and cut before a word is drawn from it.

    Parameters
    ----------
    temperature : float
        As in :func:`with_temperature`, which comes first.
    top_k : int, optional
        As in :func:`keep_top_k`, which comes second.
    top_p : float, optional
        As in :func:`keep_top_p`, which comes last.

    Raises
    ------
    DecodeError
        Naming the setting, what was given and what was expected.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None

    def __post_init__(self):
        self.warp_logits(torch.zeros(1))

    def warp_logits(
        self, logits: Float[Tensor, "*batch words"]
    ) -> Float[Tensor, "*batch words"]:
        """Divide the logits, and put minus infinity where a word is removed."""
        logits = with_temperature(logits, self.temperature)
        if self.top_k is not None:
            logits = keep_top_k(logits, self.top_k)
        if self.top_p is not None:
            logits = keep_top_p(logits, self.top_p)
        return logits


@checked
def sample(
    model: Transformer,
    source: Int[Tensor, "batch n"],
    sampling: Sampling = Sampling(),
    *,
    generator: torch.Generator,
    max_length: int | None = None,
    use_cache: bool = True,
    copied_ids: Sequence[int] = (),
) -> list[list[int]]:
    """Translate by drawing each word with the probability that the model gives it.

    Parameters
    ----------
    model : nn.Transformer
    source : integer tensor, (batch, n)
        Ids of the sentences, each with EOS, padded at the end.
    sampling : Sampling
        How each distribution is sharpened and cut; by default not at all.
    generator : torch.Generator
        What draws; the same seed, batch and settings give the same words.
    max_length, use_cache, copied_ids
        As in :func:`greedy`.

    Returns
    -------
    list of list of int
        For each sentence the ids of its translation, without BOS and EOS. Never padding or BOS.

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    check_model("sample", model, "Transformer")
    expect(
        isinstance(generator, torch.Generator),
        DecodeError,
        "sample",
        f"generator is {generator!r}",
        "torch.Generator().manual_seed(...)",
        "Choose a seed.",
    )
    check_sampling("sample", sampling)

    def choose(logits):
        logits = sampling.warp_logits(sequences.candidate_logits(logits))
        return draw_ids(logits, generator)

    with evaluation_mode(model):
        sequences = Sequences(
            "sample", model, source, max_length, use_cache, copied_ids
        )
        return sequences.write_until_end(choose)


def check_sampling(function_name, sampling):
    """Raise DecodeError unless it says how to sample."""
    expect(
        isinstance(sampling, Sampling),
        DecodeError,
        function_name,
        f"sampling is {sampling!r}",
        "a decode.Sampling(...)",
        "Put temperature, top_k and top_p into one.",
    )


def draw_ids(logits, generator):
    """Draw one id for each row of logits, (batch, words), with probability softmax(logits)."""
    p = torch.softmax(logits, dim=-1, dtype=torch.float64).to(generator.device)
    return p.multinomial(1, generator=generator)[:, 0].to(logits.device)
