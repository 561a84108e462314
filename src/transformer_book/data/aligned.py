"""Aligned text: two files, line by line one sentence and its translation."""

from .errors import DataError

# A longer line is a paragraph, or a file without line ends.
MAX_TOKENS_PER_LINE = 1_000
MAX_NAMED_FAULTS = 3  # of many faults of one kind, so many are named


def read_lines(path) -> list:
    r"""Read the lines of a text in UTF-8.

    Lines end at ``\n`` alone. ``str.splitlines`` also ends them at signs that real sentences
    hold, and then two files no longer agree.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the file cannot be read, is empty, or is not UTF-8; with the line.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}. Check the path and its permissions.",
            reason="its file cannot be read",
        ) from error
    if not content:
        raise DataError(f"{path} is empty; expected one sentence in each line.")
    return [
        _decode_line(line, path, number)
        for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1)
    ]


def read_aligned(source_path, target_path):
    """Read two files of which line i of one is the translation of line i of the other.

    Parameters
    ----------
    source_path, target_path : path-like
        Text in UTF-8, one sentence a line, its tokens separated by spaces.

    Returns
    -------
    tuple of (tuple of str, tuple of str)
        The tokens of each pair.

    Raises
    ------
    DataError
        If a file cannot be read or is not UTF-8, the two have not the same number of lines, or a
        line is empty or longer than ``MAX_TOKENS_PER_LINE``; with the line.
    """
    sides = [
        [
            split_tokens(line, f"{path}, line {number}")
            for number, line in enumerate(read_lines(path), start=1)
        ]
        for path in (source_path, target_path)
    ]
    if len(sides[0]) != len(sides[1]):
        raise DataError(
            f"{source_path} has {len(sides[0]):,} lines and {target_path} has {len(sides[1]):,}; expected "
            "as many, as each line is the translation of the other's. Check that both are whole."
        )
    return tuple(zip(*sides))


def split_tokens(line, line_location):
    """Cut a line at its spaces.

    Parameters
    ----------
    line : str
    line_location : str
        The file and the line, for the error.

    Returns
    -------
    tuple of str

    Raises
    ------
    DataError
        If there is no token, or more than ``MAX_TOKENS_PER_LINE``.
    """
    tokens = tuple(line.split())
    if not tokens:
        raise DataError(
            f"{line_location} is empty; expected a sentence. Take it out, with its translation."
        )
    if len(tokens) > MAX_TOKENS_PER_LINE:
        raise DataError(
            f"{line_location} has {len(tokens):,} tokens; expected at most {MAX_TOKENS_PER_LINE:,} "
            "(MAX_TOKENS_PER_LINE). Cut it into sentences, or take it out, with its translation."
        )
    return tokens


def check_disjoint(train, test):
    """Raise if a sentence of the test, in either language, was to be learned.

    Parameters
    ----------
    train, test : sequence of (tuple of str, tuple of str)
        As ``read_aligned`` returns them.

    Raises
    ------
    DataError
        Saying how many, with the lines of the first few.
    """
    shared = []
    for side, language in enumerate(("source", "target")):
        learned = {
            pair[side]: line for line, pair in reversed([*enumerate(train, start=1)])
        }
        shared += [
            (line, f"line {line} ({language}: line {learned[pair[side]]} of training)")
            for line, pair in enumerate(test, start=1)
            if pair[side] in learned
        ]
    if shared:
        named = "; ".join(text for _, text in sorted(shared)[:MAX_NAMED_FAULTS])
        first = (
            f", of which the first {MAX_NAMED_FAULTS}"
            if len(shared) > MAX_NAMED_FAULTS
            else ""
        )
        raise DataError(
            f"The test set shares {len(shared):,} sentences with the training set{first}: {named}. "
            "Expected none: a score on what was learned says nothing. Take them out of one of the "
            "two.",
            reason="its test set overlaps with its training set",
        )


def _decode_line(line, path, line_number):
    try:
        return line.decode("utf-8-sig")  # some editors put a mark before the first line
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}, line {line_number} is not UTF-8: byte {line[error.start]:#04x} at place "
            f"{error.start + 1} of the line. Expected text in UTF-8; save the file in that "
            "encoding.",
            reason="its file is not UTF-8",
        ) from error
