"""What is loaded is what was asked for, and the page says so."""

import bz2
import dataclasses
import hashlib
import subprocess
import sys

import pytest

from transformer_book import data
from transformer_book.data import DataError, corpus_loading, corpus_registry, downloads


@pytest.fixture
def short_sample(monkeypatch):
    """A default that loads at once, for the tests that only need to know which one was taken."""
    monkeypatch.setitem(
        corpus_loading.READERS_BY_FORMAT, "wikipedia", lambda path: [["a", "b"], ["c"]]
    )


def test_the_sample_is_what_gensim_reads():
    from gensim.corpora import WikiCorpus

    path = str(downloads.find_file(corpus_registry.CORPORA["wikipedia-sample"]))
    theirs = WikiCorpus(path, dictionary={}, processes=1, token_min_len=1).get_texts()
    ours = data.load("wikipedia-sample")
    assert ours == list(theirs)
    words = [word for article in ours for word in article]
    assert (len(ours), len(words)) == (106, 469_147)
    assert [words.count(word) for word in ("black", "brown", "cat")] == [153, 32, 3]


def test_the_sample_leaves_out_what_gensim_leaves_out(tmp_path):
    from gensim.corpora import WikiCorpus

    def page(title, n_words, space=0):
        text = "<text>" + "word " * n_words + "</text>"
        return (
            f"<page><title>{title}</title><ns>{space}</ns><id>1</id>"
            f"<revision>{text}</revision></page>"
        )

    pages = [
        page("Long", 60),
        page("Short", 49),
        page("Just", 50),
        page("Portal:Arts", 60),
        page("Talk", 60, space=1),
    ]
    space = "http://www.mediawiki.org/xml/export-0.10/"
    path = tmp_path / "pages.xml.bz2"
    dump = f'<mediawiki xmlns="{space}">{"".join(pages)}</mediawiki>'
    path.write_bytes(bz2.compress(dump.encode()))
    theirs = WikiCorpus(
        str(path), dictionary={}, processes=1, token_min_len=1
    ).get_texts()
    ours = corpus_loading.READERS_BY_FORMAT["wikipedia"](path)
    assert ours == list(theirs)
    assert [len(article) for article in ours] == [60, 50]


def test_text8_is_cut_into_pieces_that_gensim_reads_whole(text8, words):
    pieces = data.load("text8")
    assert [len(piece) for piece in pieces] == [1_000, 1_000, 500]
    assert [word for piece in pieces for word in piece] == words


def test_the_prefix_is_cut_from_text8_where_its_own_file_is_missing(
    text8, words, monkeypatch
):
    prefix = dataclasses.replace(corpus_registry.CORPORA["text8-prefix"], words=1_700)
    monkeypatch.setitem(corpus_registry.CORPORA, "text8-prefix", prefix)
    pieces = data.load("text8-prefix")
    assert [word for piece in pieces for word in piece] == words[:1_700]


def test_without_a_setting_the_default_is_loaded(cache, short_sample):
    assert data.load() == [["a", "b"], ["c"]]
    said = data.describe()
    assert (
        "3 words in 2 articles" in said and "TRANSFORMER_BOOK_CORPUS is not set" in said
    )


def test_the_setting_chooses(text8, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_CORPUS", "text8")
    said = data.describe()
    assert (
        "2,500 words in 3 pieces" in said
        and "chosen by TRANSFORMER_BOOK_CORPUS" in said
    )


def test_a_setting_that_cannot_be_had_falls_back_and_says_so(
    text8, cache, server, short_sample, monkeypatch
):
    server.close()
    monkeypatch.setenv("TRANSFORMER_BOOK_CORPUS", "text8")
    assert data.load() == [["a", "b"], ["c"]]
    said = data.describe()
    assert (
        "asks for text8, which cannot be had here" in said and "download failed" in said
    )
    assert "3 words in 2 articles" in said
    assert str(cache) not in said and server.url not in said
    with pytest.raises(DataError):
        data.load("text8")
    with pytest.raises(DataError):
        data.describe("text8")


def test_after_a_fall_back_the_next_load_tries_again(
    text8, server, short_sample, monkeypatch
):
    monkeypatch.setenv("TRANSFORMER_BOOK_CORPUS", "text8")
    server.how = "missing"
    assert "cannot be had" in data.describe()
    server.how = "whole"
    assert len(data.load()) == 3
    assert "chosen by" in data.describe()


def test_a_misspelt_setting_is_an_error(cache, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_CORPUS", "txt8")
    for function in (data.load, data.describe, data.data_fingerprint):
        with pytest.raises(DataError, match="'txt8'.*Known: wikipedia-sample"):
            function()


def test_describe_loads_once(cache, monkeypatch):
    calls = []
    monkeypatch.setitem(
        corpus_loading.READERS_BY_FORMAT,
        "wikipedia",
        lambda path: calls.append(path) or [["a"]],
    )
    data.load()
    data.describe()
    data.describe()
    assert len(calls) == 1
    assert "asked for by name" in data.describe("wikipedia-sample")


def test_the_fingerprint_follows_setting_and_bytes(
    text8, cache, server, body, monkeypatch
):
    default = data.data_fingerprint()
    assert (
        hashlib.sha256(
            downloads.find_file(
                corpus_registry.CORPORA["wikipedia-sample"]
            ).read_bytes()
        ).hexdigest()
        in default
    )
    monkeypatch.setenv("TRANSFORMER_BOOK_CORPUS", "text8")
    absent = data.data_fingerprint()
    path = cache / "text8" / "text8.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(body)
    present = data.data_fingerprint()
    assert present == data.data_fingerprint()
    path.write_bytes(body[:-1] + b"?")
    assert len({default, absent, present, data.data_fingerprint()}) == 4
    assert server.requests == 0
    assert not any(str(cache) in said for said in (default, absent, present))


def test_the_fingerprint_sees_what_a_cut_is_cut_from(text8, cache, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_CORPUS", "text8-prefix")
    before = data.data_fingerprint()
    downloads.fetch(text8)
    assert data.data_fingerprint() != before
    assert "text8.gz" in data.data_fingerprint()


def test_the_fingerprint_needs_no_heavy_import():
    code = (
        "import sys; from transformer_book import data; data.data_fingerprint();"
        "print([m for m in ('torch', 'gensim', 'nltk', 'requests') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.strip() == "[]"


def test_gensim_drops_what_a_sentence_has_too_many():
    # The reason for the pieces: of 12,000 words, gensim trains on 10,000 and says nothing.
    from gensim.models import Word2Vec

    model = Word2Vec(vector_size=4, min_count=1, sample=0, workers=1)
    long = [f"w{i}" for i in range(12_000)]
    model.build_vocab([long])
    trained, _ = model.train([long], total_examples=1, epochs=1)
    pieces, _ = model.train(
        corpus_loading._cut_words_into_pieces(long), total_examples=12, epochs=1
    )
    assert (trained, pieces) == (10_000, 12_000)
