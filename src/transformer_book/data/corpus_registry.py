"""Every file the book can use: where it comes from, how to check it, on what terms."""

from dataclasses import dataclass

from .errors import DataError

DEFAULT_CORPUS = "wikipedia-sample"


@dataclass(frozen=True)
class Corpus:
    """One corpus in one file, or one file of a corpus that has several.

    Parameters
    ----------
    name, title : str
        What the code calls it, and what a page calls it.
    file : str
        Its file, relative to a data folder; for a file inside a package, relative to the package.
    size : int or None
        Size of that file in bytes; None where readers have different ones.
    hash : str or None
        Algorithm and digest, as in ``"md5:68799a..."``; None where readers have different files.
    terms : str
        On what terms it may be used.
    reader : str or None
        How it is loaded: a key of ``corpus_loading.READERS_BY_FORMAT``; None for files of
        ``PARALLEL_CORPUS_LOADERS``.
    origin : str or None
        The URL it is downloaded from; None where nothing is downloaded.
    package : str or None
        The installed package that contains the file, if one does.
    cut_from : str or None
        The corpus whose first ``words`` words these are, for when its file is absent.
    words : int or None
        How many words the cut has.
    by_hand : str or None
        What the reader does to get it, where no program may.
    """

    name: str
    title: str
    file: str
    size: int | None
    hash: str | None
    terms: str
    reader: str | None = None
    origin: str | None = None
    package: str | None = None
    cut_from: str | None = None
    words: int | None = None
    by_hand: str | None = None


_WIKIPEDIA_TERMS = "text of Wikipedia, CC BY-SA"

_REGISTERED_CORPORA = (
    Corpus(
        name=DEFAULT_CORPUS,
        title="the Wikipedia sample inside gensim",
        file="test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2",
        size=1_695_871,
        hash="sha256:a53f4648dec40467ebdcbc7a1307eddb51fe6e28e9309f6ebde81ba0d04bea2d",
        terms=_WIKIPEDIA_TERMS,
        reader="wikipedia",
        package="gensim",
    ),
    # The file that gensim.downloader.load("text8") gets, with the size and hash that gensim's
    # list publishes (which knows no sha256).
    Corpus(
        name="text8",
        title="text8, the first 100 MB of cleaned Wikipedia text",
        file="text8/text8.gz",
        size=33_182_058,
        hash="md5:68799af40b6bda07dfa47a32612e5364",
        terms=_WIKIPEDIA_TERMS,
        reader="text8",
        origin="https://github.com/piskvorky/gensim-data/releases/download/text8/text8.gz",
    ),
    Corpus(
        name="text8-prefix",
        title="the first 6.9 MB of text8",
        file="text8/text8-prefix.gz",
        size=2_298_689,
        hash="sha256:a729c144d0eeef852aae0fb2290c52119ac013b105e12a56e703649000cbb574",
        terms=_WIKIPEDIA_TERMS,
        reader="text8",
        cut_from="text8",
        words=1_171_946,
    ),
)

CORPORA = {corpus.name: corpus for corpus in _REGISTERED_CORPORA}

# The commit whose files are behind the figures of Wu et al. (2021).
_MULTI30K_ORIGIN = (
    "https://raw.githubusercontent.com/LividWo/Revisit-MMT/"
    "dc368d0af8d60270b8f4aaa2f3ac58771c551da3/data/multi30k-en-de/"
)
MULTI30K_FILES = {
    file: Corpus(
        name=f"multi30k, {file}",
        title="Multi30k English–German, task 1 of WMT 2016, with the subwords of Wu et al. (2021)",
        file=f"multi30k-en-de/{file}",
        size=size,
        hash=f"sha256:{digest}",
        terms="research use, with attribution (Elliott et al., 2016)",
        origin=_MULTI30K_ORIGIN + file,
    )
    for file, size, digest in (
        (
            "code",
            104_973,
            "5b545f318e49f24367c7399019c9aeb5e3720b6379a08f887c2792af71c37f2a",
        ),
        (
            "train.en",
            1_898_472,
            "0ffe3e3bac16e6aa33ef0dd6a7dca81587479b0d18dff0db2a92ac3f32b00c86",
        ),
        (
            "train.de",
            2_269_411,
            "b2c74def7ec129f7ea7023a51501c77174c377ef06c6ccc2f031adcfb5cfadbd",
        ),
        (
            "valid.en",
            67_101,
            "193d0d18fef5d1bc9d1cddafa13a644de3c5d6a24b45ac44476dcc5e96bfac6e",
        ),
        (
            "valid.de",
            82_295,
            "eeb95680d6a06eafb13e3494eed9f9fa99783b892f4a3c72dd36e7ce2e000b68",
        ),
        (
            "test.2016.en",
            65_416,
            "13b5fe3f92f78c54446d66afcaaa0a00a33ab653a8411f16812c9c5ca3795d6d",
        ),
        (
            "test.2016.de",
            75_949,
            "375c20d50f4c486149a78dfcfb161a430a04ddabe2b7d150f0c7811dc455ac60",
        ),
    )
}

# It changes from time to time, so each reader has another file.
TATOEBA = Corpus(
    name="tatoeba",
    title="English–Chinese sentences of Tatoeba",
    file="tatoeba-en-zh/cmn.txt",
    size=None,
    hash=None,
    terms="CC BY 2.0 FR, tatoeba.org; each line names its authors",
    by_hand="Download cmn-eng.zip from manythings.org/anki and unpack it; put its cmn.txt",
)


def find_corpus(name):
    """Return the corpus of that name.

    Raises
    ------
    DataError
        If no corpus has that name; the message lists those that exist.
    """
    if name not in CORPORA:
        known = ", ".join(CORPORA)
        raise DataError(
            f"There is no corpus named {name!r}. Known: {known}. Pass one of these, or set "
            "TRANSFORMER_BOOK_CORPUS to one of them.",
            reason=f"no corpus has the name {name!r}",
        )
    return CORPORA[name]
