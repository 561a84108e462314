"""What the site ships of a run is the run's model, and what is said of it is what others compute."""

import hashlib
import json
import random
import shlex

import pytest
import sacrebleu
import torch

from tests.lab.words.test_dictionary import BODY, HEAD
from transformer_book import data, decode, nn
from transformer_book.data import tatoeba
from transformer_book.storage import StorageError
from transformer_lab.translator import export, site_translator
from transformer_lab.translator.training_run import main as train_main

WORDS = {"cat": "猫", "dog": "狗", "big": "大", "small": "小", "old": "老", "red": "红"}
SIZES = (
    "--recipe tatoeba --d-model 16 --d-ff 32 --heads 2 --layers 1 --dropout 0 --steps 150 "
    "--warmup 20 --factor 1 --cooldown 0 --tokens 600 --validate-every 75 --seed 3 "
    "--checkpoint-every 150 --snapshots 0 --threads 1 --device cpu"
)


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """A small Tatoeba, a dictionary, and a run on it."""
    root, draw = tmp_path_factory.mktemp("world"), random.Random(0)
    lines = []
    for i in range(700):
        some = draw.choices([*WORDS], k=draw.randint(2, 5))
        chinese = "".join(WORDS[word] for word in some)
        told = f"CC-BY Attribution: tatoeba.org #{i} (name{i % 40}) & #{i + 9999} (me)"
        lines.append(f"The {' '.join(some)} {i}.\t{chinese}{i}。\t{told}\n")
    folder = root / "data" / "tatoeba-en-zh"
    folder.mkdir(parents=True)
    folder.joinpath("cmn.txt").write_text("".join(lines), "utf-8")
    root.joinpath("cedict.txt").write_text(HEAD + BODY, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSFORMER_BOOK_DATA", str(root / "data"))
        train_main(["--out", str(root / "run"), *shlex.split(SIZES)])
        export.main(options(root))
    return root


@pytest.fixture(autouse=True)
def in_the_world(world, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(world / "data"))


def options(root, out="record.json", folder="site", **others):
    given = {"run": root / "run", "folder": root / folder, "out": root / out}
    given |= {"dictionary": root / "cedict.txt", "threads": 1} | others
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]


@pytest.fixture
def record(world):
    return json.loads((world / "record.json").read_text("utf-8"))


@pytest.fixture
def about(world):
    return json.loads((world / "site" / "about.json").read_text("utf-8"))


@pytest.fixture
def corpus(world):
    return data.load_parallel("tatoeba")


def rounded(model):
    """The model with torch's own rounding, matrix for matrix."""
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 2:
                scale = p.abs().amax(1) / 127
                zeros = torch.zeros(len(p), dtype=torch.int32)
                p.copy_(
                    torch.fake_quantize_per_channel_affine(
                        p, scale, zeros, 0, -127, 127
                    )
                )
    return model


def greedy(model, corpus):
    return [
        corpus.target_sentence(
            decode.greedy(
                model, torch.tensor([[*ids, data.EOS]]), copied_ids=corpus.copied_ids
            )[0],
            source,
        )
        for (ids, _), (source, _) in zip(corpus.ids(corpus.test), corpus.test)
    ]


def test_what_comes_back_is_the_run_s_model_rounded_by_torch(world, corpus):
    model, read = site_translator.load(world / "site")
    expected = rounded(nn.load_weights(world / "run" / "model.safetensors"))
    for (name, p), q in zip(
        model.named_parameters(), expected.parameters(), strict=True
    ):
        assert torch.equal(p, q), name
    assert not model.training and model.config == expected.config
    for side in ("source_vocabulary", "target_vocabulary"):
        assert [*getattr(read, side)] == [*getattr(corpus, side)]
    assert read.subwords.merges == corpus.subwords.merges


def test_a_sentence_is_cut_as_the_corpus_was(world, corpus):
    _, read = site_translator.load(world / "site")
    path = world / "data" / "tatoeba-en-zh" / "cmn.txt"
    _, _, unseen = tatoeba.split_pairs(tatoeba.read_pairs(path))
    for (english, _), (ids, _) in zip(unseen, corpus.ids(corpus.test), strict=True):
        assert site_translator.source_ids(read, english) == ids
    assert data.UNK in site_translator.source_ids(read, "The cat ß.")
    with pytest.raises(data.DataError, match="empty"):
        site_translator.source_ids(read, " ")


