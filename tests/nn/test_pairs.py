"""Every pair of parts that the lessons teach, on a tiny model: plain computation, or refused in a sentence.

A row of a table is one part. A new row is run with every other at once.
"""

from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field
from itertools import combinations

import pytest
import torch

from tests.nn import plain
from transformer_book import decode, nn, train
from transformer_book.config import ConfigError, TransformerConfig
from transformer_book.data import BOS, EOS
from transformer_book.decode.generate import suppress_marks
from transformer_book.serve import Engine, PagedCache, PagingError

SIZES = dict(d_model=8, d_ff=12, h=2, N=2, dropout=0.0, max_length=16, norm="pre")
WORDS, TOKENS = 11, 5
IDS = torch.tensor([[4, 7, 7, 5, 9, 6], [5, 10, 4, 4, 8, 6]])
SOURCE = torch.tensor([[6, 9, 4, 5], [8, 10, 3, 0]])  # the second is padded


def at_once(model, *ids):
    return model(*ids)[0]


def in_pieces(make):
    """Return how logits are computed with a cache of this kind in each layer."""

    def read(model, ids):
        cache = nn.LanguageModelCache(model.config.N, make)
        pieces = [model(some, cache=cache)[0] for some in ids.split([3, 1, 2], dim=1)]
        return torch.cat(pieces, dim=1)

    return read


def from_blocks(model, ids):
    """Return the logits of texts that come, and are read, at different speeds."""
    cache, logits = PagedCache(model.config.N, 20, 2), [[] for _ in ids]
    for ends in ((3, 2), (4, 5), (6, 6)):
        for i, (text, end) in enumerate(zip(ids.tolist(), ends)):
            if i not in cache:
                cache.add(i, text[:end])
            for token in text[cache.length(i) : end]:
                cache.append(i, token)
        view = cache.view(range(len(ids)))
        for row, new, own in zip(model(view.ids, cache=view)[0], view.new, logits):
            own.append(row[:new])
    return torch.stack([torch.cat(own) for own in logits])


def translated_in_pieces(model, source, target):
    """Return the logits of a translation that is read with a :class:`DecoderCache`."""
    memory, mask = model.encode(source)[0], nn.padding_mask(source, 0)
    cache, pieces = nn.DecoderCache(model.config.N), target.split([3, 1, 2], dim=1)
    x = [model.decode(some, memory, mask, cache=cache)[0] for some in pieces]
    return model.logits(torch.cat(x, dim=1))


def written(make=None):
    """Return how texts are continued with such a cache, or without one."""

    def write(model, prompt):
        cache = make and nn.LanguageModelCache(model.config.N, make)
        return decode.generate(
            model, prompt, TOKENS, use_cache=cache is not None, cache=cache
        )

    return write


def translated(use_cache):
    """Return how sentences are translated."""
    return lambda model, source: decode.greedy(
        model, source, max_length=TOKENS, use_cache=use_cache
    )


def served(model, prompt):
    engine = Engine(model, blocks=12, block_size=2, most=2)
    asked = [engine.add(text, TOKENS) for text in prompt.tolist()]
    texts = engine.run()
    assert engine.cache.allocator.used_count == 0
    return [texts[request.id] for request in asked]


def guessed(model, prompt):
    """Continue texts with a draft that repeats the last token, which the model then checks."""

    def draft(text):
        return torch.eye(WORDS)[text[-1]]

    return [decode.speculative(model, draft, row[None], TOKENS)[0] for row in prompt]


def with_latent_heads(model):
    for layer in model.layers:
        layer.self_attention = nn.LatentAttention(8, 2, 3).to(model.output)
    return model


def adapted(model):
    """Return the model with LoRA of every matrix of its layers, moved as training would move it."""
    last = {name.rpartition(".")[2] for name, W in model.named_parameters()}
    made = nn.adapt(model, 2, sorted(name for name in last if name.startswith("W_")))
    with torch.no_grad():
        for W in made.parameters():
            if W.requires_grad:
                W.add_(0.3 * torch.randn_like(W))
    return made


