"""Progress bars are for a terminal or a live notebook, not for a page that is being built."""

import sys

import pytest

from transformer_book import progress

CELL = "from transformer_book.progress import watched; print(watched())"


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_is_watched(terminal, monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    assert progress.watched() is terminal
    assert progress.bar(3, "B", "file").disable is not terminal


def test_a_process_without_stderr_is_not_watched(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    monkeypatch.setattr(sys, "stderr", None)
    assert progress.watched() is False


@pytest.mark.parametrize("live", [True, False])
def test_a_live_notebook_is_watched_and_an_executed_one_is_not(live):
    # Jupyter's pages ask the kernel with allow_stdin; programs that execute notebooks do not.
    from jupyter_client.manager import start_new_kernel

    said = []
    manager, client = start_new_kernel()
    try:
        client.execute_interactive(
            CELL,
            allow_stdin=live,
            timeout=60,
            output_hook=lambda message: said.append(message["content"].get("text", "")),
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert "".join(said).strip() == str(live)


def test_a_page_that_is_built_shows_no_progress_and_no_warning():
    import nbformat
    from nbclient import NotebookClient

    cells = [
        CELL,
        "from transformer_book import data; text = data.load()",
        "from transformer_lab.word_vectors import train_word_vectors;"
        "wv = train_word_vectors(text[:5], sg=1, epochs=1, vector_size=8)",
        "one = train_word_vectors([data.word_tokens('The cat sat.')], sg=0, epochs=1)",
    ]
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(c) for c in cells]
    )
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    assert [cell.outputs for cell in notebook.cells[1:]] == [[], [], []]
    (said,) = notebook.cells[0].outputs
    assert said.text == "False\n"
