"""A run's translations, scored and recorded; scored by sacreBLEU on what the files hold."""

import json
import shlex
from dataclasses import asdict

import pytest
import sacrebleu
import torch

from tests.train import cases
from transformer_book import data
from transformer_book.data import BOS, EOS
from transformer_book.decode import beam_search, greedy
from transformer_book.nn import load_weights
from transformer_lab import records
from transformer_lab.torch_transformer import TorchTransformer
from transformer_lab.translations import translate_corpus
from transformer_lab.translations.scores import bleu
from transformer_lab.translator import evaluate
from transformer_lab.translator.recipes import RECIPES
from transformer_lab.translator.training_run import main as train_main

RUN = (
    "--corpus subworded --share all --norm pre --d-model 32 --d-ff 64 --heads 2 --layers 1 "
    "--dropout 0 --steps 400 --warmup 60 --factor 1 --cooldown 150 --tokens 600 "
    "--validate-every 200 --seed 3 --checkpoint-every 400 --threads 1 --device cpu"
)


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A finished run, of a model that has learned much, but not all."""
    path = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)
        train_main(["--out", str(path), *shlex.split(RUN)])
    return path


@pytest.fixture(scope="session")
def record(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(data.PARALLEL_CORPUS_LOADERS, "subworded", cases.subworded)
        return evaluated(folder, folder.parent / "whole.json")


def evaluated(folder, out, *words):
    evaluate.main(["--run", str(folder), "--out", str(out), "--threads", "1", *words])
    return json.loads(out.read_text("utf-8"))


@pytest.fixture
def hypotheses(folder, record):
    """What was written beside the record."""
    path = folder.parent / "whole.hypotheses.txt"
    return path.read_text("utf-8").split("\n")[:-1]


def reference(hypotheses, references):
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    return metric.corpus_score(hypotheses, [references]).score


def glued(tokens):
    """Join subwords as their notation says, as sed does with published files."""
    return " ".join(tokens).replace("@@ ", "")


def test_the_recorded_score_is_sacrebleu_s_of_the_recorded_translations(
    record, hypotheses
):
    references = [glued(target) for _, target in cases.subworded().test]
    found, texts = record["scores"]["test"], hypotheses
    assert found["sentences"] == len(texts) == len(references)
    assert 5 < found["bleu"]["score"] < 100
    assert found["bleu"]["score"] == pytest.approx(reference(texts, references))
    cut = [[text.split(" ") for text in side] for side in (texts, references)]
    precisions = {"precisions": list(bleu(*cut).precisions)}
    assert found["bleu"] == asdict(bleu(*cut)) | precisions


def test_sacrebleu_gets_plain_sentences(record, hypotheses):
    references = [glued(target) for _, target in cases.subworded().test]

    def as_typed(text):
        text = text.replace(" &apos;s", "'s").replace(" ?", "?").removesuffix(" .")
        return text if text.endswith(("?", "'s")) else f"{text}."

    plain = [[*map(as_typed, texts)] for texts in (hypotheses, references)]
    found = record["scores"]["test"]["sacrebleu"]
    assert "&apos;" in "".join(references)
    expected = sacrebleu.corpus_chrf(plain[0], [plain[1]]).score
    assert found["chrf"]["score"] == pytest.approx(expected, abs=0.5)
    assert "tok:13a" in found["bleu"]["signature"]


def test_each_sentence_is_translated_as_if_it_were_alone(folder, record, monkeypatch):
    corpus, model = cases.subworded(), load_weights(folder / "model.safetensors")
    monkeypatch.setattr(translate_corpus, "SENTENCES_AT_ONCE", 7)
    found = evaluate.translate_pairs(model, corpus, corpus.test, 3, 0.6)
    for (source, _), words in zip(corpus.ids(corpus.test), found, strict=True):
        ((best, *_),) = beam_search(model, torch.tensor([[*source, EOS]]), 3, 0.6)
        assert words == corpus.target_words(best.ids)


def test_the_record_has_the_run_and_its_first_translations(folder, record, hypotheses):
    training = json.loads((folder / "record.json").read_text("utf-8"))
    assert record["training"] == training
    assert record["parameters"]["seed"] == training["seed"] == 3
    assert record["seconds"] >= 0 and record["hardware"]["device"] == "cpu"
    loss = training["validation"][-1][1]
    assert record["scores"]["validation"]["loss"] == pytest.approx(loss, abs=1e-5)
    corpus, examples = cases.subworded(), record["examples"]["sentences"]
    per_epoch = sum(len(target) + 1 for _, target in corpus.train)
    assert training["epochs"] == training["tokens"] // per_epoch > 0
    assert record["corpus"]["training_pairs"] == len(corpus.train)
    assert record["corpus"]["test"] == evaluate.split_hash(corpus.test)
    assert record["corpus"]["test"] != evaluate.split_hash(corpus.validation)
    assert [e["hypothesis"] for e in examples] == hypotheses[: len(examples)]
    assert [(e["source"], e["reference"]) for e in examples] == [
        (glued(source), glued(target)) for source, target in corpus.test
    ]
    texts = [[e[name] for e in examples] for name in ("hypothesis", "reference")]
    assert record["examples"]["bleu"] == pytest.approx(reference(*texts))


def test_words_that_training_never_had_are_named():
    corpus = cases.subworded()
    known = {word for _, target in corpus.train for word in corpus.join_tokens(target)}
    new = next(word for word in ("dddddd", "cccccc") if word not in known)
    (pair, *_), (word, *_) = corpus.test, sorted(known)
    given = [[word, new, new], [], [word]]
    examples = evaluate._example_translations(
        corpus, given + [pair[1]] * (len(corpus.test) - 3)
    )
    assert examples["coined"][:3] == [[new, new], [], []]


def test_no_more_than_the_first_are_examples(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "EXAMPLE_TRANSLATION_COUNT", 5)
    record = evaluated(folder, tmp_path / "r.json", "--split", "test")
    assert len(record["examples"]["sentences"]) == 5
    assert len((tmp_path / "r.hypotheses.txt").read_text("utf-8").splitlines()) == 24


def test_the_recorded_command_repeats_it_and_names_no_place(folder, record, tmp_path):
    assert str(folder.parent) not in json.dumps(record)
    words = shlex.split(record["command"])
    assert words[:4] == ["python", "-m", "transformer_lab", "evaluate"]
    words[words.index("--run") + 1] = str(folder)
    words[words.index("--out") + 1] = str(tmp_path / "r.json")
    evaluate.main(words[4:])
    again = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert again["scores"] == record["scores"] and again["command"] == record["command"]


def test_a_part_and_a_search_can_be_chosen(folder, tmp_path, capsys):
    options = ["--split", "validation", "--beams", "1", "--length-penalty", "0"]
    options += ["--weights", "best.safetensors"]
    record = evaluated(folder, tmp_path / "r.json", *options)
    corpus, model = cases.subworded(), load_weights(folder / "best.safetensors")
    texts = []
    for source, _ in corpus.ids(corpus.validation):
        (ids,) = greedy(model, torch.tensor([[*source, EOS]]))
        texts.append(" ".join(corpus.target_words(ids)))
    references = [glued(target) for _, target in corpus.validation]
    assert record["scores"].keys() == {"validation"} and "examples" not in record
    found = record["scores"]["validation"]["bleu"]["score"]
    assert found == pytest.approx(reference(texts, references))
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]
    assert f"validation: BLEU {found:.2f} on 24 sentences" in capsys.readouterr().out


def test_the_search_is_the_recipes(folder, tmp_path, record):
    assert record["parameters"]["beams"] == RECIPES["grammar"].beams  # that of the run
    options = ["--recipe", "multi30k", "--split", "validation"]
    other = evaluated(folder, tmp_path / "r.json", *options)["parameters"]
    assert other["recipe"] == "multi30k" and other["beams"] == RECIPES["multi30k"].beams
    assert other["length_penalty"] == RECIPES["multi30k"].length_penalty


def test_the_attention_of_a_test_sentence_is_recorded(folder, hypotheses, tmp_path):
    options = ["--split", "validation", "--attention", "3"]
    record = evaluated(folder, tmp_path / "r.json", *options)
    found, recipe = record["attention"], RECIPES["grammar"]
    assert (found["sentence"], found["beams"]) == (3, recipe.beams)
    assert found["length_penalty"] == recipe.length_penalty
    assert found["source"] == [*cases.subworded().test[2][0], "<eos>"]
    *target, end = found["target"]
    assert end == "<eos>" and glued(target) == hypotheses[2]
    assert len(found["cross_attention"]) == 1 and "--attention 3" in record["command"]


def test_attention_is_what_torch_s_own_layers_compute():
    corpus = cases.subworded()
    model = cases.model(corpus, share="all", norm="pre", N=2).eval()
    search = dict(beams=2, length_penalty=0.6)
    found = evaluate.sentence_cross_attention(
        model, corpus, corpus.test[0][0], **search
    )
    theirs, seen = TorchTransformer(model).eval(), []
    asked = {"need_weights": True, "average_attn_weights": False}
    for layer in theirs.stacks.decoder.layers:
        cross = layer.multihead_attn
        cross.register_forward_pre_hook(
            lambda _, a, kw: (a, kw | asked), with_kwargs=True
        )
        cross.register_forward_hook(lambda *told: seen.append(told[-1][1][0]))
    ((source, target),) = corpus.ids([(found["source"][:-1], found["target"][:-1])])
    alone = torch.tensor([[*source, EOS]])
    assert [target] == [best.ids for best, *_ in beam_search(model, alone, 2, 0.6)]
    assert [target] != greedy(model, alone), "another search would do as well"
    with torch.no_grad():
        theirs(alone, torch.tensor([[BOS, *target]]))
    expected, weights = torch.stack(seen), torch.tensor(found["cross_attention"])
    torch.testing.assert_close(weights, expected, rtol=0, atol=6e-5)
    assert (weights[0] - weights[1]).abs().max() > 0.01, "one layer is like the other"


def test_a_reference_keeps_words_that_training_never_saw():
    corpus = cases.subworded()
    pairs = [(("a@@", "b", "a"), ("z@@", "z", "b", "ab", "."))]
    found = evaluate.score_translations(corpus, pairs, [["zz", "b", "ab", "."]])
    assert (found["source_words"], found["bleu"]["reference_words"]) == (2, 4)
    scores = found["bleu"]["score"], found["sacrebleu"]["chrf"]["score"]
    assert scores == pytest.approx((100, 100))


def test_recorded_translations_come_back_as_words(tmp_path, monkeypatch):
    monkeypatch.setattr(records.resources, "files", lambda _: tmp_path)
    (tmp_path / "a.json").write_text("{}", "utf-8")
    with pytest.raises(ValueError, match="no recorded translations named 'a'. Pass"):
        records.hypotheses("a")
    (tmp_path / "a.hypotheses.txt").write_bytes(
        "ein hund\n\nzwei\u2028hunde .\n".encode()
    )
    assert records.hypotheses("a") == [["ein", "hund"], [], ["zwei\u2028hunde", "."]]
    assert records.names() == ["a"]
    with pytest.raises(ValueError, match="no recorded translations named 'b'"):
        records.hypotheses("b")
