"""Recorded translations have the recorded scores; sacreBLEU says so, not our own BLEU."""

import pytest
import sacrebleu

from tests.data import real
from transformer_lab import records
from transformer_lab.translator.evaluate import split_hash

FILES = {"multi30k": "multi30k-en-de/test.2016.de", "tatoeba": "tatoeba-en-zh/cmn.txt"}
NAMES = [name for name in records.names() if "examples" in records.load(name)]


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


def reference(hypotheses, references):
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    return metric.corpus_score(hypotheses, [references]).score


def texts(name):
    return [" ".join(words) for words in records.hypotheses(name)]


def test_the_first_translations_have_their_recorded_score(name):
    examples = records.load(name)["examples"]
    columns = [
        [one[side] for one in examples["sentences"]]
        for side in ("hypothesis", "reference")
    ]
    assert len(columns[0]) == 100
    assert examples["bleu"] == pytest.approx(reference(*columns))


def test_all_translations_are_recorded_the_first_of_them_twice(name):
    record, found = records.load(name), texts(name)
    bleu = record["scores"]["test"]["bleu"]
    assert len(found) == record["scores"]["test"]["sentences"]
    assert (
        sum(len(words) for words in records.hypotheses(name))
        == bleu["hypothesis_words"]
    )
    assert found[:100] == [one["hypothesis"] for one in record["examples"]["sentences"]]


def test_all_translations_have_the_recorded_score(name):
    record = records.load(name)
    corpus = record["corpus"]["name"]
    if not (real.FOLDER / FILES[corpus]).is_file():
        pytest.skip(real.missing(FILES[corpus]))
    loaded = real.load(corpus)
    test = loaded.test
    if corpus == "tatoeba" and split_hash(test) != record["corpus"]["test"]:
        pytest.skip(real.OTHER_MONTH)
    references = [" ".join(loaded.join_tokens(target)) for _, target in test]
    found = record["scores"]["test"]["bleu"]["score"]
    assert found == pytest.approx(reference(texts(name), references))


def test_the_run_is_recorded_with_what_it_took(name):
    training = records.load(name)["training"]
    assert (
        training["command"]
        .split(" -m ")[1]
        .startswith("transformer_lab train --recipe")
    )
    assert training["tokens"] > 0 and training["seconds"] > 0
    assert (
        training["losses"] and training["validation"] and training["hardware"]["device"]
    )
    assert training["seed"] == records.load(name)["parameters"]["seed"]
