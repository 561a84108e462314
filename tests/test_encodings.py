"""Text is UTF-8 wherever this runs: whoever reads or writes it says so, or the machine's locale decides."""

import ast
import re

import pytest

from tests.conftest import ROOT

FOLDERS = (".ci", "benchmarks", "src", "tests", "tools")
# How many arguments without a name stand before the encoding.
BEFORE = {"read_text": 0, "write_text": 1, "TextIOWrapper": 1}
NEVER = {"popen", "getoutput", "getstatusoutput"}  # have an argument for it
# In which mode a file is opened where none is named.
MODES = {"open": "r", "fdopen": "r"}
MODES |= dict.fromkeys(("NamedTemporaryFile", "TemporaryFile"), "w+b")
COMPRESSED = {"bz2", "gzip", "lzma"}  # these read bytes unless they are asked for text
PLAIN = COMPRESSED | {"io", "Path"}


def asks_the_locale(call, imported):
    """Return whether a call leaves the encoding of a text to the locale.

    Parameters
    ----------
    call : ast.Call
    imported : set of str
        The names that its file imports: another package's ``open`` opens no text.
    """
    given = {word.arg: word.value for word in call.keywords}
    name = getattr(call.func, "attr", getattr(call.func, "id", None))
    owner = getattr(getattr(call.func, "value", None), "id", None)
    if given.keys() & {"encoding", None} or isinstance(
        [0, *call.args][-1], ast.Starred
    ):
        return False  # named, or handed on
    if name in BEFORE:
        return len(call.args) <= BEFORE[name]
    if name in MODES and not (name == "open" and owner in imported - PLAIN):
        mode = mode_of(given.get("mode"), *call.args[:2]) or MODES[name]
        return "t" in mode or ("b" not in mode and owner not in COMPRESSED)
    texts = [given.get(word) for word in ("text", "universal_newlines")]
    return name in NEVER or any(getattr(text, "value", None) is True for text in texts)


def mode_of(*places):
    """Return the mode among the arguments of a call, or None."""
    words = [getattr(place, "value", None) for place in places]
    modes = [word for word in words if isinstance(word, str)]
    return next((mode for mode in modes if re.fullmatch("[rwxabt+]+", mode)), None)


def calls(source):
    """Return the lines of a source that leave an encoding to the locale."""
    nodes = [*ast.walk(ast.parse(source))]
    imports = [n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom)]
    imported = {each.asname or each.name for node in imports for each in node.names}
    return [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call) and asks_the_locale(node, imported)
    ]


def test_every_text_names_its_encoding():
    paths = [path for name in FOLDERS for path in (ROOT / name).rglob("*.py")]
    assert len(paths) > 300
    found = {path: calls(path.read_text("utf-8")) for path in paths}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "call",
    [
        "path.read_text()",
        "path.read_text(errors='replace')",
        "path.write_text(text)",
        "open(path)",
        "open(path, 'a')",
        "open(path, mode='w')",
        "path.open()",
        "path.open('w')",
        "io.open(path)",
        "gzip.open(path, 'rt')",
        "io.TextIOWrapper(file)",
        "tempfile.NamedTemporaryFile('w')",
        "os.fdopen(number, 'w')",
        "subprocess.run(words, text=True)",
        "subprocess.Popen(words, universal_newlines=True)",
        "subprocess.check_output(words, text=True)",
        "os.popen(words)",
    ],
)
def test_a_call_that_asks_the_locale_is_found(call):
    assert calls(f"import gzip, io, os, subprocess, tempfile\n{call}") == [2]


@pytest.mark.parametrize(
    "call",
    [
        "path.read_text('utf-8')",
        "path.read_text(encoding='utf-8')",
        "path.write_text(text, 'utf-8')",
        "open(path, 'rb')",
        "open(path, encoding='utf-8')",
        "path.open('wb')",
        "gzip.open(path)",
        "tempfile.NamedTemporaryFile()",
        "os.open(path, flags)",
        "Image.open(path)",
        "Label(text='a word')",
        "subprocess.run(words, capture_output=True)",
        "subprocess.run(words, text=True, encoding='utf-8')",
        "subprocess.run(words, **options)",
    ],
)
def test_no_other_call_is_found(call):
    source = f"import gzip, os, subprocess, tempfile\nfrom PIL import Image\n{call}"
    assert calls(source) == []
