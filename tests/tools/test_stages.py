"""The stages of a check: one that fails ends it, and together they run every test."""

import sys

import pytest

from tools import stages

FINE, FAULTY = [sys.executable, "-c", ""], [sys.executable, "-c", "raise SystemExit(3)"]


@pytest.fixture
def run(monkeypatch, capfd):
    """Run these stages; return the exit status and what was said."""

    def run_check(**given):
        monkeypatch.setattr(stages, "STAGES", given)
        monkeypatch.setattr(stages, "CHECKS", {"test": list(given)})
        monkeypatch.setattr(sys, "argv", ["stages", "test"])
        with pytest.raises(SystemExit) as ended:
            stages.main()
        return ended.value.code, capfd.readouterr().out

    return run_check


def test_the_first_stage_that_fails_ends_the_check(run):
    never = [sys.executable, "-c", "print('never said')"]
    status, said = run(one=[FINE], two=[FINE, FAULTY, never], three=[never])
    assert status == "Stage 'two' failed."
    assert "never said" not in said and "== three" not in said
    assert "two" in said.split("Where the time went")[1]


def test_where_all_is_fine_so_is_the_check(run):
    status, said = run(one=[FINE], two=[FINE])
    assert status == 0 and "failed" not in said


def test_a_program_that_is_missing_fails_it_and_is_named(run):
    status, said = run(one=[["no-such-program"]])
    assert status and "no-such-program was not found" in said


def test_only_tests_after_the_book_are_told_that_it_is_built(run, monkeypatch):
    monkeypatch.delenv("TRANSFORMER_BOOK_SITE", raising=False)
    assert set(stages.ENVIRONMENT) == {"pages"}
    assert list(stages.STAGES)[-3:] == ["book", "paper", "pages"]
    told = "import os; assert os.environ.get('TRANSFORMER_BOOK_SITE') == 'built'"
    asks = [sys.executable, "-c", told]
    assert run(pages=[asks])[0] == 0
    assert run(tests=[asks])[0] == "Stage 'tests' failed."


def test_the_stages_of_pytest_leave_no_test_out():
    marks = [command[-1] for every in stages.STAGES.values() for command in every]
    marks = [mark for mark in marks if "browser" in mark]
    names = ("browser", "build")
    for held in [dict(zip(names, (a, b))) for a in (0, 1) for b in (0, 1)]:
        assert sum(bool(eval(mark, dict(held))) for mark in marks) == 1


def test_what_make_check_does_make_test_does_first():
    check, test = stages.CHECKS["check"], stages.CHECKS["test"]
    assert test[: len(check)] == check and set(test) == set(stages.STAGES)
