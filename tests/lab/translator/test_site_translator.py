"""The translator that the book ships: small enough, whole, and made by the recorded run."""

import gzip
import hashlib
import json
import tomllib
from fnmatch import fnmatch

import pytest
import sacrebleu

from tests.conftest import ROOT
from tests.data import real
from transformer_book.data import UNK, tatoeba
from transformer_book.data.glosses import gloss_words
from transformer_book.data.placeholders import PLACEHOLDER_MARKS
from transformer_lab import records
from transformer_lab.translations.worst import WORST_SENTENCE_COUNT
from transformer_lab.translator import export, site_translator
from transformer_lab.translator.evaluate import split_hash
from transformer_lab.translator.shipped_marks import score_marks
from transformer_lab.words import dictionary

RECORD = records.load("tatoeba_shipped")
MARK_RECORD = records.load("tatoeba_marks")
ABOUT = site_translator.read_json_file(site_translator.FOLDER, site_translator.ABOUT)
NEEDED = real.needs("tatoeba-en-zh/cmn.txt")


@pytest.fixture(scope="session")
def parts():
    return tatoeba.split_pairs(
        tatoeba.read_pairs(real.FOLDER / "tatoeba-en-zh" / "cmn.txt")
    )


def test_a_page_loads_at_most_4_megabytes_and_knows_them():
    files = {
        name: (site_translator.FOLDER / name).read_bytes()
        for name in site_translator.LOADED_FILES
    }
    assert ABOUT["bytes"] == sum(map(len, files.values())) <= 4_000_000
    assert len(gzip.compress(files["glosses.json"])) <= 150_000
    for name, file in files.items():
        assert ABOUT["sha256"][name] == hashlib.sha256(file).hexdigest()
    sizes = {
        path.name: path.stat().st_size for path in site_translator.FOLDER.iterdir()
    }
    sizes.pop("LICENSE")
    assert RECORD["files"] == sizes


def test_whoever_installs_the_package_has_the_files():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["transformer_lab"]
    package = ROOT / "src" / "transformer_lab"
    for path in site_translator.FOLDER.iterdir():
        name = path.relative_to(package).as_posix()
        assert any(fnmatch(name, pattern) for pattern in patterns), name


def test_what_the_page_is_told_is_what_was_recorded():
    assert ABOUT["scores"] == RECORD["forms"] and ABOUT["worst"] == RECORD["worst"]
    assert ABOUT["terms"] == RECORD["corpus"]["terms"]
    names = (
        (site_translator.FOLDER / site_translator.AUTHORS)
        .read_text("utf-8")
        .splitlines()
    )
    assert len(names) == len({*names}) == RECORD["corpus"]["authors"] > 900
    assert ABOUT["dictionary"].items() <= RECORD["dictionary"].items()


def test_it_was_trained_as_the_scored_run_on_the_same_split():
    scored = records.load("tatoeba")
    same = ("name", "training_pairs", "test")
    assert [RECORD["corpus"][key] for key in same] == [
        scored["corpus"][key] for key in same
    ]
    ours, theirs = (
        set(one["training"]["command"].split(" --")) for one in (RECORD, scored)
    )
    assert ours == theirs
    for key in ("tokens", "validation"):
        assert RECORD["training"][key] == scored["training"][key]
    found = scored["scores"]["test"]["bleu"]["score"]
    assert RECORD["forms"]["float32"]["beam"]["bleu"] == pytest.approx(found, abs=1e-9)


def test_its_worst_translations_are_those_it_makes_today():
    """Greedily, of the shipped files; and their chrF is sacreBLEU's."""
    import torch

    from transformer_book import data, decode

    model, corpus = site_translator.load()
    chrf = sacrebleu.CHRF()
    assert len(MARK_RECORD["worst"]) == WORST_SENTENCE_COUNT
    for one in MARK_RECORD["worst"]:
        ids = site_translator.source_ids(corpus, one["source"])
        source = torch.tensor([[*ids, data.EOS]])
        (own,) = decode.greedy(model, source, copied_ids=corpus.copied_ids)
        tokens = corpus.source_tokens(one["source"])
        assert corpus.target_sentence(own, tokens) == one["hypothesis"]
        found = chrf.sentence_score(one["hypothesis"], [one["reference"]]).score
        assert found == pytest.approx(one["chrf"], abs=0.006)