def compiled(model):
    torch.compiler.reset()
    model.compile(backend="eager")
    return model


@dataclass
class Part:
    """What a lesson adds to a model, or to the way it is run.

    Parameters
    ----------
    kind : str
        A model has one part of a kind.
    settings : dict
        Of the configuration.
    change : callable
        What is done to the fresh model.
    around : callable
        Makes, of the model, a context for its passes.
    read, write : callable
        How logits are computed of ids, and what is written after a prompt; by default without a cache.
    window : int, optional
        How many tokens a token sees.
    near : float
        How far from plain computation it may be, as a part of what is computed.
    no_gradient : str, optional
        What may be said where a gradient is asked for.
    """

    kind: str
    settings: dict = field(default_factory=dict)
    change: Callable = lambda model: model
    around: Callable = lambda model: nullcontext()
    read: Callable = at_once
    write: Callable | None = None
    window: int | None = None
    near: float = 1e-9
    no_gradient: str | None = None


def cache(make, **own):
    return Part("cache", read=in_pieces(make), write=written(make), **own)


RUN = {
    "recomputing": Part("backward", around=train.recomputing),
    "autocast": Part(
        "precision",
        change=torch.nn.Module.float,
        around=lambda model: torch.autocast("cpu", torch.bfloat16),
        near=0.05,
    ),
    "compile": Part("speed", change=compiled),
}
PARTS = {
    "all of Llama": Part(
        "family",
        dict(positions="rope", normalise="rms", gated=True, activation="silu")
        | dict(bias=False, g=1),
    ),
    **{
        name: Part("positions", dict(positions=name))
        for name in ("sinusoidal", "learned", "none", "shaw", "t5", "alibi", "rope")
    },
    "post": Part("side of the norm", dict(norm="post")),
    "rms": Part("norm", dict(normalise="rms")),
    "no biases": Part("bias", dict(bias=False)),
    "gate": Part("gate", dict(gated=True, activation="silu")),
    "experts": Part("experts", dict(experts=3, active=2)),
    "grouped heads": Part("heads", dict(g=1)),
    "pooled heads": Part("heads", change=lambda model: nn.with_shared_heads(model, 1)),
    "latent heads": Part("heads", change=with_latent_heads),
    "qk_norm": Part("queries", dict(qk_norm=True)),
    "LoRA": Part("learns", change=adapted),
    **RUN,
    "KeyValueCache": cache(nn.KeyValueCache),
    "PreallocatedCache": cache(
        lambda: nn.PreallocatedCache(16), no_gradient="modified by an inplace operation"
    ),
    "SlidingWindowCache": cache(lambda: nn.SlidingWindowCache(3), window=3),
    "speculative": Part("cache", write=guessed),
    "PagedCache": Part(
        "cache",
        read=from_blocks,
        write=served,
        no_gradient="from blocks have no gradient; expected torch.no_grad()",
    ),
}
OF_THE_TRANSLATOR = {
    "post": Part("side of the norm", dict(norm="post")),
    **{share: Part("share", dict(share=share)) for share in ("all", "target", "none")},
    "LoRA": Part("learns", change=adapted),
    **RUN,
    "DecoderCache": Part("cache", read=translated_in_pieces, write=translated(True)),
}
LATENT = "{} is {}, and layers.0.self_attention is a LatentAttention, .* expected"
REFUSED = {
    ("all of Llama", "latent heads"): LATENT.format("positions", "'rope'"),
    **{
        (name, "latent heads"): LATENT.format("positions", f"'{name}'")
        for name in ("shaw", "t5", "alibi", "rope")
    },
    ("latent heads", "qk_norm"): LATENT.format("qk_norm", True),
}


def pairs(table):
    return [
        (one, other)
        for one, other in combinations(table, 2)
        if table[one].kind != table[other].kind
    ]


