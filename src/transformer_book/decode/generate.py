"""A text continued by a language model: the prompt at once, then a token at a time."""

import torch
from jaxtyping import Int
from torch import Tensor

from ..expect import expect, expect_integer
from ..nn import LanguageModel, LanguageModelCache
from ..nn.cache import PreallocatedCache, unchanged_on_error
from ..shapes import checked
from .errors import DecodeError, check_ids, check_model, expect_choosable
from .greedy import likeliest_ids
from .sampling import Sampling, check_sampling, draw_ids
from .sequences import evaluation_mode, tokens_until_end


@checked
def generate(
    model: LanguageModel,
    prompt: Int[Tensor, "batch n"],
    tokens: int,
    sampling: Sampling | None = None,
    *,
    generator: torch.Generator | None = None,
    use_cache: bool = True,
    cache: LanguageModelCache | None = None,
) -> list[list[int]]:
    """Continue a text: prefill reads the prompt in one pass, decode writes a token at each step.

    Parameters
    ----------
    model : nn.LanguageModel
    prompt : integer tensor, (batch, n)
        Ids of texts that are equally long, without padding.
    tokens : int
        How many tokens to write at most; prompt and continuation must fit into the model.
    sampling : Sampling, optional
        As in :func:`sample`, where there is a generator.
    generator : torch.Generator, optional
        What draws; without it each token is the likeliest.
    use_cache : bool
        Whether to keep keys and values; without them each step reads the whole text again. The
        tokens are the same.
    cache : LanguageModelCache, optional
        What to keep them in, empty, as it is again after an error; without it one with room for all.

    Returns
    -------
    list of list of int
        For each text the ids of its continuation up to EOS, without it. Never padding, BOS or an
        unknown token.

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    check_continuation("generate", model, prompt, tokens, sampling, generator)
    _check_cache(model, cache, use_cache)
    warp = (sampling or Sampling()).warp_logits

    def choose(logits):
        logits = suppress_marks(logits, model.config)
        logits = expect_choosable("generate", logits, ended)
        if generator is None:
            return likeliest_ids(logits)
        return draw_ids(warp(logits), generator)

    text = prompt.to(model.output.device)
    ended = torch.zeros(len(text), dtype=torch.bool, device=text.device)
    ends = torch.tensor(model.config.end_ids, dtype=torch.long, device=text.device)
    if use_cache and cache is None:
        read = prompt.shape[1] + tokens - 1  # nobody reads the last
        cache = LanguageModelCache(model.config.N, lambda: PreallocatedCache(read))
    with evaluation_mode(model), unchanged_on_error(cache):
        new = text  # prefill
        for _ in range(tokens):
            x, _ = model.vectors(new, cache=cache)
            token = choose(model.logits(x[:, -1]))  # (batch,)
            text = torch.cat([text, token[:, None]], dim=1)
            new = token[:, None] if use_cache else text  # decode
            # Every text stays in the batch: what follows a text's end is never read.
            ended |= torch.isin(token, ends)
            if ended.all():
                break
    written = text[:, prompt.shape[1] :].tolist()
    return [tokens_until_end(ids, model.config.end_ids) for ids in written]


def suppress_marks(logits, config):
    """Rule out ``config.never_written_ids``, such as padding; logits (..., words)."""
    never = torch.tensor(
        config.never_written_ids, dtype=torch.long, device=logits.device
    )
    return logits.index_fill(-1, never, -torch.inf)


def check_continuation(function_name, model, prompt, tokens, sampling, generator):
    """Raise DecodeError unless a function can continue the prompt, (batch, n), like this."""
    check_model(function_name, model, "LanguageModel")
    _check_prompt(function_name, model.config, prompt)
    n, longest = prompt.shape[1], model.config.max_length
    remedy = f"A prompt of {n} leaves so many of the model's {longest} positions."
    most = longest - n
    expect_integer(
        DecodeError, function_name, "tokens", tokens, maximum=most, remedy=remedy
    )
    expect(
        isinstance(generator, torch.Generator) or generator is None,
        DecodeError,
        function_name,
        f"generator is {generator!r}",
        "torch.Generator().manual_seed(...), or None for the likeliest tokens",
        "Leave the generator out, or make one.",
    )
    if sampling is not None:
        check_sampling(function_name, sampling)
        expect(
            generator is not None,
            DecodeError,
            function_name,
            "generator is None",
            "a torch.Generator, as a sampling is given",
            "Give torch.Generator().manual_seed(...), or leave out the sampling.",
        )


def _check_prompt(function_name, config, prompt):
    (batch, n), longest = prompt.shape, config.max_length
    expect(
        batch and n,
        DecodeError,
        function_name,
        f"prompt is of shape {(batch, n)}",
        "a text of a token or more",
        "Begin each with a word.",
    )
    check_ids(function_name, "prompt", prompt.min(), prompt.max(), config.target_words)
    never = config.never_ids
    marks = {config.pad_id, config.begin_id} if never is None else {*never}
    marks &= set(prompt.flatten().tolist())
    expect(
        not marks,
        DecodeError,
        function_name,
        f"prompt has {sorted(marks)} in it",
        "no padding and no BOS, which stand in no text",
        "Take them out.",
    )
    expect(
        n < longest,
        DecodeError,
        function_name,
        f"prompt is {n} tokens long",
        f"at most {longest - 1}, to leave room for one",
        "Cut it.",
    )


def _check_cache(model, cache, use_cache):
    if cache is None:
        return
    name, N = "generate", model.config.N
    expect(
        all(hasattr(cache, attribute) for attribute in ("layers", "next_position")),
        DecodeError,
        name,
        f"cache is of {type(cache)}",
        "an nn.LanguageModelCache, or None for one of its own",
        "Leave it out, or make it with the model's N.",
    )
    expect(
        use_cache,
        DecodeError,
        name,
        "cache is given",
        "None, as use_cache is False",
        "Leave one of the two out.",
    )
    expect(
        len(cache.layers) == N,
        DecodeError,
        name,
        f"cache has {len(cache.layers)} layers",
        f"{N}, as the model has",
        "Make it with the model's N.",
    )
    expect(
        not len(cache),
        DecodeError,
        name,
        f"cache has read {len(cache)} tokens",
        "an empty one: keys of another text would be attended to",
        "Make a new one.",
    )
