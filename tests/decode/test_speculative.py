"""A draft saves passes and changes nothing: the same tokens, or the same distribution of them."""

import math

import pytest
import torch
from scipy import stats

from tests.nn import models
from transformer_book.data import EOS
from transformer_book.decode import DecodeError, Sampling, generate, speculative
from transformer_book.decode.generate import suppress_marks
from transformer_book.nn import LanguageModel

WORDS = 7  # three of them never said: EOS and three tokens are left
PROMPT = torch.tensor([[4, 6, 5]])


def made(seed, **sizes):
    torch.manual_seed(seed)
    config = models.config(norm="pre", words=(WORDS,) * 2, **sizes)
    return LanguageModel(config).double().eval()


@pytest.fixture(scope="session")
def model():
    return made(2, N=1)


def by_model(other):
    def draft(ids):
        with torch.no_grad():
            return other(ids[None])[0][0, -1]

    return draft


def table(ids):
    """A draft that is often wrong, and knows nothing but the last token."""
    rows = torch.randn(WORDS, WORDS, generator=torch.Generator().manual_seed(1))
    return 2 * rows[ids[-1]].double()


@pytest.mark.parametrize("k", [1, 2, 5, 40])
@pytest.mark.parametrize("good", [True, False])
def test_greedy_tokens_are_those_of_the_model_alone(model, k, good):
    draft = by_model(model) if good else table
    for prompt in (PROMPT, torch.tensor([[6]]), torch.tensor([[5, 5, 4, 4, 6]])):
        ids, passes = speculative(model, draft, prompt, 19, k)
        (expected,) = generate(model, prompt, 19)
        assert ids == expected and len(ids) > 3
        written = sum(accepted + 1 for _, accepted in passes)
        assert len(ids) <= written <= len(ids) + 1 + k  # EOS, and what followed it
        if good:
            assert all(proposed == accepted for proposed, accepted in passes)
            assert len(passes) == math.ceil(min(19, len(ids) + 1) / (k + 1))


def exact(model, sampling, length):
    """Return the probability of every beginning of ``length`` tokens, EOS ending it."""
    p = {(): 1.0}
    for _ in range(length):
        grown = {}
        for begin, mass in p.items():
            if EOS in begin:
                grown[begin] = mass
                continue
            with torch.no_grad():
                logits, _ = model(torch.tensor([[*PROMPT[0].tolist(), *begin]]))
            q = sampling.warp_logits(
                suppress_marks(logits[:, -1], model.config)
            ).softmax(-1)[0]
            for token in range(WORDS):
                grown[(*begin, token)] = mass * float(q[token])
        p = grown
    return p


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(1.5, 3, 0.9)])
def test_drawn_tokens_have_the_distribution_of_the_model_alone(model, k, sampling):
    """A chi-square test against every text of three tokens."""
    chance, draws = torch.Generator().manual_seed(0), 2000
    p, seen = exact(model, sampling, 3), {}
    for _ in range(draws):
        ids, _ = speculative(model, table, PROMPT, 3, k, sampling, generator=chance)
        text = tuple(ids) if len(ids) == 3 else (*ids, EOS)
        seen[text] = seen.get(text, 0) + 1
    assert all(p[text] > 0 for text in seen)
    often = [text for text in p if p[text] * draws >= 5]
    assert len(often) > 8
    counts = [seen.get(text, 0) for text in often]
    wanted = [p[text] * draws for text in often]
    if (others := draws - sum(wanted)) > 1e-6:
        counts.append(draws - sum(counts))
        wanted.append(others)
    assert stats.chisquare(counts, wanted).pvalue > 0.001


def test_a_pass_accepts_as_often_as_the_two_agree(model):
    """The first proposal is accepted with probability sum(min(p, q)), section 3.5 of the paper."""
    chance, runs = torch.Generator().manual_seed(0), 600
    with torch.no_grad():
        p = suppress_marks(model(PROMPT)[0][0, -1:], model.config).softmax(-1)[0]
    q = suppress_marks(table(PROMPT[0])[None], model.config).softmax(-1)[0]
    rate = torch.minimum(p, q).sum().item()
    accepted = 0
    for _ in range(runs):
        _, passes = speculative(model, table, PROMPT, 2, 1, generator=chance)
        accepted += passes[0][1]
    assert 0.1 < rate < 0.9
    assert stats.binomtest(accepted, runs, rate).pvalue > 0.001


def test_a_smaller_model_may_be_the_draft(model):
    small = by_model(made(4, d_model=8, N=1))
    ids, passes = speculative(model, small, PROMPT, 21, 3)
    assert ids == generate(model, PROMPT, 21)[0]
    assert len(passes) < len(ids) and passes[0][0] == 3


def test_the_padding_is_that_of_the_model():
    """Neither draft nor model may write it, however likely it is."""
    own = made(2, N=1, pad_id=6, share="none")
    prompt = torch.tensor([[4, 5, 5]])
    with torch.no_grad():
        own.output[6] = 100 * own.vectors(prompt)[0][0, -1]
        assert int(own(prompt)[0][0, -1].argmax()) == 6
    ids, _ = speculative(own, by_model(own), prompt, 19, 3)
    assert 6 not in ids and ids == generate(own, prompt, 19)[0]


def test_the_model_stays_in_its_mode_and_chance_as_it_was(model):
    before = torch.get_rng_state()
    model.train()
    speculative(model, table, PROMPT, 3)
    assert model.training and torch.equal(before, torch.get_rng_state())
    model.eval()


@pytest.mark.parametrize(
    "change, said",
    [
        (dict(k=0), "speculative: k is 0; expected a whole number of at least 1"),
        (dict(prompt=PROMPT.expand(2, -1)), "prompt is 2 texts; expected one"),
        (dict(tokens=22), "speculative: tokens is 22; expected .* 1 to 21"),
        (dict(sampling=Sampling()), "generator is None; expected a torch.Generator"),
        (dict(sampling=2), "sampling is 2; expected a decode.Sampling"),
        (dict(prompt=torch.tensor([[7]])), "ids from 7 to 7; expected 0 to 6"),
    ],
)
def test_bad_input_is_one_clear_error(model, change, said):
    arguments = dict(prompt=PROMPT, tokens=3, k=2)
    with pytest.raises(DecodeError, match=said):
        speculative(model, table, **{**arguments, **change})
