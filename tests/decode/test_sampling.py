"""Temperature, top-k, top-p by definition, and sampling by counting what is drawn."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import special, stats

from tests.decode import cases
from transformer_book import decode
from transformer_book.data import EOS
from transformer_book.shapes import ShapeError

source = cases.sentences()
# Halves, so that some are equal and none nearly so.
logits = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 3), st.integers(1, 8)),
    elements=st.integers(-8, 8).map(lambda n: n / 2),
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def kept_by_hand(row, k=None, p=None):
    """Take words from the most probable down, the first of equals first, until it is enough."""
    order = sorted(range(len(row)), key=lambda i: (-row[i], i))
    probabilities, total, kept = special.softmax(row), 0.0, []
    for i in order:
        if (k is not None and len(kept) == k) or (p is not None and total >= p - 1e-12):
            break
        kept.append(i)
        total += probabilities[i]
    return [x if i in kept else -np.inf for i, x in enumerate(row)]


@given(logits, st.integers(1, 9))
def test_top_k_keeps_the_k_largest(z, k):
    result = decode.keep_top_k(torch.from_numpy(z), k)
    np.testing.assert_array_equal(result, [kept_by_hand(row, k=k) for row in z])


# No sum of these probabilities comes near such a p by chance.
@given(
    logits,
    st.floats(0.01, 1).map(lambda p: round(p, 3) + 1e-7).filter(lambda p: p <= 1),
)
def test_top_p_keeps_the_fewest_words_that_reach_p(z, p):
    result = decode.keep_top_p(torch.from_numpy(z), p)
    np.testing.assert_array_equal(result, [kept_by_hand(row, p=p) for row in z])


def test_top_p_at_its_edges():
    z = torch.log(torch.tensor([0.125, 0.5, 0.25, 0.125], dtype=torch.float64))
    for p, words in (
        (1e-9, 1),
        (0.5, 1),
        (0.5001, 2),
        (0.75, 2),
        (0.8, 3),
        (0.9, 4),
        (1, 4),
    ):
        assert int(decode.keep_top_p(z, p).isfinite().sum()) == words
    many = torch.linspace(0, -60, 1000)  # in float32 most add nothing to 1
    assert decode.keep_top_p(many, 1.0).isfinite().all()
    hidden = torch.tensor([0.0, -torch.inf, 0.0])
    assert decode.keep_top_p(hidden, 0.9).tolist() == hidden.tolist()


def test_of_many_equals_the_first_are_kept():
    equal = torch.zeros(1000)
    for result in (decode.keep_top_k(equal, 100), decode.keep_top_p(equal, 0.0995)):
        assert result.isfinite().nonzero()[:, 0].tolist() == list(range(100))


@given(logits, st.floats(0.1, 10))
def test_temperature_is_the_power_of_each_probability(z, temperature):
    ours = torch.softmax(
        decode.with_temperature(torch.from_numpy(z), temperature), dim=-1
    )
    powers = special.softmax(z, axis=-1) ** (1 / temperature)
    np.testing.assert_allclose(
        ours, powers / powers.sum(axis=-1, keepdims=True), atol=1e-12
    )


@pytest.mark.parametrize(
    "settings",
    [{}, {"temperature": 0.5}, {"temperature": 3.0}, {"top_k": 3}, {"top_p": 0.6},
     {"temperature": 2.0, "top_k": 4, "top_p": 0.8}],
)  # fmt: skip
def test_each_word_is_drawn_as_often_as_it_should_be(settings):
    model, sentence, n = cases.lively(24, words=8), cases.sentences(words=8)[:1], 4000

    def distribution(target):
        z = cases.next_log_p(model, sentence, target).numpy().copy()
        z[[0, 2]] = -np.inf
        z = z / settings.get("temperature", 1.0)
        z = np.array(kept_by_hand(z, k=settings.get("top_k")))
        z = np.array(kept_by_hand(z, p=settings.get("top_p")))
        return special.softmax(z)

    first, expected = distribution([]), {}
    expected[()] = first[EOS]
    for word in set(range(8)) - {EOS}:
        second = distribution([word])
        expected |= {(word, x): first[word] * second[x] for x in set(range(8)) - {EOS}}
        expected[(word,)] = first[word] * second[EOS]
    drawn = decode.sample(
        model,
        sentence.expand(n, -1),
        decode.Sampling(**settings),
        generator=seeded(),
        max_length=2,
    )
    counts = dict.fromkeys(expected, 0)
    for words in drawn:
        counts[tuple(words)] += 1
    assert all(counts[words] == 0 for words, p in expected.items() if p == 0)
    common = [words for words, p in expected.items() if n * p >= 5]
    p = np.array([expected[words] for words in common])
    seen = np.array([counts[words] for words in common])
    if (rest := 1 - p.sum()) * n >= 5:
        p, seen = np.append(p, rest), np.append(seen, n - seen.sum())
    assert len(p) > 2
    assert stats.chisquare(seen, p / p.sum() * seen.sum()).pvalue > 1e-3


def test_same_seed_same_words_other_seed_others():
    model = cases.lively()
    draws = [decode.sample(model, source, generator=seeded(seed)) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


@pytest.mark.parametrize("only", [{"top_k": 1}, {"top_p": 1e-9}, {"temperature": 1e-9}])
def test_what_leaves_one_word_is_greedy(only):
    model = cases.lively(2)
    sampling = decode.Sampling(**only)
    words = decode.sample(model, source, sampling, generator=seeded())
    assert words == decode.greedy(model, source)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"temperature": 0}, "temperature is 0; expected a finite number above 0"),
        (
            {"temperature": float("inf")},
            "temperature is inf; expected a finite number above 0",
        ),
        (
            {"temperature": "hot"},
            "temperature is 'hot'; expected a finite number above 0",
        ),
        ({"top_k": 0}, "k is 0; expected a whole number of at least 1"),
        ({"top_k": 2.5}, "k is 2.5; expected a whole number of at least 1"),
        ({"top_p": 0}, "p is 0; expected a probability above 0 and at most 1"),
        ({"top_p": 1.01}, "p is 1.01; expected a probability above 0 and at most 1"),
        (
            {"top_p": float("nan")},
            "p is nan; expected a probability above 0 and at most 1",
        ),
    ],
)
def test_a_wrong_setting_is_named(wrong, message):
    with pytest.raises(decode.DecodeError, match=message):
        decode.Sampling(**wrong)


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"generator": 7}, "generator is 7; expected torch.Generator"),
        ({"sampling": 0.7}, r"sampling is 0.7; expected a decode.Sampling\(...\)"),
    ],
)
def test_a_wrong_argument_is_named(wrong, message):
    with pytest.raises(decode.DecodeError, match=message):
        decode.sample(cases.lively(), source, **{"generator": seeded(), **wrong})


def test_logits_are_a_tensor_of_floats():
    with pytest.raises(ShapeError, match="logits holds int64; expected float"):
        decode.keep_top_k(torch.tensor([1, 2]), 1)
