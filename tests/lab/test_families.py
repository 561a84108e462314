"""The record of masked and causal models, and the published configurations."""

import json

import pytest
import torch
import transformers as t

from transformer_book import nn
from transformer_book.nn import families
from transformer_lab import families as lab
from transformer_lab import published, records


@pytest.fixture(scope="session")
def sentences():
    """Few sentences, of which a model learns in no time."""
    return lab.Sentences(learn=200, held=6)


def test_sentences_stand_between_their_marks(sentences):
    text = "the black cat sat on the couch ."
    ids = sentences.rows([text.split()])
    assert ids[0, 0] == 2 and ids[0, -1] == 3 and ids.shape == (1, 10)
    assert sentences.words(ids[0].tolist()) == text
    assert torch.equal(sentences.ids(text), ids[:, :-1])
    assert sentences.words([sentences.mask]) == "<mask>"
    assert len(sentences.train) == 200 and len(sentences.held) == 6


def test_they_are_the_first_of_the_grammar_english_alone(sentences, grammar_corpus):
    for rows, pairs in (
        (sentences.train, grammar_corpus.train[:200]),
        (sentences.held, grammar_corpus.test[:6]),
    ):
        english = [" ".join(source).lower() for source, _ in pairs]
        assert [sentences.words(row) for row in rows.tolist()] == english


def test_both_kinds_begin_with_the_same_weights(sentences):
    one, other = (lab.model_of(kind, sentences, seed=3) for kind in lab.KINDS)
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
    ids = sentences.held[:1].clone()
    last = int((ids != 0).sum()) - 2
    for kind in lab.KINDS:
        model = lab.model_of(kind, sentences)
        logits, words = lab.guesses(model, kind, sentences, ids)
        assert torch.equal(words, ids[0, 1 : last + 1])
        other = ids.clone()
        other[0, last] = 6 + (ids[0, last] == 6).long()
        changed, _ = lab.guesses(model, kind, sentences, other)
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
    assert lab.accuracy_scored(Likes(), sentences, ids) == pytest.approx(2 / 3)


def test_what_is_written_has_the_length_that_was_told(sentences):
    model = lab.model_of("masked", sentences)
    texts = lab.written(model, "masked", sentences, 2, lengths=[4, 9])
    lengths = [len(text.split()) for text in texts]
    assert lengths[0] <= 4 < lengths[1] <= 9  # untrained, it may write the end
    assert lab.written(model, "masked", sentences, 2, lengths=[4, 9]) == texts
    model = lab.model_of("causal", sentences)
    texts = lab.written(model, "causal", sentences, 5)
    assert len(texts) == 5 and not any("<" in text for text in texts)


def test_the_grammar_accepts_its_own_sentences_and_no_others():
    assert lab.is_accepted("the cat sat on the couch on monday .")
    assert lab.is_accepted(
        "the black cat sat on the couch and the brown dog slept on the rug ."
    )
    assert not lab.is_accepted("the cat couch sat on the .")
    assert not lab.is_accepted("")


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


CLASSES = {
    "BERT": (t.BertForMaskedLM, t.BertConfig),
    "GPT-2": (t.GPT2LMHeadModel, t.GPT2Config),
    "T5": (t.T5ForConditionalGeneration, t.T5Config),
    "Llama 3": (t.LlamaForCausalLM, t.LlamaConfig),
    "Qwen3": (t.Qwen3ForCausalLM, t.Qwen3Config),
    "ViT": (t.ViTForImageClassification, t.ViTConfig),
}


@pytest.mark.parametrize("name", published.CONFIGS)
def test_published_models_have_the_weights_of_transformers(name):
    config = dict(published.CONFIGS[name])
    with torch.device("meta"):
        ours = nn.model_of(families.config_of(config))
        config.pop("model_type")
        kind, settings = CLASSES[name]
        peer = kind(settings(**config))
    assert lab.millions([ours.config]) == [
        sum(W.numel() for W in ours.parameters()) / 1e6
    ]
    shapes = families.as_theirs(
        ours, families.FAMILIES[published.CONFIGS[name]["model_type"]]
    )
    assert sum(W.numel() for W in ours.parameters()) == sum(
        W.numel() for W in peer.parameters()
    )
    assert sorted(tuple(W.shape) for W in shapes.values()) == sorted(
        tuple(W.shape) for W in peer.parameters()
    )