def test_a_page_knows_the_files_before_it_loads_them(world, about, record):
    files = {
        name: (world / "site" / name).read_bytes()
        for name in site_translator.LOADED_FILES
    }
    assert about["bytes"] == sum(map(len, files.values()))
    assert about["sha256"] == {
        name: hashlib.sha256(file).hexdigest() for name, file in files.items()
    }
    assert (about["N"], about["h"], about["beams"]) == (1, 2, 4)
    assert about["scores"] == record["forms"] and about["worst"] == record["worst"]
    assert about["terms"] == data.corpus_registry.TATOEBA.terms
    assert about["dictionary"]["date"] == "2023-11-07"
    assert json.loads(files["glosses.json"])["猫"] == "cat"
    sizes = {path.name: path.stat().st_size for path in (world / "site").iterdir()}
    assert record["files"] == sizes


def test_the_scores_are_sacrebleu_s_of_what_each_form_says(world, corpus, record):
    references = [
        corpus.write_sentence(corpus.join_tokens(target)) for _, target in corpus.test
    ]
    model = nn.load_weights(world / "run" / "model.safetensors")
    exact = greedy(model, corpus)
    other = greedy(rounded(model), corpus)
    forms = record["forms"]
    for form, said in (("float32", exact), (export.SHIPPED_FORM, other)):
        found = forms[form]["greedy"]
        chrf = sacrebleu.corpus_chrf(said, [references]).score
        assert 0 < chrf < 100 and found["chrf"] == pytest.approx(chrf)
        bleu = sacrebleu.corpus_bleu(said, [references], tokenize="zh").score
        assert found["sacrebleu"] == pytest.approx(bleu)
        assert found["same"] == sum(a == b for a, b in zip(said, exact))
    assert forms["float32"]["beam"]["same"] == len(corpus.test)


def test_the_beam_search_is_the_recipe_s(world, corpus, record):
    model, _ = site_translator.load(world / "site")
    said = []
    for (ids, _), (source, _) in zip(corpus.ids(corpus.test), corpus.test):
        ((best, *_),) = decode.beam_search(
            model,
            torch.tensor([[*ids, data.EOS]]),
            beams=4,
            length_penalty=0.6,
            copied_ids=corpus.copied_ids,
        )
        said.append(corpus.target_sentence(best.ids, source))
    references = [
        corpus.write_sentence(corpus.join_tokens(target)) for _, target in corpus.test
    ]
    found = record["forms"][export.SHIPPED_FORM]["beam"]["chrf"]
    assert found == pytest.approx(sacrebleu.corpus_chrf(said, [references]).score)


def test_each_form_is_rounded_as_it_says_and_its_bytes_are_those_of_a_file(
    world, tmp_path
):
    model = nn.load_weights(world / "run" / "model.safetensors")
    W = model.encoder[0].feed_forward.W_1.detach()
    step = {"int8 per row": 1, "int8 per column": 0}
    for form, axis in step.items():
        scale = W.abs().amax(axis, keepdim=True) / 127
        assert torch.equal(
            export.NUMBER_FORMS[form][0](W), (W / scale).round() * scale
        ), form
    scale = W.abs().max() / 127
    assert torch.equal(
        export.NUMBER_FORMS["int8 per matrix"][0](W), (W / scale).round() * scale
    )
    assert torch.equal(export.NUMBER_FORMS["float16"][0](W), W.half().float())
    kinds = {"float32": None, "float16": torch.float16, export.SHIPPED_FORM: torch.int8}
    for form, dtype in kinds.items():
        nn.save_weights(tmp_path / "w", model, dtype)
        whole = (tmp_path / "w").read_bytes()
        numbers = len(whole) - 8 - int.from_bytes(whole[:8], "little")
        assert export._weight_bytes(model, *export.NUMBER_FORMS[form][1:]) == numbers, (
            form
        )


