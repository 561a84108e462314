"""The peer of the benchmarks is the book's language model: same logits, same tokens."""

import pytest
import torch

from benchmarks.gpt2 import make_gpt2
from transformer_book import decode, nn
from transformer_book.data import BOS, PAD, UNK


@pytest.fixture(scope="session", params=[None, 1], ids=["gpt2", "bigcode"])
def model(request):
    torch.manual_seed(0)
    sizes = dict(
        d_model=32, d_ff=48, h=4, g=request.param, N=3, dropout=0.0, norm="pre"
    )
    config = nn.TransformerConfig(50, 50, **sizes, share="none", max_length=40)
    model = nn.LanguageModel(config).eval()
    with torch.no_grad():  # a scale and a shift that are 1 and 0 would compare nothing
        for W in model.parameters():
            W.add_(torch.randn_like(W) / 10)
    return model


@torch.no_grad()
def test_gpt2_has_our_logits(model):
    ids = torch.randint(4, 50, (3, 20))
    ours, _ = model(ids)
    torch.testing.assert_close(make_gpt2(model)(ids).logits, ours, atol=1e-5, rtol=1e-5)


def test_gpt2_writes_our_tokens(model):
    prompt = torch.randint(4, 50, (1, 8))
    ours = decode.generate(model, prompt, 20)[0]
    never = [[token] for token in (PAD, UNK, BOS)]
    theirs = make_gpt2(model).generate(
        prompt, max_new_tokens=20, do_sample=False, bad_words_ids=never
    )
    assert theirs[0, 8:].tolist()[: len(ours)] == ours
