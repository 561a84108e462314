"""Which pages run, what is kept of them, what is said, and how the one that failed is named."""

import json
import os
import shutil
from itertools import count
from types import SimpleNamespace

import nbformat
import pytest
import yaml
from jupyter_client.manager import AsyncKernelManager

from tests.tools.conftest import FRONT
from tools.cache.store import STORE_VARIABLE, hash_parts
from tools.models import training
from tools.pages import book_pages, page_outputs, run_pages
from tools.pages.kernels import WarmKernelManager
from tools.pages.run_pages import (
    KERNEL_ENVIRONMENT_VARIABLES,
    PageError,
    describe_page_failure,
    run_page,
)

PAGES = {"first", "part/second", "part/third"}
NOTHING = "Pages: nothing to run, all outputs are up to date."


def source(*cells, before="# Page\n"):
    blocks = [f"```{{code-cell}} ipython3\n{cell}\n```\n" for cell in cells]
    return FRONT + "\n".join([before, *blocks])


class Book:
    """Three pages with code and one without, which print what a test says, and never start a kernel.

    It is its own ``CacheKeys``: what a page gives depends on its text and on the versions.
    """

    def __init__(self, folder):
        self.root, self.build = folder, folder / "elsewhere" / "_build"
        self.versions, self.faulty, self.printed = "1", {}, {}
        self.memo = SimpleNamespace(write=lambda: None)
        *_, third = sorted(PAGES)
        toc = {"root": "first", "parts": [{"chapters": [{"file": "part/second"}]}]}
        toc["parts"][0]["chapters"] += [{"file": third}, {"file": "prose"}]
        (folder / "_toc.yml").write_text(yaml.safe_dump(toc), "utf-8")
        (folder / "book" / "part").mkdir(parents=True)
        self.path("prose").write_text("# Prose\n", "utf-8")
        for name in PAGES:
            self.path(name).write_text(source(f"print({name!r})"), "utf-8")

    def path(self, name):
        return self.root / "book" / f"{name}.md"

    def page_keys(self, path):
        text = path.read_text("utf-8")
        return page_outputs.hash_code_cells(book_pages.read_notebook(path)), hash_parts(
            text, self.versions
        )

    def model_key(self, model):
        return f"key of {model.name}"

    def models_of_page(self, path, models):
        return list(models)

    def run_page(self, path, kernels):
        name, notebook = (
            book_pages.page_name(path, self.root),
            book_pages.read_notebook(path),
        )
        self.ran.append(name)
        (cell,) = page_outputs.code_cells(notebook)
        cell.outputs = [
            nbformat.v4.new_output("stream", text=self.printed.get(name, name))
        ]
        return notebook, 1.5, self.faulty.get(name)

    def execute(self):
        """Return the names of the pages that the build says have run, and what else it says."""
        self.ran, self.said = [], []
        paths = run_pages.update_outputs(self.root, self.build, self, self.said.append)
        assert {*map(self.path, self.ran)} == {*paths}
        return {*self.ran}

    def outputs(self, name):
        return page_outputs.load_outputs(self.page_keys(self.path(name))[0], self.build)


@pytest.fixture
def book(tmp_path, monkeypatch):
    made = Book(tmp_path)
    monkeypatch.setattr(run_pages, "run_page", made.run_page)
    monkeypatch.setattr(run_pages, "core_count", lambda: 2)
    monkeypatch.setattr(training, "TRAINED_MODELS", [])
    seconds = count(10, 2.6)
    monkeypatch.setattr(
        run_pages, "time", SimpleNamespace(perf_counter=lambda: next(seconds))
    )
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "store"))
    for name in (*KERNEL_ENVIRONMENT_VARIABLES, training.MODEL_FOLDER_VARIABLE):
        monkeypatch.setenv(
            name, ""
        )  # the build sets them; afterwards they are as before
    return made


def test_a_page_runs_once_and_its_outputs_are_kept(book):
    assert book.execute() == PAGES
    began, *counted, done = book.said
    assert (began, done) == ("Pages: 3 to run, 2 at a time.", "Pages: done in 3 s.")
    assert [line.split("]")[0] for line in counted] == ["  [1/3", "  [2/3", "  [3/3"]
    assert {line.split("] ")[1] for line in counted} == {f"{n}: 1.5 s" for n in PAGES}
    outputs = book.outputs("part/second")
    assert outputs.cells[0][0]["text"] == "part/second" and outputs.seconds == 1.5
    assert book.execute() == set() and book.said == [NOTHING]


