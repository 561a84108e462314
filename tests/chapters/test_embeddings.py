"""What the laboratory of embeddings relies on: training in threads changes no number."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from transformer_book import data
from transformer_lab import records
from transformer_lab.words.word_vectors import train_word_vectors


def test_models_trained_side_by_side_are_those_trained_alone():
    articles = data.load("wikipedia-sample")[:2]
    kinds = [{"sg": 1, "epochs": 2}, {"sg": 0, "epochs": 2}, {"sg": 0, "epochs": 1}]
    with ThreadPoolExecutor(max_workers=2) as pool:
        jobs = [pool.submit(train_word_vectors, articles, **kind) for kind in kinds]
        together = [job.result().vectors for job in jobs]
    alone = [train_word_vectors(articles, **kind).vectors for kind in kinds]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(alone[1], alone[2])


def test_the_recorded_runs_differ_in_the_seed_alone():
    for seed in (1, 2, 3):
        record = records.load(f"wikipedia_word_vectors_seed_{seed}")
        assert record["corpus"]["words"] == 469_147
        assert record["parameters"] == {
            "vector_size": 512,
            "window": 2,
            "min_count": 1,
            "seed": seed,
            "workers": 1,
        }
        assert [(run["sg"], run["epochs"]) for run in record["runs"]] == [
            (1, 20),
            (0, 20),
        ]
        assert f"--seed {seed}" in record["command"]