def test_all_numbers_and_names_of_the_held_out_sentences_arrive():
    for search in MARK_RECORD["scores"].values():
        for split in search.values():
            for kind in ("numbers", "names"):
                counts = split["copied"][kind]
                assert counts["arrived"] == counts["total"] > 10
                assert split["unforced"][kind]["arrived"] < counts["total"]
    assert MARK_RECORD["corpus"]["test"] == RECORD["corpus"]["test"]


@NEEDED
def test_a_recorded_count_of_arrivals_is_made_again():
    corpus = real.load("tatoeba")
    if split_hash(corpus.test) != MARK_RECORD["corpus"]["test"]:
        pytest.skip(real.OTHER_MONTH)
    model, _ = site_translator.load()
    found = score_marks(model, corpus, "validation", 1, 0.0)
    expected = MARK_RECORD["scores"]["greedy"]["validation"]
    for kind in ("numbers", "names"):
        assert found["copied"][kind] == expected["copied"][kind]


def test_curly_quotation_marks_are_read_as_straight_ones():
    _, corpus = site_translator.load()
    for typed, plain in {
        "I don\u2019t know him.": "I don't know him.",
        "\u201cWell\u2026\u201d he said, \u2018no\u2019.": "\"Well...\" he said, 'no'.",
    }.items():
        ids = site_translator.source_ids(corpus, typed)
        assert ids == site_translator.source_ids(corpus, plain)
        assert UNK not in ids


def test_shown_sentences_name_both_authors():
    for one in (*MARK_RECORD["worst"], *RECORD["sentences"]):
        assert len(export.author_names([one["authors"]])) in (1, 2)
        assert one["authors"].count("#") == 2
    assert len(RECORD["sentences"]) == export.BROWSER_CHECK_SENTENCE_COUNT


def test_what_it_may_say_has_english_under_it():
    known = site_translator.read_json_file(
        site_translator.FOLDER, site_translator.GLOSSES
    )
    assert len(known) == RECORD["dictionary"]["words"]
    assert all(
        len(english) <= dictionary.MAX_GLOSS_LETTERS for english in known.values()
    )
    assert gloss_words("我们喜欢茶，汤姆不喜欢。", known) == [
        ("我们", "we"),
        ("喜欢", "like"),
        ("茶", "tea"),
        ("，", ""),
        ("汤姆", "Tom"),
        ("不", "not"),
        ("喜欢", "like"),
        ("。", ""),
    ]
    _, corpus = site_translator.load()
    letters = [
        one for one in [*corpus.target_vocabulary][4:] if one not in PLACEHOLDER_MARKS
    ]
    without = [one for one in letters if one not in known]
    assert len(without) < len(letters) / 50, without


@NEEDED
def test_no_sentence_to_choose_from_was_learned_from(parts):
    learned = {english.casefold().rstrip(".!?") for english, _ in parts[0]}
    for sentence in ABOUT["sentences"]:
        assert sentence.casefold().rstrip(".!?") not in learned, sentence


@NEEDED
def test_the_recorded_sentences_are_the_first_of_the_test(parts):
    corpus = real.load("tatoeba")
    if split_hash(corpus.test) != RECORD["corpus"]["test"]:
        pytest.skip(real.OTHER_MONTH)
    shown = [(one["source"], one["reference"]) for one in RECORD["sentences"]]
    assert shown == parts[2][: len(shown)]
    _, read = site_translator.load()
    for (english, _), (ids, _) in zip(parts[2], corpus.ids(corpus.test)):
        assert site_translator.source_ids(read, english) == ids, english
    told = json.dumps(MARK_RECORD["worst"], ensure_ascii=False)
    assert sum(english in told for english, _ in parts[2]) >= WORST_SENTENCE_COUNT
