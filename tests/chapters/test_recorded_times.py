"""Times that pages quote: measured in a notebook, read from a record while the book is built."""

import inspect
import json
import re
import socket
from hashlib import sha256
from pathlib import Path

import pytest
import torch

from tests.conftest import ROOT
from tools.pages import book_pages
from transformer_press import page, times

CALL = re.compile(r'page\.measured\("(\w+)", (\w+)\)')
USES = {
    path: path.read_text("utf-8")
    for path in sorted((ROOT / "book").rglob("*.md"))
    if "page.measured" in path.read_text("utf-8")
}
ABOUT = {
    "command": "python -m tools.measure part/page",
    "date": "2026-11-05",
    "versions": {"torch": "2.13.0+cpu"},
    "hardware": {"cpu": "Some Processor", "cores": 2},
}


def milliseconds():
    return {"plain": [1.5, 2.0]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the records lie; no page has read any."""
    monkeypatch.setattr(times.resources, "files", lambda package: tmp_path)
    monkeypatch.setattr(times, "_records_read", {})
    monkeypatch.delenv(times.TIMES_SETTING, raising=False)
    return tmp_path


@pytest.fixture
def build(folder, monkeypatch):
    monkeypatch.setenv(times.TIMES_SETTING, times.RECORDED_VALUE)


def write(folder, name="plain", measure=milliseconds, **changes):
    record = ABOUT | {"code": times.code_hash(measure), "numbers": {"plain": [7.0]}}
    (folder / f"{name}.json").write_text(json.dumps(record | changes), "utf-8")


def test_a_notebook_measures(folder):
    write(folder)
    assert page.measured("plain", milliseconds) == {"plain": [1.5, 2.0]}
    assert times.measurement_note() == ""


def test_a_build_reads_the_record_and_measures_nothing(folder, build):
    def fail():
        raise AssertionError("it was measured")

    write(folder, measure=fail)
    assert page.measured("plain", fail) == {"plain": [7.0]}


def test_a_record_that_is_missing_names_the_command(folder, build):
    write(folder, "other")
    with pytest.raises(
        ValueError, match=r"no record of .*'plain'.*tools\.measure PAGE"
    ):
        page.measured("plain", milliseconds)


@pytest.mark.parametrize("change", [{"code": "0"}, {"code": None}])
def test_a_record_of_other_code_names_the_command(folder, build, change):
    write(folder, **change)
    with pytest.raises(
        ValueError, match=r"another version of milliseconds.*tools\.measure part/page\."
    ):
        page.measured("plain", milliseconds)


def test_a_record_without_numbers_is_none(folder, build):
    (folder / "plain.json").write_text(
        json.dumps({"code": times.code_hash(milliseconds)}), "utf-8"
    )
    with pytest.raises(
        ValueError, match=r"another version.*Run python -m tools\.measure"
    ):
        page.measured("plain", milliseconds)


@pytest.mark.parametrize(
    "numbers", [{8: 1.0}, (1.0, 2.0), torch.ones(2), float("nan"), float("inf"), [{1}]]
)
def test_what_json_cannot_give_back_is_refused(folder, numbers):
    with pytest.raises(TypeError, match="'plain' returned .*expected numbers"):
        page.measured("plain", lambda: numbers)


def test_measuring_for_a_record_leaves_the_numbers_and_their_code(
    folder, monkeypatch, tmp_path
):
    monkeypatch.setenv(times.TIMES_SETTING, str(tmp_path))
    page.measured("plain", milliseconds)
    assert json.loads((tmp_path / "plain.json").read_text("utf-8")) == {
        "code": times.code_hash(milliseconds),
        "numbers": {"plain": [1.5, 2.0]},
    }


def test_random_numbers_go_on_as_if_nothing_had_been_measured(folder):
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    page.measured("plain", lambda: torch.rand(5).tolist())
    assert torch.equal(torch.rand(3), expected)


def test_a_notebook_says_how_long_it_ran(folder):
    assert "ran in" in page.ran().data


def test_a_built_page_says_once_where_its_times_are_from(folder, build):
    assert page.ran() is None
    for name in ("plain", "other"):
        write(folder, name)
        page.measured(name, milliseconds)
    assert page.ran().data == (
        "*The times on this page were measured on 5 November 2026 with 2 cores (Some Processor) "
        "and PyTorch 2.13.0. A notebook measures your own machine.*"
    )


def test_one_core_is_no_plural(folder, build):
    write(folder, hardware={"cpu": "Some Processor", "cores": 1})
    page.measured("plain", milliseconds)
    assert "with 1 core (Some Processor)" in page.ran().data


# The book's own records.


@pytest.mark.parametrize("path", USES, ids=lambda path: path.stem)
def test_a_page_writes_out_the_name_and_passes_a_function_of_its_own(path):
    text = USES[path]
    calls = CALL.findall(text)
    assert len(calls) == text.count("page.measured")
    for _, function in calls:
        assert len(re.findall(rf"^def {function}\(\):$", text, re.MULTILINE)) == 1


def test_each_measurement_has_one_page_and_each_record_a_measurement():
    pages = {}
    for path, text in USES.items():
        name = path.relative_to(ROOT / "book").with_suffix("").as_posix()
        for record, _ in CALL.findall(text):
            assert record not in pages, record
            pages[record] = f"python -m tools.measure {name}"
    assert pages and sorted(pages) == times.names()
    assert {name: times.load(name)["command"] for name in pages} == pages


def test_the_records_of_a_page_are_of_one_run():
    runs = {}
    for record in map(times.load, times.names()):
        run = record["date"], record["versions"], record["hardware"]
        assert runs.setdefault(record["command"], run) == run


def source_of(path, function):
    """Return the text of a function that a page defines."""
    for cell in book_pages.code_cell_sources(path):
        lines = cell.splitlines(keepends=True)
        if f"def {function}():\n" in lines:
            start = lines.index(f"def {function}():\n")
            return "".join(inspect.getblock(lines[start:])).strip()
    raise LookupError(function)


@pytest.mark.parametrize("path", USES, ids=lambda path: path.stem)
def test_the_records_of_a_page_were_made_by_its_functions(path):
    for name, function in CALL.findall(USES[path]):
        text = source_of(path, function)
        assert times.load(name)["code"] == sha256(text.encode()).hexdigest(), name


@pytest.mark.parametrize("name", times.names())
def test_no_record_names_a_machine_or_a_path(name):
    text = (Path(times.__file__).parent / f"{name}.json").read_text("utf-8")
    assert socket.gethostname() not in text
    assert "/home" not in text and "/work" not in text and "/tmp" not in text
