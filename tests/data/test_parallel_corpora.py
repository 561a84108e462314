"""Multi30k is downloaded file by file, whole or not at all, and is what was published."""

import dataclasses
import hashlib

import pytest

from tests.data.real import FOLDER, load, needs, typed
from transformer_book.data import (
    UNK,
    DataError,
    Subwords,
    corpus_registry,
    downloads,
    load_parallel,
)

# As published: lower-case, cut, escaped; the merges then make subwords of these words.
SENTENCES = {
    "train.en": ["a man &apos;s dog sits .", "two dogs lower the lowest boat ."],
    "train.de": [
        "der hund eines mannes sitzt .",
        "zwei hunde &quot; senken &quot; das boot .",
    ],
    "valid.en": ["a dog sits ."],
    "valid.de": ["ein hund sitzt ."],
    "test.2016.en": ["two dogs sit ."],
    "test.2016.de": ["zwei hunde sitzen ."],
}


def small_files(sentences):
    words = [
        word for lines in SENTENCES.values() for line in lines for word in line.split()
    ]
    subwords = Subwords.learn(words, 20)
    code = "".join(f"{first} {second}\n" for first, second in subwords.merges)
    files = {"code": f"#version: 0.2\n{code}".encode()}
    for name, lines in sentences.items():
        cut = [" ".join(subwords.cut(line.split())) for line in lines]
        files[name] = "".join(f"{line}\n" for line in cut).encode()
    return files


@pytest.fixture
def publish(cache, server, monkeypatch):
    """Put small files in the place of the published ones; return them by name."""

    def publish(sentences=SENTENCES):
        files = small_files(sentences)
        for name, content in files.items():
            server.bodies[f"/{name}"] = content
            entry = dataclasses.replace(
                corpus_registry.MULTI30K_FILES[name],
                origin=server.url.replace("text8.gz", name),
                size=len(content),
                hash="sha256:" + hashlib.sha256(content).hexdigest(),
            )
            monkeypatch.setitem(corpus_registry.MULTI30K_FILES, name, entry)
        return files

    return publish


