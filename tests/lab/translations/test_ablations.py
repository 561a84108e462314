"""The ablations leave out what they say, and nothing else."""

from transformer_book import data, train
from transformer_lab.translations import ablations


def test_without_warm_up_the_rate_starts_at_its_peak():
    settings = ablations.SETTINGS
    without = ablations.InverseSquareRootSettings(**settings.as_dict())
    peak = settings.learning_rate(settings.warmup, 128)
    assert (
        without.learning_rate(1, 128)
        == peak
        == without.learning_rate(settings.warmup, 128)
    )
    later = settings.warmup + 100
    assert (
        without.learning_rate(later, 128) == settings.learning_rate(later, 128) < peak
    )


def test_ablations_leave_out_what_they_say(monkeypatch, tmp_path, grammar_corpus):
    corpus = grammar_corpus
    small = data.ParallelCorpus.from_pairs(
        corpus.train[:60],
        corpus.train[:5],
        corpus.train[:5],
        name="grammar",
        title="",
        terms="",
        source_language="en",
        target_language="zh",
    )
    seen = {}

    def watch(model, corpus, settings):
        seen[name] = (model.config, settings, float(model.PE.abs().sum()))
        return train.train(model, corpus, settings)

    monkeypatch.setattr(ablations, "train", watch)
    monkeypatch.setattr(
        ablations, "BOOK_CHOICES", {"preset": "tiny", "N": 1, "d_model": 8, "d_ff": 8}
    )
    for name in ablations.ABLATIONS:
        run = ablations.train_without(name, small, steps=2, seed=0)
        assert run["without"] == name
        assert 0 <= run["exact"] <= 1 and 0 <= run["exact_sampled"] <= 1
    config, settings, positions = seen["nothing"]
    assert seen["dropout"][0] == config.changed(dropout=0.0)
    assert seen["Post-LN, for Pre-LN"][0] == config.changed(norm="pre")
    assert settings.smoothing == 0
    smoothed = seen["plain labels, for smoothed"][1]
    assert smoothed == settings.changed(smoothing=0.1)
    assert seen["cool-down"][1] == settings.changed(cooldown=0) != settings
    assert seen["positions"][2] == 0 < positions
    assert isinstance(seen["warm-up"][1], ablations.InverseSquareRootSettings)
