"""Words are cut as subword-nmt and the ``tokenizers`` library cut them, and joined again."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.data.real import FOLDER, needs
from transformer_book.data import DataError, Subwords
from transformer_book.data.aligned import read_lines

WORDS = ("low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3).split()
WORD = st.text("abcß猫@", min_size=1, max_size=8).filter(
    lambda word: not word.endswith("@@")
)
PUBLISHED = "multi30k-en-de"


def theirs(subwords, words):
    """Cut words with the library's BPE, given the same merges."""
    symbols = {symbol for pair in subwords.merges for symbol in (*pair, "".join(pair))}
    symbols |= {c + end for word in words for c in word for end in ("", "</w>")}
    ids = {symbol: i for i, symbol in enumerate(sorted(symbols))}
    tokenizer = Tokenizer(
        models.BPE(ids, [*subwords.merges], end_of_word_suffix="</w>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokens = tokenizer.encode(" ".join(words)).tokens
    return [t.removesuffix("</w>") if t.endswith("</w>") else t + "@@" for t in tokens]


@pytest.mark.parametrize("n_merges", [0, 1, 5, 1_000])
def test_sennrichs_words_as_the_library_cuts_them(n_merges):
    subwords = Subwords.learn(WORDS, n_merges)
    new = [*WORDS, "lowest", "wow", "x"]
    assert subwords.cut(new) == theirs(subwords, new)


@given(
    st.lists(WORD, min_size=1, max_size=20),
    st.lists(WORD, max_size=5),
    st.integers(0, 30),
)
def test_any_words_as_the_library_cuts_them_and_back(words, others, n_merges):
    subwords = Subwords.learn(words, n_merges)
    assert len(subwords.merges) <= n_merges
    pieces = subwords.cut(words + others)
    assert pieces == theirs(subwords, words + others)
    assert subwords.join(pieces) == words + others


@pytest.mark.parametrize("n_merges", [0, 5, 60])
def test_a_text_may_spell_the_end_of_a_word(n_merges):
    words = ["</w>", "a</w>b", "</w></w>", "x@@y", "b"] * 3
    subwords = Subwords.learn(words, n_merges)
    for known in (None, set(), {"a</w>@@"}):
        pieces = subwords.cut(words, known)
        assert subwords.join(pieces) == words
        assert sum(not piece.endswith("@@") for piece in pieces) == len(words)


def test_by_hand():
    subwords = Subwords([("l", "o"), ("lo", "w"), ("e", "r</w>"), ("w", "e")])
    assert subwords.cut(["lower", "low", "we"]) == [
        "low@@",
        "er",
        "lo@@",
        "w",
        "w@@",
        "e",
    ]
    # The older merge goes first, wherever it stands: "er" before "we".
    assert subwords.cut(["wer"]) == ["w@@", "er"]


def test_of_a_pair_that_is_there_twice_the_first_place_counts():
    subwords = Subwords([("a", "b"), ("b", "c"), ("a", "b")])
    assert subwords.cut(["abcx"]) == ["ab@@", "c@@", "x"]


def test_known_subwords_are_kept_to():
    subwords = Subwords([("l", "o"), ("lo", "w"), ("e", "r</w>"), ("low", "er</w>")])
    assert subwords.cut(["lower"]) == ["lower"]
    assert subwords.cut(["lower"], {"lower"}) == ["lower"]
    assert subwords.cut(["lower"], {"low@@", "er"}) == ["low@@", "er"]
    assert subwords.cut(["lower"], {"lo@@", "er"}) == ["lo@@", "w@@", "er"]
    assert subwords.cut(["lower"], ()) == ["l@@", "o@@", "w@@", "e@@", "r"]
    assert subwords.cut(["lower"]) == ["lower"]


def test_a_word_without_its_last_piece_stands_as_it_is():
    assert Subwords.join(["play@@", "house", "sch@@", "ö@@"]) == ["playhouse", "schö"]
    assert Subwords.join([]) == []


def test_the_same_merges_in_every_process():
    # Many pairs occur equally often, so only a fixed order of symbols decides.
    code = (
        "import itertools; from transformer_book.data import Subwords;"
        "words = [''.join(w) for w in itertools.permutations('abcdefgh', 4)];"
        "print(Subwords.learn(words, 50).merges)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True
        ).stdout
        for _ in range(3)
    ]
    assert runs[0] == runs[1] == runs[2]


def test_a_file_of_merges(tmp_path):
    path = tmp_path / "code"
    path.write_text("#version: 0.2\ne r</w>\nl o\n", encoding="utf-8")
    assert Subwords.read(path).merges == (("e", "r</w>"), ("l", "o"))
    assert repr(Subwords.read(path)) == "Subwords of 2 merges"


@pytest.mark.parametrize(
    "content",
    [
        b"#version: 0.2\r\ne r</w>\r\nl o\r\n",
        b"#version: 0.2\ne r</w>\nl o\n\n\n",
        b"#version: 0.2\r\ne r</w>\r\nl o\r\n\r\n",
        b"\xef\xbb\xbf#version: 0.2\r\ne r</w>\r\nl o",
    ],
)
def test_a_file_of_merges_from_another_editor(tmp_path, content):
    path = tmp_path / "code"
    path.write_bytes(content)
    assert Subwords.read(path).merges == (("e", "r</w>"), ("l", "o"))


def test_a_file_of_no_merges(tmp_path):
    path = tmp_path / "code"
    path.write_text("#version: 0.2\n", "utf-8")
    assert Subwords.read(path).merges == ()


def test_merges_of_bytes_are_refused(tmp_path):
    # As the library writes those of GPT-2: of words that begin with a sign of their own.
    from tokenizers import trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.train_from_iterator(WORDS, trainers.BpeTrainer(show_progress=False))
    _, path = tokenizer.model.save(str(tmp_path))
    with pytest.raises(DataError, match="merges none has '</w>'; expected merges by"):
        Subwords.read(path)


@pytest.mark.parametrize(
    "content, said",
    [
        (b"", "code is empty"),
        (b"#version: 0.2\nl o\n\ne r</w>\n", "line 3 is ''; expected two symbols"),
        (b"t h 10\n", "line 1 is 't h 10'; expected '#version: 0.2'"),
        (b"l o\n", "line 1 is 'l o'; expected '#version: 0.2'"),
        (b"#version: 0.2\nl o\nlow\n", "line 3 is 'low'; expected two symbols"),
        (b"#version: 0.2\nl o w\n", "line 2 is 'l o w'; expected two symbols"),
        (b"#version: 0.2\nl \n", "line 2 is 'l '; expected two symbols"),
        (b"#version: 0.2\nl \xff\n", "line 2 is not UTF-8"),
    ],
)
def test_a_file_that_is_none(tmp_path, content, said):
    path = tmp_path / "code"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        Subwords.read(path)


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(DataError, match="code cannot be read: No such file"):
        Subwords.read(tmp_path / "code")


@pytest.mark.parametrize("word", ["", "two words", " a", "end@@", None])
def test_bad_words(word):
    with pytest.raises(DataError, match="expected one word"):
        Subwords([]).cut(["a", word])
    with pytest.raises(DataError, match="expected one word"):
        Subwords.learn(["a", word], 3)


@pytest.mark.parametrize("words, n_merges", [([], 3), (["a"], -1)])
def test_nothing_to_learn(words, n_merges):
    with pytest.raises(DataError, match=f"{len(words)} words and n_merges={n_merges}"):
        Subwords.learn(words, n_merges)


@pytest.mark.parametrize("pair", [("a",), ("a", "b", "c"), ("a", "")])
def test_bad_merges(pair):
    with pytest.raises(DataError, match="expected two symbols"):
        Subwords([("a", "b"), pair])


@needs(f"{PUBLISHED}/code")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("part", ["train", "valid", "test.2016"])
def test_the_published_files_joined_and_cut_again_are_the_published_files(
    part, language
):
    subwords = Subwords.read(FOLDER / PUBLISHED / "code")
    # One line, of training, ends in a space; tokens are the same.
    lines = [
        line.rstrip(" ")
        for line in read_lines(FOLDER / PUBLISHED / f"{part}.{language}")
    ]
    again = [" ".join(subwords.cut(subwords.join(line.split(" ")))) for line in lines]
    assert again == lines
