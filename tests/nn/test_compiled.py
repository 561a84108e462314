"""Models that torch compiles in one graph and exports for texts of any length, against themselves."""

import pytest
import torch

from tests.nn.cases import close
from transformer_book import nn
from transformer_book.config import TransformerConfig
from transformer_book.shapes import ShapeError

CONFIG = TransformerConfig.tiny(
    20, d_model=16, d_ff=32, h=2, N=1, dropout=0.0, norm="pre"
)
VARIANTS = {
    "the paper's": {},
    "RoPE, RMSNorm, experts with gates": dict(
        positions="rope", normalise="rms", gated=True, experts=3, active=2
    ),
    "T5's buckets, shared heads": dict(positions="t5", g=1),
    "Shaw's, normalised queries": dict(positions="shaw", qk_norm=True),
    "ALiBi": dict(positions="alibi"),
}
VARIANTS = {
    name: choices | dict(kind="decoder-only") for name, choices in VARIANTS.items()
}
VARIANTS |= {
    "Transformer": {},
    "BERT": dict(kind="encoder-only", positions="learned", token_types=2),
    "T5": dict(positions="t5", embedding_scaled=False, score_scale=1.0),
    "Gemma 2": dict(
        kind="decoder-only", positions="rope", window=3, score_cap=5.0, norm="both"
    ),
}


def model(name):
    torch.manual_seed(0)
    return nn.model_from_config(CONFIG.changed(**VARIANTS[name])).eval()


def inputs(name, batch, length):
    """Ids for a model, of which some are padding."""
    ids = torch.arange(batch * length).view(batch, length) % 17 + 3
    ids[0, -1] = CONFIG.pad_id
    return (ids, ids.flip(1)[:, 1:]) if name in ("Transformer", "T5") else (ids,)


@pytest.fixture(autouse=True)
def afresh():
    """Forget what was compiled: a function is compiled for eight models at most."""
    torch.compiler.reset()


@pytest.mark.parametrize("name", VARIANTS)
def test_a_model_is_one_graph(name):
    plain = model(name)
    how = dict(backend="eager", fullgraph=True, dynamic=True)
    compiled = torch.compile(plain, **how)
    for length in (5, 8):
        given = inputs(name, 2, length)
        close(compiled(*given)[0], plain(*given)[0], 1e-5)
    parameters = [*plain.parameters()]
    losses = [each(*given)[0].square().mean() for each in (compiled, plain)]
    ours, theirs = (
        torch.autograd.grad(loss, parameters, allow_unused=True) for loss in losses
    )
    for one, other in zip(ours, theirs, strict=True):
        if one is not None or other is not None:
            close(one, other, 1e-5)


@pytest.mark.parametrize("name", VARIANTS)
def test_an_exported_model_reads_texts_of_any_length(name):
    plain, given = model(name), inputs(name, 2, 5)
    free = dict.fromkeys((0, 1), torch.export.Dim.AUTO)
    program = torch.export.export(plain, given, dynamic_shapes=(free,) * len(given))
    for batch, length in ((2, 5), (3, 8), (4, 6)):
        given = inputs(name, batch, length)
        close(program.module()(*given)[0], plain(*given)[0], 1e-5)


def test_an_adapted_model_is_one_graph():
    plain = nn.adapt(model("the paper's"), 2)
    compiled = torch.compile(plain, backend="eager", fullgraph=True)
    given = inputs("", 2, 5)
    close(compiled(*given)[0], plain(*given)[0], 1e-6)


def test_what_is_not_compiled_is_checked_as_before():
    plain, given = model("the paper's"), inputs("", 2, 5)
    torch.compile(plain, backend="eager", fullgraph=True)(*given)
    with pytest.raises(ShapeError, match="forward: ids has shape"):
        plain(given[0][0])


@torch._dynamo.config.patch(recompile_limit=1)
def test_no_function_is_compiled_at_the_cost_of_another():
    X = torch.ones(1, 3, 4)
    for function in (nn.softmax, nn.merge_heads, nn.split_heads):
        given = (X, 2) if function is nn.split_heads else (X[None],)
        compiled = torch.compile(function, backend="eager", fullgraph=True)
        close(compiled(*given), function(*given), 0)