def test_the_worst_are_those_that_share_least_and_name_their_authors(
    world, corpus, record
):
    said = greedy(site_translator.load(world / "site")[0], corpus)
    references = [
        corpus.write_sentence(corpus.join_tokens(target)) for _, target in corpus.test
    ]
    chrf = sacrebleu.CHRF()
    scored = sorted(chrf.sentence_score(a, [b]).score for a, b in zip(said, references))
    worst = record["worst"]
    assert [one["chrf"] for one in worst] == [round(s, 2) for s in scored[: len(worst)]]
    assert len(worst) == min(20, len(corpus.test))
    lines = (world / "data" / "tatoeba-en-zh" / "cmn.txt").read_text("utf-8")
    for one in worst:
        assert one["hypothesis"] in said
        told = f"{one['source']}\t{one['reference']}\tCC-BY Attribution: tatoeba.org "
        assert f"{told}{one['authors']}\n" in lines


def test_the_sentences_for_the_browser_are_the_first_of_the_test(world, corpus, record):
    some = record["sentences"]
    assert len(some) == min(export.BROWSER_CHECK_SENTENCE_COUNT, len(corpus.test)) > 10
    assert [tuple(data.tokenize(one["reference"], "zh")) for one in some] == [
        tuple(corpus.join_tokens(target)) for _, target in corpus.test[: len(some)]
    ]


def test_every_number_arrives_as_it_was_typed(world, corpus, record):
    numbers = record["copied"]["greedy"]["numbers"]
    # A model so small may write a digit beside a mark.
    assert 0.9 * numbers["total"] < numbers["arrived"] <= numbers["total"]
    assert numbers["total"] == len(corpus.test)
    assert sum(numbers["references"].values()) == numbers["total"]
    model, read = site_translator.load(world / "site")
    assert read.known == corpus.known and read.copied_ids == corpus.copied_ids
    said = decode.translate(model, read, "The big cat 12,345.")
    assert said.count("12,345") == 1 and "<" not in said


def test_everybody_who_was_learned_from_is_named_once(world, corpus, about):
    names = (world / "site" / "authors.txt").read_text("utf-8").splitlines()
    assert names == sorted({f"name{i}" for i in range(40)} | {"me"})
    assert about["authors"] == len(names)
    told = export.author_names(["#1 (CM) & #2 (Martha)", "#3 (CM) & #4 (a.b-c_d)"])
    assert told == ["CM", "Martha", "a.b-c_d"]


def test_the_recorded_command_repeats_it_and_names_no_place(world, record):
    assert str(world) not in json.dumps(record)
    words = shlex.split(record["command"])
    assert words[:4] == ["python", "-m", "transformer_lab", "ship"]
    for name, place in {
        "--run": "run",
        "--folder": "again",
        "--dictionary": "cedict.txt",
        "--out": "again.json",
    }.items():
        words[words.index(name) + 1] = str(world / place)
    export.main(words[4:])
    again = json.loads((world / "again.json").read_text("utf-8"))
    assert {**again, "seconds": 0} == {**record, "seconds": 0}
    for path in (world / "site").iterdir():
        assert path.read_bytes() == (world / "again" / path.name).read_bytes()


@pytest.mark.parametrize(
    "name, content, message",
    [
        ("vocabulary.json", None, "vocabulary.json cannot be used .FileNotFoundError"),
        ("vocabulary.json", b'{"source": [', "vocabulary.json cannot be used .JSONDec"),
        ("vocabulary.json", b'{"source": []}', "cannot be used .KeyError: 'target'"),
        (
            "vocabulary.json",
            b'{"source": ["a"], "target": ["b"], "merges": []}',
            "vocabulary.json has 1 and 1 words, and model.safetensors needs 32 and 31",
        ),
        ("model.safetensors", b"half", "is not a whole safetensors file"),
        ("model.safetensors", None, "There is no file"),
    ],
)
def test_a_spoiled_folder_is_one_error(world, tmp_path, name, content, message):
    for path in (world / "site").iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(StorageError, match=message):
        site_translator.load(tmp_path)


@pytest.mark.parametrize(
    "others, message",
    [
        ({"dictionary": "none.txt"}, "none.txt cannot be read (FileNotFoundError"),
        ({"run": "nowhere"}, "holds no run that has come to its end"),
        ({"out": "no/where.json"}, "is not a folder; --out needs one that exists"),
    ],
)
def test_a_bad_option_is_one_line_and_nothing_is_written(
    world, capsys, others, message
):
    before = sorted(world.rglob("*"))
    paths = {name: world / place for name, place in others.items()}
    with pytest.raises(SystemExit) as left:
        export.main(options(world, **paths))
    assert left.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert sorted(world.rglob("*")) == before
