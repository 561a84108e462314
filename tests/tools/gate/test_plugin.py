"""Tests that are skipped are named with their reason, once for each, in whatever process they ran."""

import pytest

from tools.gate import omissions

TESTS = """
import pytest
@pytest.mark.skipif(True, reason="no browser here: install one")
@pytest.mark.parametrize("n", [1, 2])
def test_one(n): ...
def test_two():
    pytest.skip("no file of text")
@pytest.mark.xfail
def test_three():
    assert False
def test_four(): ...
"""
WHOLE = 'import pytest\npytest.skip("made for Linux", allow_module_level=True)\n'


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_reasons_are_noted_once_with_how_many_tests(tmp_path, workers, run_pytest):
    folder = tmp_path / "tests" / "nn"
    folder.mkdir(parents=True)
    (folder / "test_it.py").write_text(TESTS, "utf-8")
    (folder / "test_whole.py").write_text(WHOLE, "utf-8")
    notes = tmp_path / "notes"
    result = run_pytest(folder, *workers, **{omissions.NOTES_FILE_VARIABLE: str(notes)})
    assert result.returncode == 0, result.stdout + result.stderr
    assert omissions.read_omission_notes(notes) == [
        "made for Linux (tests/nn/test_whole.py)",
        "no browser here: install one (2 tests)",
        "no file of text (1 test)",
    ]


def test_outside_the_gate_what_is_left_out_is_printed(monkeypatch, capsys):
    monkeypatch.delenv(omissions.NOTES_FILE_VARIABLE, raising=False)
    omissions.note_omission("no browser")
    assert capsys.readouterr().out == "no browser\n"


def test_a_note_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv(omissions.NOTES_FILE_VARIABLE, str(tmp_path / "notes"))
    omissions.note_omission("two\nlines")
    omissions.note_omission("two lines")
    assert omissions.read_omission_notes(tmp_path / "notes") == ["two lines"]


def test_real_text_is_no_matter_of_the_machine():
    notes = [f"{omissions.REAL_TEXT_PREFIX}no file", "no browser"]
    assert omissions.notes_except_real_text(notes) == ["no browser"]
