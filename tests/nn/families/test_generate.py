"""What is loaded can be used: decoded, served, adapted, recomputed, as ``transformers`` does it."""

import pytest
import torch

from transformer_book import decode, nn, serve, train
from transformer_book.nn import families

from .peers import MAKERS, peer_of

ENCODERS = {"bert", "roberta", "distilbert", "vit"}
DECODERS = [name for name in MAKERS if name not in {"t5", *ENCODERS}]
IDS = torch.randint(3, 60, (3, 9), generator=torch.Generator().manual_seed(5))
TOKENS = 12


@pytest.fixture(params=DECODERS)
def both(request, tmp_path):
    peer = peer_of(request.param)
    peer.save_pretrained(tmp_path)
    return peer, families.load(tmp_path)


def written(peer, ids, ends):
    """Return what ``transformers`` writes greedily, up to the first id that ends a text."""
    out = peer.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=TOKENS,
        do_sample=False,
    )
    return [decode.sequences.tokens_until_end(row, ends) for row in out[:, 9:].tolist()]


def test_a_loaded_model_writes_what_transformers_writes(both):
    peer, model = both
    expected = written(peer, IDS, model.config.end_ids)
    assert len({*map(tuple, expected)}) == 3 and max(map(len, expected)) > 3
    for use_cache in (True, False):
        assert decode.generate(model, IDS, TOKENS, use_cache=use_cache) == expected
    engine = serve.Engine(model, block_size=4)
    for ids in IDS.tolist():
        engine.add(ids, TOKENS)
    assert [*engine.run().values()] == expected
    cache = nn.LanguageModelCache(model.config.N, lambda: nn.PreallocatedCache(40))
    assert decode.generate(model, IDS, TOKENS, cache=cache) == expected


@torch.no_grad()
def test_the_distribution_that_is_drawn_from_is_theirs(both):
    peer, model = both
    logits = peer(IDS).logits[:, -1]
    sampling = decode.Sampling(0.7, 20, 0.9)
    tamed = sampling.warp_logits(model(IDS)[0][:, -1])
    from transformers import (
        TemperatureLogitsWarper,
        TopKLogitsWarper,
        TopPLogitsWarper,
    )

    for change in (
        TemperatureLogitsWarper(0.7),
        TopKLogitsWarper(20),
        TopPLogitsWarper(0.9),
    ):
        logits = change(IDS, logits)
    torch.testing.assert_close(tamed.softmax(-1), logits.softmax(-1), atol=1e-4, rtol=0)


def test_it_can_be_adapted_and_recomputed(both):
    _, model = both
    adapted = nn.adapt(model, 2)
    assert torch.equal(adapted(IDS)[0], model(IDS)[0])
    adapted.requires_grad_(True)
    expected = torch.autograd.grad(
        adapted(IDS)[0].square().mean(), [*adapted.parameters()], allow_unused=True
    )
    with train.recomputing(adapted):
        found = torch.autograd.grad(
            adapted(IDS)[0].square().mean(), [*adapted.parameters()], allow_unused=True
        )
    for one, other in zip(found, expected, strict=True):
        assert one is other is None or torch.allclose(one, other, atol=1e-6)


def test_a_translator_writes_what_transformers_writes(tmp_path):
    peer = peer_of("t5")
    peer.save_pretrained(tmp_path)
    model = families.load(tmp_path)
    ids = IDS.clone()
    ids[0, 6:] = 0
    out = peer.generate(
        ids,
        attention_mask=(ids != 0).long(),
        max_new_tokens=TOKENS,
        do_sample=False,
        use_cache=False,  # theirs has no place for a third layer of the decoder
    )
    expected = [
        decode.sequences.tokens_until_end(row, model.config.end_ids)
        for row in out[:, 1:].tolist()
    ]
    for use_cache in (True, False):
        found = decode.greedy(model, ids, max_length=TOKENS, use_cache=use_cache)
        assert found == expected
