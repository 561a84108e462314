"""The record of masked and causal models: how they are asked, and what the command writes."""

import json

import pytest
import torch

from transformer_lab import records
from transformer_lab.language import masked_and_causal as lab


@pytest.fixture(scope="session")
def sentences():
    """Few sentences, of which a model learns in no time."""
    return lab.Sentences(learn=200, held_out=6)


def test_both_kinds_begin_with_the_same_weights(sentences):
    one, other = (lab.untrained_variant(kind, sentences, seed=3) for kind in lab.KINDS)
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)


def test_only_hidden_words_are_asked_for_and_no_mark_is_hidden(sentences):
    seen = []

    def model(ids, mask):
        seen.append((ids, mask))
        return torch.zeros(*ids.shape, len(sentences.vocabulary)), {}

    ids = sentences.train[:50]
    generator = torch.Generator().manual_seed(0)
    loss = lab.masked_loss(model, ids, sentences.mask, generator)
    assert loss.item() == pytest.approx(torch.tensor(len(sentences.vocabulary)).log())
    read, mask = seen[0]
    hidden = read == sentences.mask
    assert torch.equal(read[~hidden], ids[~hidden])
    assert (ids[hidden] > sentences.mask).all()
    assert 0.1 < hidden.sum() / (ids > sentences.mask).sum() < 0.2
    assert torch.equal(mask[:, 0], ids != 0)


def test_a_masked_guess_does_not_see_its_word_and_a_causal_one_nothing_later(sentences):
    ids = sentences.held_out[:1].clone()
    last = int((ids != 0).sum()) - 2
    for kind in lab.KINDS:
        model = lab.untrained_variant(kind, sentences)
        logits, words = lab.hidden_word_logits_and_ids(model, kind, sentences, ids)
        assert torch.equal(words, ids[0, 1 : last + 1])
        other = ids.clone()
        other[0, last] = 6 + (ids[0, last] == 6).long()
        changed, _ = lab.hidden_word_logits_and_ids(model, kind, sentences, other)
        same = torch.isclose(changed, logits, atol=1e-6).all(dim=-1)
        assert same[-1]
        assert same.all() if kind == "causal" else not same[:-1].any()


def test_every_word_is_tried_in_every_gap(sentences):
    class Likes(torch.nn.Module):
        """Says which word it wants, whatever stands before."""

        def forward(self, ids):
            logits = torch.zeros(*ids.shape, len(sentences.vocabulary))
            logits[..., 7] = 1.0
            return logits, {}

    ids = torch.tensor([[2, 7, 8, 7, 3, 0]])
    assert lab.gap_filling_accuracy(Likes(), sentences, ids) == pytest.approx(2 / 3)


def test_what_is_written_has_the_length_that_was_told(sentences):
    model = lab.untrained_variant("masked", sentences)
    texts = lab.generate_sentences(model, "masked", sentences, 2, lengths=[4, 9])
    lengths = [len(text.split()) for text in texts]
    assert lengths[0] <= 4 < lengths[1] <= 9  # untrained, it may write the end
    assert (
        lab.generate_sentences(model, "masked", sentences, 2, lengths=[4, 9]) == texts
    )
    model = lab.untrained_variant("causal", sentences)
    texts = lab.generate_sentences(model, "causal", sentences, 5)
    assert len(texts) == 5 and not any("<" in text for text in texts)


def test_the_command_writes_what_the_pages_read(tmp_path, monkeypatch, sentences):
    monkeypatch.setattr(lab, "Sentences", lambda: sentences)
    path = tmp_path / "made.json"
    words = "--steps 1 2 --written 3 --scored 1 --seed 4 --seeds 2"
    small = words.split()
    lab.main(["--out", str(path), *small])
    made, kept = json.loads(path.read_text("utf-8")), records.load("families")
    assert made.keys() == kept.keys()
    assert made["runs"][0].keys() == kept["runs"][0].keys()
    assert made["scored"][0].keys() == kept["scored"][0].keys()
    assert [(r["seed"], r["steps"], r["kind"]) for r in made["runs"]] == [
        (seed, steps, kind)
        for seed in (4, 5)
        for steps in (1, 2)
        for kind in ("causal", "masked")
    ]
    assert "--steps 1 2 --written 3" in made["command"]