def made_of(parts, model_class):
    """Return a model with both parts, and how these want it to be run."""
    settings = SIZES | parts[0].settings | parts[1].settings
    torch.manual_seed(0)
    model = model_class(TransformerConfig(WORDS, WORDS, **settings)).double()
    with torch.no_grad():
        for name, W in model.named_parameters():  # as after training: no 0 and no 1
            if W.ndim == 1 or "table" in name:
                W.add_(0.3 * torch.randn_like(W))
        model.output.mul_(2)  # surer of the next word than a fresh one
    how = Part("both", near=max(part.near for part in parts))
    for part in parts:
        model = part.change(model)
        for name in ("read", "write", "window", "no_gradient"):
            if getattr(part, name) != getattr(Part, name):
                setattr(how, name, getattr(part, name))
    return model.eval(), how


def around(parts, model):
    """Return the contexts of both parts as one."""
    contexts = ExitStack()
    for part in parts:
        contexts.enter_context(part.around(model))
    return contexts


def away(tensors, expected):
    """Return how far tensors are from those expected, as a part of these."""
    one, other = (
        torch.cat([x.detach().flatten() for x in some]) for some in (tensors, expected)
    )
    return ((one - other).norm() / other.norm()).item()


def check_logits_and_gradients(model, logits, expected, how):
    logits = logits.to(expected.dtype)
    assert away([logits], [expected]) <= how.near
    learned = [W for W in model.parameters() if W.requires_grad]
    wanted = torch.autograd.grad(expected.square().mean(), learned)
    try:
        found = torch.autograd.grad(
            logits.square().mean(), learned, materialize_grads=True
        )
    except (RuntimeError, PagingError) as error:
        assert how.no_gradient is not None and how.no_gradient in str(error)
    else:
        assert away(found, wanted) <= how.near


def check_likeliest(logits, text, how):
    """Assert that each token of a text is the likeliest by plain logits, (tokens, words)."""
    tokens = torch.tensor([*text, EOS][:TOKENS])
    logits = logits[: len(tokens)]
    unit = logits[logits.isfinite()].abs().max()
    lost = logits.max(dim=-1).values - logits[torch.arange(len(tokens)), tokens]
    assert (lost <= how.near * unit).all()


@pytest.mark.parametrize("one, other", pairs(PARTS))
def test_a_language_model_of_two_parts(one, other):
    parts = PARTS[one], PARTS[other]
    model, how = made_of(parts, nn.LanguageModel)
    if (one, other) in REFUSED:
        with pytest.raises(ConfigError, match=REFUSED[one, other]):
            how.read(model, IDS)
        return
    with around(parts, model):
        logits = how.read(model, IDS)
    expected = plain.language_model(model, IDS, how.window)
    check_logits_and_gradients(model, logits, expected, how)
    prompts, write = IDS[:, :3], how.write or written()
    with around(parts, model):
        texts = write(model, prompts)
    for prompt, text in zip(prompts.tolist(), texts, strict=True):
        read = torch.tensor([[*prompt, *text]])
        logits = plain.language_model(model, read, how.window)[0, 2:]
        expected = suppress_marks(logits, model.config)
        check_likeliest(expected, text, how)


@pytest.mark.parametrize("one, other", pairs(OF_THE_TRANSLATOR))
def test_a_translator_of_two_parts(one, other):
    parts = OF_THE_TRANSLATOR[one], OF_THE_TRANSLATOR[other]
    model, how = made_of(parts, nn.Transformer)
    with around(parts, model):
        logits = how.read(model, SOURCE, IDS)
    expected = plain.translator(model, SOURCE, IDS)
    check_logits_and_gradients(model, logits, expected, how)
    with around(parts, model):
        texts = (how.write or translated(False))(model, SOURCE)
    for source, text in zip(SOURCE, texts, strict=True):
        read = torch.tensor([[BOS, *text]])
        expected = plain.translator(model, source[None], read)[0]
        expected[:, [0, BOS]] = -torch.inf  # never written
        check_likeliest(expected, text, how)
