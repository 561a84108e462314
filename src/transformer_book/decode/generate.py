"""A text continued by a language model: the prompt at once, then a token at a time."""

import torch
from jaxtyping import Int
from torch import Tensor

from ..nn import LanguageModel, LanguageModelCache
from ..nn.cache import PreallocatedCache, unchanged_on_error
from ..shapes import checked
from .errors import check, check_ids, check_model, check_whole, choosable
from .greedy import best
from .sampling import Sampling, check_sampling, draw
from .sequences import evaluating, until_end


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
    check_text("generate", model, prompt, tokens, sampling, generator)
    _check_cache(model, cache, use_cache)
    tame = (sampling or Sampling()).tame

    def choose(logits):
        logits = possible(logits, model.config)
        logits = choosable("generate", logits, ended)
        if generator is None:
            return best(logits)
        return draw(tame(logits), generator)

    text = prompt.to(model.output.device)
    ended = torch.zeros(len(text), dtype=torch.bool, device=text.device)
    ends = torch.tensor(model.config.end_ids, dtype=torch.long, device=text.device)
    if use_cache and cache is None:
        read = prompt.shape[1] + tokens - 1  # nobody reads the last
        cache = LanguageModelCache(model.config.N, lambda: PreallocatedCache(read))
    with evaluating(model), unchanged_on_error(cache):
        new = text  # prefill
        for _ in range(tokens):
            x, _ = model.vectors(new, cache=cache)
            token = choose(model.logits(x[:, -1]))  # (batch,)
            text = torch.cat([text, token[:, None]], dim=1)
            new = token[:, None] if use_cache else text  # decode
            # The batch stays whole: what follows a text's end is never read.
            ended |= torch.isin(token, ends)
            if ended.all():
                break
    written = text[:, prompt.shape[1] :].tolist()
    return [until_end(ids, model.config.end_ids) for ids in written]


def possible(logits, config):
    """Rule out what is never written, such as padding; logits (..., words)."""
    never = torch.tensor(config.never, dtype=torch.long, device=logits.device)
    return logits.index_fill(-1, never, -torch.inf)


def check_text(name, model, prompt, tokens, sampling, generator):
    """Raise DecodeError unless a function can continue the prompt, (batch, n), like this."""
    check_model(name, model, "LanguageModel")
    (batch, n), longest = prompt.shape, model.config.max_length
    given, expected = f"of shape {(batch, n)}", "a text of a token or more"
    check(batch and n, name, "prompt", given, expected)
    words = model.config.target_words
    check_ids(name, "prompt", prompt.min(), prompt.max(), words)
    c = model.config
    marks = {c.pad_id, c.begin_id} if c.never_ids is None else {*c.never_ids}
    marks &= set(prompt.flatten().tolist())
    given, expected = f"a text with {sorted(marks)} in it", "no padding and no BOS"
    check(not marks, name, "prompt", given, f"{expected}, which stand in no text")
    given, expected = (
        f"{n} tokens long",
        f"at most {longest - 1}, to leave room for one",
    )
    check(n < longest, name, "prompt", given, expected)
    why = f", the positions that a prompt of {n} leaves of the model's {longest}"
    check_whole(name, "tokens", tokens, 1, longest - n, why)
    right = isinstance(generator, torch.Generator) or generator is None
    expected = "torch.Generator().manual_seed(...), or None for the likeliest tokens"
    check(right, name, "generator", repr(generator), expected)
    if sampling is not None:
        check_sampling(name, sampling)
        expected = "a torch.Generator, as a sampling is given"
        check(generator is not None, name, "generator", "None", expected)


def _check_cache(model, cache, use_cache):
    if cache is None:
        return
    name, N = "generate", model.config.N
    kept = all(hasattr(cache, part) for part in ("layers", "start"))
    expected = "an nn.LanguageModelCache, or None for one of its own"
    check(kept, name, "cache", f"of {type(cache)}", expected)
    check(use_cache, name, "cache", "given", "None, as use_cache is False")
    given, expected = f"one of {len(cache.layers)} layers", f"{N}, as the model has"
    check(len(cache.layers) == N, name, "cache", given, expected)
    given = f"one that has read {len(cache)} tokens"
    expected = "an empty one: keys of another text would be attended to"
    check(not len(cache), name, "cache", given, expected)
