"""A model reads the same from blocks as from one piece; whatever the load, no block is lost."""

import pytest
import torch

from tests.nn import models
from transformer_book import nn
from transformer_book.decode import generate
from transformer_book.decode.generate import suppress_marks
from transformer_book.decode.sequences import tokens_until_end
from transformer_book.serve import PagedCache, PagingError
from transformer_lab.torch_transformer import TorchLanguageModel

TEXTS = [[4, 7, 7, 8, 9, 1, 3], [5, 1, 10], [3, 8, 6, 6, 4, 9, 8, 7, 5]]


@pytest.fixture(scope="session")
def model():
    torch.manual_seed(3)
    made = nn.LanguageModel(models.config(norm="pre", dropout=0.0)).double().eval()
    made.requires_grad_(False).output.mul_(4)  # surer than a fresh one
    return made


def read(model, cache, requests):
    """Send all that is not read through the model; return each request's last vector."""
    view = cache.view(requests)
    x, _ = model.vectors(view.ids, cache=view)
    return x[torch.arange(len(x)), view.new - 1]


@pytest.mark.parametrize("block_size", [1, 2, 3, 16])
def test_one_text_from_blocks_is_equal_to_the_bit(model, block_size):
    model = model.float()
    try:
        paged, plain = PagedCache(4, 20, block_size), nn.LanguageModelCache(4)
        paged.add("a", TEXTS[0])
        x, new = read(model, paged, ["a"]), torch.tensor(TEXTS[:1])
        for _ in range(12):
            wanted = model.vectors(new, cache=plain)[0][:, -1]
            assert torch.equal(x, wanted)
            new = model.logits(wanted).argmax(-1, keepdim=True)
            paged.append("a", new.item())
            x = read(model, paged, ["a"])
    finally:
        model.double()


def test_texts_of_one_length_are_equal_to_the_bit(model):
    paged, plain = PagedCache(4, 20, 3), nn.LanguageModelCache(4)
    for i in range(3):
        paged.add(i, TEXTS[2][i : i + 5])
    ids = torch.tensor([TEXTS[2][i : i + 5] for i in range(3)])
    assert torch.equal(
        read(model, paged, range(3)), model.vectors(ids, cache=plain)[0][:, -1]
    )
    for i in range(3):
        paged.append(i, 6)
    new = torch.full((3, 1), 6)
    assert torch.equal(
        read(model, paged, range(3)), model.vectors(new, cache=plain)[0][:, -1]
    )


@pytest.mark.parametrize("share", [True, False])
def test_texts_of_different_lengths_are_what_torch_makes_of_each_alone(model, share):
    theirs = TorchLanguageModel(model)
    cache, texts = PagedCache(4, 40, 2, share_prefixes=share), {}
    for step in range(8):
        if step < 5:  # one more joins, some with the same beginning
            texts[step] = [*TEXTS[step % 3], *[step] * (step // 3)]
            cached = cache.add(step, texts[step])
            assert cached == (share and {3: 6, 4: 2}.get(step, 0))
        for request, x in zip(texts, read(model, cache, [*texts])):
            wanted = theirs(torch.tensor([texts[request]]))[0, -1]
            torch.testing.assert_close(model.logits(x), wanted)
            texts[request].append(int(x[0] * 1e6) % 11)
            cache.append(request, texts[request][-1])


def test_texts_of_one_beginning_share_its_blocks_unless_one_asks_otherwise(model):
    cache = PagedCache(4, 20, 2)
    cache.add("a", TEXTS[0])  # 7 tokens: three full blocks, and one in the next
    read(model, cache, ["a"])
    assert cache.add("b", TEXTS[0]) == 6
    assert (
        cache.table("a")[:3] == cache.table("b")[:3]
        and cache.allocator.shared_count == 3
    )
    x, wanted = read(model, cache, ["b"]), model.vectors(torch.tensor(TEXTS[:1]))[0]
    torch.testing.assert_close(x, wanted[:, -1])


def test_a_token_at_a_time_it_writes_what_generate_writes(model):
    cache, written = PagedCache(4, 60, 4), {i: [] for i in range(3)}
    for i, ids in enumerate(TEXTS):
        cache.add(i, ids)
    for _ in range(10):
        for i, x in enumerate(read(model, cache, range(3))):
            written[i].append(
                int(suppress_marks(model.logits(x), model.config).argmax())
            )
            cache.append(i, written[i][-1])
    alone = [generate(model, torch.tensor([ids]), 10)[0] for ids in TEXTS]
    assert max(map(len, alone)) > 3
    assert [
        tokens_until_end(ids, model.config.end_ids) for ids in written.values()
    ] == alone


def test_latent_attention_keeps_one_narrow_row_in_blocks():
    model = nn.LanguageModel(models.config(d_model=16, h=4, norm="pre")).eval()
    for layer in model.layers:
        layer.self_attention = nn.LatentAttention(16, 4, 6)
    model.double().requires_grad_(False)
    cache = PagedCache(4, 40, 2)
    for i, ids in enumerate(TEXTS):
        cache.add(i, ids)
    for token in (4, 9):
        for i, x in enumerate(read(model, cache, range(3))):
            alone = model.vectors(torch.tensor([cache.ids(i)]))[0][0, -1]
            torch.testing.assert_close(x, alone)
            cache.append(i, token + i)
    assert cache.pools[0].K.shape == (40, 2, 6) and cache.pools[0].V.numel() == 0


def test_who_wants_the_gradient_of_rows_in_blocks_is_told(model):
    try:
        model.requires_grad_()
        cache = PagedCache(4, 20, 3)
        cache.add("a", TEXTS[0])
        x = read(model, cache, ["a"])
        with pytest.raises(PagingError, match="have no gradient; .*torch.no_grad"):
            x.sum().backward()
    finally:
        model.requires_grad_(False)


def test_many_new_tokens_may_be_read_at_once(model):
    cache = PagedCache(4, 20, 3)
    cache.add("a", TEXTS[0])
    read(model, cache, ["a"])
    for token in (5, 6, 7):
        cache.append("a", token)
    x = read(model, cache, ["a"])
    wanted = model.vectors(torch.tensor([[*TEXTS[0], 5, 6, 7]]))[0][:, -1]
    torch.testing.assert_close(x, wanted)


def test_beams_share_until_they_differ(model):
    cache = PagedCache(4, 20, 4)
    cache.add("a", TEXTS[0])  # 7 tokens: a full block, and three in the next
    read(model, cache, ["a"])
    cache.fork("a", "b")
    assert cache.table("a") == cache.table("b") and cache.allocator.used_count == 2
    cache.append("a", 5)
    cache.append("b", 6)
    assert (
        cache.table("a")[0] == cache.table("b")[0] and cache.allocator.used_count == 3
    )
    for x, token in zip(read(model, cache, ["a", "b"]), (5, 6)):
        wanted = model.vectors(torch.tensor([[*TEXTS[0], token]]))[0][0, -1]
        torch.testing.assert_close(x, wanted)


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda c: c.add("a", [1]), "add: there is a request 'a' already"),
        (lambda c: c.add("b", []), "'b' has no tokens; expected one or more"),
        (lambda c: c.add("b", [4.7]), r"'b' with the tokens \[4.7\]; expected ids"),
        (lambda c: c.add("b", [True]), r"'b' with the tokens \[True\]; expected ids"),
        (lambda c: c.append("a", 4.7), r"'a' with the tokens \[4.7\]; expected ids"),
        (
            lambda c: c.append("b", 1),
            "append: no request 'b'; expected one of those there are: 'a'",
        ),
        (lambda c: c.free("b"), "free: no request 'b'"),
        (lambda c: c.view(["a", "b"]), "view: no request 'b'"),
        (lambda c: c.view(["a", "a"]), "expected one or more, each once"),
        (lambda c: c.view([]), "expected one or more, each once"),
        (lambda c: c.fork("a", "b"), "has read 0 of the 3 tokens of request 'a'"),
        (lambda c: c.fork("a", "a"), "fork: there is a request 'a' already"),
        (lambda c: c.fork("b", "c"), "fork: no request 'b'"),
        (lambda c: c.add("b", range(9)), "3 blocks wanted, 2 of 3 are free"),
    ],
)
def test_bad_input_is_one_clear_error(change, said):
    cache = PagedCache(2, 3, 4)
    cache.add("a", [1, 2, 3])
    with pytest.raises(PagingError, match=said):
        change(cache)
    assert len(cache) == 1 and cache.allocator.used_count == 1


