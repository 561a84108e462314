"""What the small language models share: a text of translations, the settings of a run, a loss."""

import pytest
import torch

from transformer_book import data, train
from transformer_lab.language import small_models


def test_a_text_of_translations_has_each_sentence_with_its_own(
    grammar_corpus, monkeypatch
):
    monkeypatch.setattr(data, "load_parallel", {"grammar": grammar_corpus}.get)
    text = small_models.translation_text(pair_count=5, held_out_count=2)
    source, target = grammar_corpus.train[0]
    first = text.decode_text(text.train.tolist()).split(" <eos>")[0]
    assert first.split() == [*source, *target]
    ends = [int((part == data.EOS).sum()) for part in (text.train, text.validation)]
    assert ends == [5, 2]


def test_the_settings_go_up_to_the_peak_and_down_again():
    settings = small_models.training_settings(100, peak_rate=0.01)
    rates = [settings.learning_rate(step, 128) for step in (1, 10, 100)]
    assert rates[1] == pytest.approx(0.01) and rates[0] < rates[1]
    assert rates[2] < 0.002


def test_few_merges_make_few_kinds_of_tokens(grammar_corpus, monkeypatch):
    monkeypatch.setattr(data, "load_parallel", {"grammar": grammar_corpus}.get)
    few, many = (
        small_models.translation_text(pair_count=50, held_out_count=2, n_merges=merges)
        for merges in (0, 200)
    )
    assert len(few.vocabulary) < len(many.vocabulary)
    assert len(few.train) > len(many.train)


def test_the_loss_is_the_mean_over_all_windows(text):
    model = train.fresh_language_model(text, 0, d_model=16, d_ff=16, h=2)
    ids = torch.from_numpy(text.validation)
    each = train.token_losses(model, ids, small_models.CONTEXT)
    assert len(each) == len(ids) - 1
    assert small_models.text_loss(model, text.validation) == pytest.approx(
        each.mean().item()
    )
    assert small_models.text_loss(model, ids) == small_models.text_loss(
        model, text.validation
    )
