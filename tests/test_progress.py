"""Progress bars are for a terminal or a live notebook, not for a page that is being built."""

import sys

import pytest
from jupyter_client.blocking import BlockingKernelClient
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from transformer_book import progress

CELL = "from transformer_book.progress import is_watched; print(is_watched())"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_is_watched(terminal, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    assert progress.is_watched() is terminal
    assert progress.make_progress_bar(3, "B", "file").disable is not terminal


def test_a_process_without_stderr_is_not_watched(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.is_watched() is False


@pytest.fixture(scope="module")
def build():
    """What executes the chapters, with a kernel that runs."""
    client = NotebookClient(
        new_notebook(), timeout=60, kernel_name="python3", shutdown_kernel="immediate"
    )
    with client.setup_kernel():
        yield client


def test_a_live_notebook_is_watched(build):
    # Jupyter's pages ask the kernel with allow_stdin; programs that execute notebooks do not.
    said = []
    client = BlockingKernelClient(connection_file=build.km.connection_file)
    client.load_connection_file()
    client.start_channels()
    try:
        client.execute_interactive(
            CELL,
            allow_stdin=True,
            timeout=60,
            output_hook=lambda message: said.append(message["content"].get("text", "")),
        )
    finally:
        client.stop_channels()
    assert "".join(said).strip() == "True"


def test_a_page_that_is_built_shows_no_progress_and_no_warning(build):
    codes = [
        CELL,
        "from transformer_book import data; text = data.load()",
        "from transformer_lab.words.word_vectors import train_word_vectors;"
        "wv = train_word_vectors(text[:5], sg=1, epochs=1, vector_size=8)",
        "one = train_word_vectors([data.word_tokens('The cat sat.')], sg=0, epochs=1)",
    ]
    build.nb.cells = [new_code_cell(code) for code in codes]
    first, *others = (build.execute_cell(c, i) for i, c in enumerate(build.nb.cells))
    assert [cell.outputs for cell in others] == [[], [], []]
    (said,) = first.outputs
    assert said.text == "False\n"
