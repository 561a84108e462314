"""Two files become pairs, or one clear error that names the file and the line."""

import pytest

from transformer_book.data import DataError, aligned, check_disjoint, read_aligned


@pytest.fixture
def files(tmp_path):
    """Write two files, and return their paths."""

    def write(source, target):
        paths = tmp_path / "text.en", tmp_path / "text.de"
        for path, content in zip(paths, (source, target), strict=True):
            path.write_bytes(
                content if isinstance(content, bytes) else content.encode()
            )
        return paths

    return write


@pytest.mark.parametrize("end", ["", "\n"])
def test_lines_become_pairs_of_tokens(files, end):
    paths = files(f"a b\nc{end}", f"x\n&apos; ß y{end}")
    assert read_aligned(*paths) == (
        (("a", "b"), ("x",)),
        (("c",), ("&apos;", "ß", "y")),
    )


def test_lines_end_at_newlines_alone(files):
    # str.splitlines cuts at each of these.
    odd = "a\u2028b \x85 c\x0bd \x1ce"
    assert len(odd.splitlines()) > 1
    pairs = read_aligned(*files(f"{odd}\nlast\n", "x\ny\n"))
    assert len(pairs) == 2 and pairs[1] == (("last",), ("y",))


def test_files_of_windows_and_a_mark_at_the_beginning(files):
    assert read_aligned(*files(b"\xef\xbb\xbfa b\r\nc\r\n", "x\r\ny\r\n")) == (
        (("a", "b"), ("x",)),
        (("c",), ("y",)),
    )


def test_unequal_numbers_of_lines(files):
    with pytest.raises(DataError, match=r"text\.en has 3 lines and .*text\.de has 2"):
        read_aligned(*files("a\nb\nc\n", "x\ny\n"))


@pytest.mark.parametrize("line", ["", "  ", "\t"])
def test_an_empty_line(files, line):
    with pytest.raises(
        DataError, match=r"text\.de, line 2 is empty; expected a sentence"
    ):
        read_aligned(*files("a\nb\nc\n", f"x\n{line}\ny\n"))


@pytest.mark.parametrize("content", ["", "\n"])
def test_an_empty_file(files, content):
    with pytest.raises(DataError, match=r"text\.en.* is empty"):
        read_aligned(*files(content, content))


def test_a_line_of_five_thousand_tokens(files):
    with pytest.raises(
        DataError, match=r"text\.en, line 2 has 5,000 tokens; .* 1,000 \(MAX_TOK"
    ):
        read_aligned(*files("a\n" + "b " * 5_000 + "\n", "x\ny\n"))


def test_the_longest_line_allowed(files):
    longest = "b " * aligned.MAX_TOKENS_PER_LINE
    ((source, _),) = read_aligned(*files(longest, "x"))
    assert len(source) == aligned.MAX_TOKENS_PER_LINE
    with pytest.raises(DataError, match="line 1 has 1,001 tokens"):
        read_aligned(*files(longest + "b", "x"))


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16-le"])
def test_another_encoding(files, encoding):
    content = "a man\na café ÿ\n".encode(encoding)
    with pytest.raises(
        DataError, match=r"text\.de, line 2 is not UTF-8: byte 0x.. at"
    ) as caught:
        read_aligned(*files("a\nb\n", content))
    assert "Expected text in UTF-8" in str(caught.value)
    assert "text.de" not in caught.value.reason


def test_a_missing_file(files, tmp_path):
    source, _ = files("a\n", "x\n")
    with pytest.raises(DataError, match=r"nowhere\.de cannot be read: No such file"):
        read_aligned(source, tmp_path / "nowhere.de")


def test_a_test_set_apart_from_training():
    train = ((("a", "b"), ("x",)), (("c",), ("y",)))
    check_disjoint(train, ((("a",), ("x", "y")), (("y",), ("c",))))
    check_disjoint(train, ())


def test_a_test_set_that_overlaps_is_refused_with_the_lines():
    train = ((("a", "b"), ("x",)), (("c",), ("y",)), (("c",), ("z",)))
    test = ((("d",), ("w",)), (("e",), ("y",)), (("c",), ("v",)))
    with pytest.raises(DataError) as caught:
        check_disjoint(train, test)
    said = str(caught.value)
    assert (
        "shares 2 sentences with the training set: line 2 (target: line 2 of training); "
        in said
    )
    assert "line 3 (source: line 2 of training)." in said and "line 1" not in said
    assert "of which" not in said


def test_of_many_the_first_few_lines_are_named():
    pairs = tuple(((f"a{i}",), (f"x{i}",)) for i in range(50))
    with pytest.raises(DataError) as caught:
        check_disjoint(pairs, pairs[10:])
    said = str(caught.value)
    assert "shares 80 sentences with the training set, of which the first 3: " in said
    assert said.count(" of training)") == 3
    assert (
        "line 1 (source: line 11 of training); line 1 (target: line 11 of training)"
        in said
    )