def test_what_kernels_find_in_their_environment_is_set(book):
    book.execute()
    assert os.environ[training.MODEL_FOLDER_VARIABLE] == str(book.build / "model")
    assert {
        name: os.environ[name] for name in KERNEL_ENVIRONMENT_VARIABLES
    } == KERNEL_ENVIRONMENT_VARIABLES
    assert KERNEL_ENVIRONMENT_VARIABLES["OMP_NUM_THREADS"] == "1"


def test_other_versions_run_every_page_again_though_its_cells_are_the_same(book):
    book.execute()
    book.versions = "2"
    assert book.execute() == PAGES


def test_what_this_machine_has_run_is_taken_from_the_store(book):
    book.execute()
    wanted = book.outputs("first")
    shutil.rmtree(book.build)
    assert book.execute() == set()
    assert book.said == ["Pages: 3 have run on this machine before.", NOTHING]
    assert book.outputs("first") == wanted
    shutil.rmtree(book.build)
    book.path("first").write_text(source("print(2)"), "utf-8")
    assert book.execute() == {"first"}
    assert book.said[0] == "Pages: 2 have run on this machine before."
    assert book.said[1] == "Pages: 1 to run, 2 at a time."


def test_two_pages_with_the_same_cells_depend_on_the_same_code(book):
    book.path("part/second").write_text(source("print(1)"), "utf-8")
    book.path("part/third").write_text(source("print(1)", before="# Else\n"), "utf-8")
    with pytest.raises(PageError, match=r"second\.md and third\.md have the same code"):
        book.execute()


def test_every_page_that_failed_is_named_and_what_the_others_gave_is_kept(book):
    book.faulty = {"first": "first: a fault", "part/third": "third: another"}
    with pytest.raises(PageError) as caught:
        book.execute()
    assert sorted(str(caught.value).split("\n\n")) == [
        "first: a fault",
        "third: another",
    ]
    assert {"  first: failed", "  part/third: failed"} < {*book.said}
    assert "  [1/3] part/second: 1.5 s" in book.said
    assert book.outputs("first") is None and book.outputs("part/second") is not None
    book.faulty = {}
    assert book.execute() == {"first", "part/third"}


def test_other_outputs_than_the_same_page_gave_before_are_a_fault(book):
    book.execute()
    for kept in (book.build, book.root / "store" / page_outputs.STORE_KIND):
        shutil.rmtree(kept)
    book.printed["first"] = "another time"
    with pytest.raises(PageError, match=r"^first: .* tools.repeat first$"):
        book.execute()
    assert book.outputs("first") is None and book.outputs("part/second") is not None


class Model:
    name = "the model"

    def __init__(self, there=False, elsewhere=False):
        self.there, self.elsewhere, self.made = there, elsewhere, []

    def is_defined_in(self, root):
        return not self.elsewhere

    def is_current(self, build, key):
        return self.there and key == "key of the model"

    def make(self, build, key, store):
        self.made.append((build, key))
        return 2.0


def test_a_model_is_made_where_the_project_has_its_code_and_the_build_lacks_it(
    book, monkeypatch
):
    models = wanted, _, _ = Model(), Model(there=True), Model(elsewhere=True)
    monkeypatch.setattr(training, "TRAINED_MODELS", models)
    assert book.execute() == PAGES
    assert [len(model.made) for model in models] == [1, 0, 0]
    assert wanted.made == [(book.build, "key of the model")]
    assert "  the model: 2.0 s" in book.said
    book.execute()  # it is still not there, though no page has to run
    assert len(wanted.made) == 2 and book.said[0] == "Pages: 0 to run, 2 at a time."


@pytest.mark.parametrize(
    "cores, kernels", [(2, WarmKernelManager), (3, AsyncKernelManager)]
)
def test_a_process_is_warmed_for_more_pages_than_there_are_cores(
    book, monkeypatch, cores, kernels
):
    monkeypatch.setattr(run_pages, "core_count", lambda: cores)
    monkeypatch.setattr(run_pages, "run_page", lambda path, kernels: kernels)
    needs = {book.path(name): [] for name in PAGES}
    results = dict(run_pages.model_and_page_results(needs, {}))
    assert results == dict.fromkeys(needs, kernels)


