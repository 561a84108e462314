"""Speculative decoding: a cheap draft proposes tokens, and the model checks them in one pass."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..expect import expect, expect_integer
from ..nn import LanguageModel, LanguageModelCache
from ..shapes import checked
from .errors import DecodeError, not_finite_error, rows_without_choice
from .generate import check_continuation, suppress_marks
from .greedy import likeliest_ids
from .sampling import Sampling
from .sequences import evaluation_mode, tokens_until_end


@checked
def speculative(
    model: LanguageModel,
    draft: Callable,
    prompt: Int[Tensor, "batch n"],
    tokens: int,
    k: int = 4,
    sampling: Sampling | None = None,
    *,
    generator: torch.Generator | None = None,
) -> tuple[list[int], list[tuple[int, int]]]:
    """Continue a text as :func:`generate` does, with fewer passes of the model.

    Drawn tokens have the very distribution that they would have without the draft, though a seed
    gives others; the likeliest tokens are the same. Leviathan et al. (2023); Chen et al. (2023).

    Parameters
    ----------
    model : nn.LanguageModel
    draft : callable
        From the text so far, integer tensor (n,), to logits of the token after it, (words,). The
        better it guesses what the model would say, the fewer passes; it decides no token.
    prompt : integer tensor, (1, n)
    tokens : int
    k : int
        How many tokens to propose at most before a pass, at least 1.
    sampling, generator
        As in :func:`generate`; draft and model are sampled alike.

    Returns
    -------
    ids : list of int
        The continuation up to EOS, without it.
    passes : list of (int, int)
        For each pass of the model how many tokens were proposed, and how many of these accepted.

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    name = "speculative"
    expect(
        len(prompt) == 1,
        DecodeError,
        name,
        f"prompt is {len(prompt)} texts",
        "one, of shape (1, n)",
        "Call it for each text.",
    )
    check_continuation(name, model, prompt, tokens, sampling, generator)
    warp = (sampling or Sampling()).warp_logits
    expect_integer(DecodeError, name, "k", k, remedy="Propose one token or more.")
    expect(
        callable(draft),
        DecodeError,
        name,
        f"draft is {draft!r}",
        "a function of the text, (n,), that returns the logits of the next token",
        "Wrap a model in one.",
    )
    chance = torch.Generator() if generator is None else generator

    def next_token_probabilities(logits, which_texts):  # (rows, words)
        logits = suppress_marks(logits, model.config)
        if rows_without_choice(logits).any():
            raise not_finite_error(name, which_texts)
        if generator is None:  # all on one token: chance then decides nothing
            ids, words = likeliest_ids(logits), logits.shape[-1]
            return torch.nn.functional.one_hot(ids, words).double()
        p = torch.softmax(warp(logits), dim=-1, dtype=torch.float64)
        return p.to(chance.device)

    ends = {*model.config.end_ids}
    text, n, passes = prompt[0].tolist(), prompt.shape[1], []
    cache = LanguageModelCache(model.config.N)
    with evaluation_mode(model):
        while len(text) < n + tokens and ends.isdisjoint(text[n:]):
            known, q = len(text), []
            for _ in range(min(k, n + tokens - known - 1)):  # the pass itself adds one
                logits = draft(torch.tensor(text))[None]
                q.append(next_token_probabilities(logits, "the draft")[0])
                text.append(int(q[-1].multinomial(1, generator=chance)))
            unread = torch.tensor([text[len(cache) :]], device=model.output.device)
            x, _ = model.vectors(unread, cache=cache)
            logits = model.logits(x[0, -len(q) - 1 :])
            p = next_token_probabilities(logits, "the text")  # (len(q) + 1, words)
            accepted, token = verify(p, q, text[known:], chance)
            text[known + accepted :] = [token]
            cache.crop(len(text) - 1)  # nothing was rejected, or it is taken back
            passes.append((len(q), accepted))
    return tokens_until_end(text[n:], ends), passes


def verify(
    p: Float[Tensor, "k_and_1 words"],
    q: list[Float[Tensor, "words"]],
    proposed_ids: list[int],
    generator: torch.Generator,
) -> tuple[int, int]:
    r"""Accept proposed tokens in turn, and draw one that follows those accepted.

    .. math:: P(\text{accept } x) = \min\bigl(1, p(x) / q(x)\bigr)

    The first that is rejected is replaced by a draw from what p has more than q,
    :math:`\max(p - q, 0)`, and ends the turn. Behind the last one stands a draw from p.

    Parameters
    ----------
    p : tensor, (k + 1, words)
        The model's distribution at each proposed token, and after the last.
    q : list of tensor, (words,)
        The draft's, k of them, which the tokens were drawn from.
    proposed_ids : list of int
        Those k tokens.

    Returns
    -------
    accepted : int
        How many were accepted.
    token : int
        The one to put after them.
    """
    for i, token in enumerate(proposed_ids):
        u = torch.rand((), generator=generator, dtype=torch.float64)
        if u * q[i][token] >= p[i, token]:
            rest = (p[i] - q[i]).clamp(min=0)
            return i, int(rest.multinomial(1, generator=generator))
    return len(proposed_ids), int(p[-1].multinomial(1, generator=generator))