def test_what_is_read_is_not_read_again(model):
    cache = PagedCache(4, 3, 4)
    cache.add("a", [1, 2, 3])
    read(model, cache, ["a"])
    with pytest.raises(PagingError, match="no token to read; expected one or more"):
        cache.view(["a"])
    cache.free("a")
    with pytest.raises(PagingError, match="there are: none"):
        cache.free("a")


@pytest.mark.parametrize("where", [0, 1, 3])
def test_a_pass_that_is_interrupted_is_made_again(model, where, monkeypatch):
    cache, plain = PagedCache(4, 20, 3), PagedCache(4, 20, 3)
    for one in (cache, plain):
        one.add("a", TEXTS[0])
        read(model, one, ["a"])
        one.append("a", 5), one.add("b", TEXTS[2])

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    # The last layer has its rows when its feed-forward network is called.
    monkeypatch.setattr(model.layers[where].feed_forward, "forward", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read(model, cache, ["a", "b"])
    monkeypatch.undo()
    assert torch.equal(read(model, cache, ["a", "b"]), read(model, plain, ["a", "b"]))


def test_rows_of_another_kind_are_one_clear_error(model):
    cache = PagedCache(4, 20, 3)
    cache.add("a", TEXTS[0])
    read(model, cache, ["a"])
    cache.append("a", 5)
    said = (
        r"keys are 16 numbers of torch.float32 on cpu; expected 16 numbers of torch.float64 on cpu"
        ".* make a new cache"
    )
    try:
        with pytest.raises(PagingError, match=said):
            read(model.float(), cache, ["a"])
    finally:
        model.double()


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_what_another_text_has_left_reaches_no_text(model, bad):
    """A shorter table is filled up with a block, and behind a text stands what was there before."""
    caches = cache, _ = PagedCache(4, 4, 4), PagedCache(4, 4, 4)
    for one in caches:
        one.add("a", TEXTS[2]), one.add("b", TEXTS[1])
        read(model, one, ["a", "b"])
        one.append("a", 4), one.append("b", 5)
    blocks = cache.table("a")
    assert 0 in blocks  # with which tables used to be filled up
    for pool in cache.pools:  # as of a text whose numbers have become too large
        pool.K[blocks] = pool.V[blocks] = bad
    assert torch.equal(*(read(model, one, ["a", "b"])[1] for one in caches))
    for one in caches:
        one.free("a"), one.append("b", 6), one.add("c", TEXTS[0][:6])
    assert {*cache.table("c"), cache.table("b")[-1]} == {*blocks}
    assert torch.equal(*(read(model, one, ["b", "c"]) for one in caches))
