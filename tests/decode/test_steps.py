"""Step by step, against one run of the whole model over the finished translation."""

import numpy as np
import pytest
import torch

from tests.decode import cases
from transformer_book import decode
from transformer_book.data import BOS, EOS

source = cases.sentences()


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("norm, share", cases.VARIANTS)
def test_steps_show_what_the_whole_model_says(norm, share, use_cache):
    model = cases.lively(0, norm, share)
    for i in range(len(source)):
        sentence = source[i : i + 1]
        steps = decode.steps(model, sentence, need_weights=True, use_cache=use_cache)
        (words,) = decode.greedy(model, sentence)
        tokens = [step.token for step in steps]
        assert tokens == ([*words, EOS] if len(words) < 24 else words)
        with torch.no_grad():
            logits, weights = model(
                sentence, torch.tensor([[BOS, *tokens[:-1]]]), need_weights=True
            )
        p = torch.stack([step.probabilities for step in steps])
        np.testing.assert_allclose(p, torch.softmax(logits[0], dim=-1), atol=1e-10)
        B = torch.stack([step.cross_attention for step in steps], dim=2)  # (N, h, m, n)
        expected = [
            weights[f"decoder.{layer}.cross_attention"][0] for layer in range(2)
        ]
        np.testing.assert_allclose(B, torch.stack(expected), atol=1e-10)


def test_weights_come_only_if_asked_for_and_results_can_be_differentiated():
    model = cases.lively()
    (step, *_) = decode.steps(model, source[:1])
    assert step.cross_attention is None and not step.probabilities.requires_grad
    scale = torch.ones(cases.WORDS, dtype=torch.float64, requires_grad=True)
    (step.probabilities * scale).sum().backward()
    assert torch.equal(scale.grad, step.probabilities)


def test_steps_take_one_sentence():
    message = r"steps: source is 3 sentences; expected one, of shape \(1, n\)"
    with pytest.raises(decode.DecodeError, match=message):
        decode.steps(cases.lively(), source)


@pytest.mark.parametrize("norm, share", cases.VARIANTS)
def test_log_probability_is_the_chain_rule(norm, share):
    model = cases.lively(1, norm, share).train()
    target = [[4, 5, 1, 9], [], [6, 6]]
    result = decode.log_probability(model, source, target)
    assert model.training and not any(terms.requires_grad for terms in result)
    model.eval()
    for terms, sentence, words in zip(result, cases.alone(source), target):
        expected = [
            cases.next_log_p(model, sentence, words[:i])[word]
            for i, word in enumerate([*words, EOS])
        ]
        np.testing.assert_allclose(terms, expected, atol=1e-10)


def test_a_translation_that_fills_all_positions_has_no_eos():
    model = cases.lively()
    (terms,) = decode.log_probability(model, source[:1], [[5] * 24])
    assert terms.shape == (24,)


@pytest.mark.parametrize(
    "target, message",
    [
        ([[4]], "target is 1 translations; expected 3, one for each source"),
        ([[4], [12], []], "target has ids from 3 to 12; expected 0 to 11"),
        ([[4], [-1], []], "target has ids from -1 to 4; expected 0 to 11"),
        ([[4], [4.5], []], r"target is \[4.5\]; expected a list of ids, whole numbers"),
        ([[4], [True], []], r"target is \[True\]; expected a list of ids, whole"),
        (
            [[4], [2**70], []],
            "target has ids from 3 to 1180591620717411303424; expected",
        ),
        ([[4], [5] * 25, []], "target is 25 tokens long; expected at most 24"),
    ],
)
def test_a_wrong_target_is_named(target, message):
    with pytest.raises(decode.DecodeError, match=f"log_probability: {message}"):
        decode.log_probability(cases.lively(), source, target)


def test_a_wrong_source_is_named():
    with pytest.raises(
        decode.DecodeError, match="log_probability: source has ids from 3 to 12"
    ):
        decode.log_probability(cases.lively(), torch.tensor([[12, EOS]]), [[4]])