@pytest.mark.parametrize("cores", [1, 2])
def test_pages_alone_have_the_kernels_of_the_others(book, monkeypatch, cores):
    monkeypatch.setattr(run_pages, "core_count", lambda: cores)
    monkeypatch.setattr(run_pages, "run_page", lambda path, kernels: kernels)
    monkeypatch.setattr(
        book_pages, "has_tagged_cell", lambda path, tag: path.stem == "first"
    )
    needs = {book.path(name): [] for name in PAGES}
    *_, (last, kernels) = run_pages.model_and_page_results(needs, {})
    assert last.stem == "first" and kernels is WarmKernelManager


def failed(*cells, lines):
    """A notebook of cells, "prose", "code" or "fault", that begin on these lines, counted from 0."""
    printed = nbformat.v4.new_output("stream", text="before")
    error = nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])
    made = {
        "prose": nbformat.v4.new_markdown_cell,
        "code": lambda: nbformat.v4.new_code_cell(outputs=[printed]),
        "fault": lambda: nbformat.v4.new_code_cell(outputs=[printed, error]),
    }
    notebook = nbformat.v4.new_notebook(cells=[made[cell]() for cell in cells])
    if lines is not None:
        notebook.metadata["source_map"] = lines
    return notebook


@pytest.mark.parametrize(
    "cells, lines, where",
    [
        (["fault"], [0], "code cell 1, from line 1 raised.\n\n"),
        (
            ["prose", "code", "prose", "fault", "code"],
            [10, 12, 15, 17, 20],
            "code cell 2, from line 18 raised.\n\n",
        ),
        (["code", "fault", "fault"], [1, 4, 7], "code cell 2, from line 5 raised.\n\n"),
        (["code", "fault"], [1], "code cell 2 raised.\n\n"),
        (["fault"], None, "code cell 1 raised.\n\n"),
        (["prose", "code"], [1, 4], ""),
    ],
)
def test_a_failure_names_the_page_the_code_cell_and_the_line_in_its_file(
    tmp_path, cells, lines, where
):
    path, notebook = tmp_path / "part" / "page.md", failed(*cells, lines=lines)
    said = describe_page_failure(path, notebook, Exception("\x1b[0;31mNo\x1b[0m 1/0"))
    assert said == f"part/page.md: {where}No 1/0"


def test_a_page_runs_in_its_folder_and_stops_at_the_cell_that_raises(tmp_path):
    (tmp_path / "part").mkdir()
    path = tmp_path / "part" / "page.md"
    cells = (
        "import os\nprint(os.getcwd(), flush=True)\nprint('more')",
        "1 / 0",
        "print(3)",
    )
    path.write_text(source(*cells), "utf-8")
    notebook, _, failure = run_page(path, AsyncKernelManager)
    line = path.read_text("utf-8").splitlines().index("1 / 0") + 1
    assert failure.startswith(
        f"part/page.md: code cell 2, from line {line} raised.\n\n"
    )
    assert "ZeroDivisionError" in failure and "\x1b" not in failure
    one, two, three = page_outputs.PageOutputs.from_notebook(notebook, "key", 0.0).cells
    # Prints are not cut in two by the kernel's timing.
    assert [output["text"] for output in one] == [f"{path.parent}\nmore\n"]
    assert [output["output_type"] for output in two] == ["error"] and three == []


def test_a_page_whose_kernel_dies_is_named(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(source("import os\nos._exit(3)"), "utf-8")
    _, _, failure = run_page(path, AsyncKernelManager)
    assert (
        failure
        == f"{tmp_path.name}/page.md: its kernel died; was there too little memory?"
    )


def test_the_seconds_of_a_page_are_those_of_its_run(tmp_path, monkeypatch):
    path, clock = tmp_path / "page.md", iter([10.0, 12.5])
    path.write_text(source("1"), "utf-8")
    monkeypatch.setattr(
        run_pages, "time", SimpleNamespace(perf_counter=lambda: next(clock))
    )
    notebook, seconds, failure = run_page(path, AsyncKernelManager)
    assert (seconds, failure) == (2.5, None)
    (cell,) = json.loads(
        page_outputs.PageOutputs.from_notebook(notebook, "key", seconds).text
    )
    assert cell[0]["data"] == {"text/plain": "1"}