def stored(folder):
    return {
        path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_seven_files_are_downloaded_once(publish, cache, server):
    files = publish()
    corpus = load_parallel("multi30k")
    assert stored(cache / "multi30k-en-de") == files
    assert server.requests == len(files) == 7
    assert load_parallel("multi30k").train == corpus.train
    assert server.requests == 7


def test_tokens_are_those_of_the_files(publish):
    files = publish()
    corpus = load_parallel("multi30k")
    for part, name in (
        ("train", "train"),
        ("validation", "valid"),
        ("test", "test.2016"),
    ):
        for side, code in enumerate(("en", "de")):
            text = "".join(
                " ".join(pair[side]) + "\n" for pair in getattr(corpus, part)
            )
            assert text.encode() == files[f"{name}.{code}"]


def test_a_sentence_of_the_reader_becomes_the_published_tokens(publish):
    publish()
    corpus = load_parallel("multi30k")
    ((source, target),) = corpus.ids(corpus.train[:1])
    assert corpus.source_ids("A man's dog sits.") == source
    assert corpus.target_words(target) == SENTENCES["train.de"][0].split()
    quoted = corpus.ids(corpus.train)[1][1]
    assert corpus.target_sentence(quoted) == 'zwei hunde "senken" das boot.'
    assert corpus.source_vocabulary is corpus.target_vocabulary
    both = {token for pair in corpus.train for side in pair for token in side}
    assert set(corpus.source_vocabulary) == both | {"<pad>", "<unk>", "<bos>", "<eos>"}


@pytest.mark.parametrize(
    "how, said",
    [
        ("missing", "404"),
        ("other", "sent something else"),
        ("truncated", "could not be downloaded"),
    ],
)
def test_one_bad_file_is_named_and_the_good_ones_stay(
    publish, cache, server, how, said
):
    files = publish()
    load_parallel("multi30k")
    (cache / "multi30k-en-de" / "test.2016.de").unlink()
    server.how = how
    with pytest.raises(DataError, match=said) as caught:
        load_parallel("multi30k")
    assert "multi30k-en-de/test.2016.de" in str(caught.value)
    assert "TRANSFORMER_BOOK_CORPUS" not in str(caught.value)
    assert stored(cache) == {k: v for k, v in files.items() if k != "test.2016.de"}
    server.how = "whole"
    load_parallel("multi30k")
    assert stored(cache) == files


def test_no_network_and_no_file(publish, cache, server):
    publish()
    server.close()
    with pytest.raises(DataError, match="could not be downloaded") as caught:
        load_parallel("multi30k")
    said = str(caught.value)
    assert "Check the network" in said
    assert said.endswith(
        "set TRANSFORMER_BOOK_DATA to a folder that holds multi30k-en-de/train.en."
    )
    assert stored(cache) == {}


def test_the_own_folder_comes_first_and_a_wrong_file_is_refused(
    publish, cache, server, tmp_path, monkeypatch
):
    own = tmp_path / "own" / "multi30k-en-de"
    own.mkdir(parents=True)
    for name, content in publish().items():
        (own / name).write_bytes(content)
    monkeypatch.setenv("TRANSFORMER_BOOK_DATA", str(own.parent))
    load_parallel("multi30k")
    assert server.requests == 0 and not cache.exists()
    (own / "valid.de").write_bytes(b"another sentence\n")
    with pytest.raises(
        DataError, match="valid.de is not the file of multi30k, valid.de: its sha"
    ):
        load_parallel("multi30k")
    assert (own / "valid.de").read_bytes() == b"another sentence\n"


def test_files_that_do_not_fit_together(publish):
    publish(SENTENCES | {"valid.de": ["ein hund sitzt .", "zwei ."]})
    with pytest.raises(DataError, match="valid.en has 1 lines and .*valid.de has 2"):
        load_parallel("multi30k")


def test_a_test_set_that_was_learned(publish):
    publish(SENTENCES | {"test.2016.de": SENTENCES["train.de"][1:]})
    with pytest.raises(DataError, match=r"line 1 \(target: line 2 of training\)"):
        load_parallel("multi30k")


def test_the_registry_is_consistent():
    files = [*corpus_registry.MULTI30K_FILES.values(), corpus_registry.TATOEBA]
    assert len(
        {entry.name for entry in files} | set(corpus_registry.CORPORA)
    ) == 8 + len(corpus_registry.CORPORA)
    for entry in corpus_registry.MULTI30K_FILES.values():
        assert len(entry.hash.removeprefix("sha256:")) == 64 and entry.size > 0
        assert entry.origin.startswith("https://") and entry.origin.endswith(
            f"/{entry.file}"
        )
        assert entry.terms and entry.title
    assert corpus_registry.TATOEBA.hash is None and corpus_registry.TATOEBA.by_hand


@needs("multi30k-en-de/train.de")
def test_the_published_files_are_those_of_the_registry():
    for entry in corpus_registry.MULTI30K_FILES.values():
        path = FOLDER / entry.file
        assert path.stat().st_size == entry.size
        downloads.check_hash(path, entry)


@needs("multi30k-en-de/train.de")
def test_the_published_corpus():
    corpus = load("multi30k")
    assert [len(part) for part in (corpus.train, corpus.validation, corpus.test)] == [
        29_000,
        1_014,
        1_000,  # of Elliott et al. (2016), table 1
    ]
    ids = corpus.ids(corpus.test)
    for (_, target), (_, tokens) in zip(ids, corpus.test):
        assert corpus.target_words(target) == Subwords.join(tokens)
    # A reader who types a test sentence gets its ids. One sentence has a subword that training
    # lacks; a reader's is cut again.
    typed_ids = [
        corpus.source_ids(typed(Subwords.join(tokens))) for tokens, _ in corpus.test
    ]
    other = [
        source
        for source, again in zip((s for s, _ in ids), typed_ids)
        if source != again
    ]
    assert len(other) == 1 and UNK in other[0]
    assert not any(UNK in again for again in typed_ids)
