"""Word vectors: what gensim trains, the same every time, measured as gensim measures."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.lab.words.key_vectors import key_vectors
from transformer_book import progress
from transformer_book.by_hand import positional_encoding
from transformer_book.data import corpus_loading
from transformer_lab.words import word_vectors
from transformer_lab.words.word_vectors import (
    position_effects_on_followed_words,
    train_word_vectors,
)

SENTENCES = [
    [
        "the",
        "black",
        "cat",
        "sat",
        "on",
        "the",
        "couch",
        "and",
        "the",
        "brown",
        "dog",
        "slept",
        "on",
        "the",
        "rug",
    ],
    [
        "the",
        "king",
        "of",
        "france",
        "and",
        "the",
        "queen",
        "of",
        "spain",
        "sat",
        "on",
        "the",
        "throne",
    ],
] * 20


@pytest.mark.parametrize("sg", [0, 1])
def test_it_is_gensims_word2vec(sg):
    from gensim.models import Word2Vec

    ours = train_word_vectors(
        SENTENCES, sg=sg, epochs=3, vector_size=16, window=3, seed=7
    )
    theirs = Word2Vec(
        SENTENCES,
        sg=sg,
        epochs=3,
        vector_size=16,
        window=3,
        min_count=1,
        seed=7,
        workers=1,
    ).wv
    assert ours.index_to_key == theirs.index_to_key
    np.testing.assert_array_equal(ours.vectors, theirs.vectors)


def test_skip_gram_is_not_cbow_and_seeds_differ():
    def vectors(sg, seed):
        return train_word_vectors(
            SENTENCES, sg, epochs=2, vector_size=8, seed=seed
        ).vectors

    assert not np.allclose(vectors(0, 1), vectors(1, 1))
    assert not np.allclose(vectors(1, 1), vectors(1, 2))


def test_the_same_in_every_process():
    code = (
        "import json, sys; from transformer_lab.words.word_vectors import train_word_vectors;"
        "wv = train_word_vectors(json.load(sys.stdin), sg=1, epochs=2, vector_size=16);"
        "print(json.dumps([wv.index_to_key, wv.vectors.tolist()]))"
    )
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(SENTENCES),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": other},
        encoding="utf-8",
    )
    here = train_word_vectors(SENTENCES, sg=1, epochs=2, vector_size=16)
    assert json.loads(done.stdout) == [here.index_to_key, here.vectors.tolist()]


def test_the_defaults_are_those_of_the_chapters():
    wv = train_word_vectors(SENTENCES[:1], sg=1, epochs=1)
    assert wv.vectors.shape == (len(set(SENTENCES[0])), 512)


@pytest.mark.parametrize(
    "change, said",
    [
        ({"sg": 2}, "sg is 2, expected 1 for skip-gram or 0 for CBOW"),
        ({"epochs": 0}, "epochs is 0"),
        ({"epochs": 1.5}, "epochs is 1.5"),
        ({"vector_size": -1}, "vector_size is -1"),
        ({"window": 0}, "window is 0"),
        ({"min_count": 0}, "min_count is 0"),
        ({"sentences": []}, "hold no word"),
        ({"sentences": [[], []]}, "hold no word"),
        ({"sentences": "the cat"}, "are strings"),
        ({"sentences": ["the cat"]}, "are strings"),
        ({"min_count": 10_000}, "No word occurs min_count = 10000 times"),
    ],
)
def test_bad_arguments(change, said):
    good = {"sentences": SENTENCES, "sg": 1, "epochs": 1, "vector_size": 4}
    with pytest.raises(ValueError, match=said):
        train_word_vectors(**(good | change))


@pytest.mark.parametrize("watched", [True, False])
def test_progress_is_shown_to_a_person_alone(watched, monkeypatch, capfd):
    monkeypatch.setattr(progress, "is_watched", lambda: watched)
    train_word_vectors(SENTENCES, sg=1, epochs=2, vector_size=4)
    out, err = capfd.readouterr()
    assert out == ""
    assert ("skip-gram: 100%" in err) if watched else (err == "")


def test_fusion_is_the_experiment():
    from scipy.spatial.distance import cosine

    rng = np.random.default_rng(0)
    wv = key_vectors({word: rng.normal(size=512) for word in ("black", "brown", "rug")})
    places = positional_encoding(10, 512)
    measured = position_effects_on_followed_words(wv)
    for name, factor in (("plain", None), ("added", 1), ("scaled", np.sqrt(512))):
        black, brown = wv["black"].astype(float), wv["brown"].astype(float)
        if factor:
            black, brown = black * factor + places[1], brown * factor + places[9]
        assert measured[name] == pytest.approx(1 - cosine(black, brown), abs=1e-9)
    assert measured["encoding_norm"] == pytest.approx(16)
    assert measured["mean_norm"] == pytest.approx(
        np.linalg.norm(wv.vectors, axis=1).mean()
    )


@pytest.fixture
def small_corpus(monkeypatch):
    monkeypatch.setitem(
        corpus_loading.READERS_BY_FORMAT, "wikipedia", lambda path: SENTENCES
    )


def test_the_command_writes_a_record(small_corpus, tmp_path):
    out = tmp_path / "record.json"
    word_vectors.main(
        [
            "--corpus",
            "wikipedia-sample",
            "--out",
            str(out),
            "--epochs",
            "1",
            "2",
            "--vector-size",
            "8",
        ]
    )
    record = json.loads(out.read_text("utf-8"))
    assert record["corpus"]["words"] == sum(map(len, SENTENCES))
    assert [(run["method"], run["epochs"]) for run in record["runs"]] == [
        ("skip-gram", 1),
        ("CBOW", 1),
        ("skip-gram", 2),
        ("CBOW", 2),
    ]
    wv = train_word_vectors(SENTENCES, sg=0, epochs=2, vector_size=8)
    assert record["runs"][3]["black_brown"] == float(wv.similarity("black", "brown"))
    assert record["runs"][3]["fusion"] == position_effects_on_followed_words(wv)
    assert record["runs"][3]["neighbours"]["cat"][0][0] == wv.most_similar("cat")[0][0]
    assert record["runs"][3]["analogies"]["accuracy"] is None
    assert [path.name for path in tmp_path.iterdir()] == ["record.json"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--out", "nowhere/r.json"], "nowhere is not a folder"),
        (["--vector-size", "7"], "the positions need an even one"),
        (["--epochs", "0"], "epochs is 0"),
        (["--min-count", "21"], "has black, brown, cat, king fewer than 21 times"),
        (["--corpus", "text9"], "invalid choice: 'text9'"),
    ],
)
def test_a_bad_command_says_why_before_it_trains(
    arguments, said, small_corpus, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as caught:
        word_vectors.main(
            ["--corpus", "wikipedia-sample", "--out", "r.json", *arguments]
        )
    assert caught.value.code == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
