"""The stages of the gate: together they run every test once, and each keeps to what it declares."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tools.gate import stages
from tools.gate.run import ALL_CORES_NEEDED, Stage
from tools.gate.watch import sitecustomize as watch

FILES = sorted(
    path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")
)


@pytest.mark.parametrize("path", FILES)
def test_every_file_of_tests_is_collected_by_one_stage_at_least(path):
    """And what is collected the plugin refuses, unless exactly one stage runs it."""
    marks = [{"browser"}] if path.startswith("tests/browser/") else [set(), {"book"}]
    assert any(len(stages.names_of_stages_running(path, each)) == 1 for each in marks)


def test_a_test_has_the_stage_of_its_marks():
    assert stages.names_of_stages_running(
        "tests/nn/test_heads.py", {"parametrize"}
    ) == ["nn"]
    assert stages.names_of_stages_running("tests/nn/test_heads.py", {"build"}) == []
    assert stages.names_of_stages_running("tests/tools/test_book.py", {"build"}) == [
        "small"
    ]
    assert stages.names_of_stages_running(
        "tests/site/test_pages.py", {"book", "build"}
    ) == ["site"]
    assert stages.names_of_stages_running("tests/site/test_anywhere.py", {"book"}) == [
        "anywhere"
    ]
    assert stages.names_of_stages_running(
        "tests/browser/test_pages.py", {"browser", "book"}
    ) == ["browser"]


@pytest.mark.parametrize("folder, status", [("nn", 0), ("no_such_folder", 4)])
def test_a_test_that_no_stage_runs_is_refused(tmp_path, folder, status, run_pytest):
    path = tmp_path / "tests" / folder / "test_it.py"
    path.parent.mkdir(parents=True)
    path.write_text("def test_it():\n    pass\n", "utf-8")
    result = run_pytest(path)
    assert result.returncode == status, result.stdout + result.stderr
    assert ("is run by 0 stages" in result.stderr) == bool(status)


def test_what_looks_at_the_real_book_is_marked(request):
    """The mark is what the stages go by, and the fixture is what needs the book."""
    for item in request.session.items:
        asks = "site" in getattr(item, "fixturenames", ())
        assert asks == (item.get_closest_marker("book") is not None), item.nodeid


def test_what_make_check_does_make_test_does_before_it_builds():
    check, test = stages.STAGES_BY_CHECK["check"], stages.STAGES_BY_CHECK["test"]
    before = list(test)[: list(test).index("book")]
    assert {*check} <= {*before}
    assert all(test[name] == stage for name, stage in check.items())


def test_by_night_every_page_is_run_twice_and_all_else_is_the_same():
    test, night = stages.STAGES_BY_CHECK["test"], stages.STAGES_BY_CHECK["nightly"]
    assert list(night) == list(test)
    others = [name for name in test if night[name] != test[name]]
    assert others == ["measured", "repeat"]
    for name in others:
        (command,) = night[name].commands
        assert command == (*test[name].commands[0], "--all")


def test_what_a_stage_needs_comes_before_it():
    for check in stages.STAGES_BY_CHECK.values():
        names = list(check)
        for name, stage in check.items():
            assert all(names.index(each) < names.index(name) for each in stage.needs)


def test_what_looks_at_the_built_book_is_told_that_it_is_built():
    for name, stage in stages.BOOK_STAGES.items():
        looks = any("pytest" in command for command in stage.commands) and stage.needs
        assert (stage.settings == stages.BUILT_SITE_VARIABLES) == bool(looks), name
    assert all(not stage.settings for stage in stages.QUICK_STAGES.values())


def test_a_verdict_on_tests_depends_on_the_tests_and_on_how_they_are_run():
    for stage in stages.STAGES_BY_CHECK["test"].values():
        for command in stage.commands:
            if "pytest" in command and stage.inputs:
                paths = [word for word in command if word.startswith("tests/")]
                assert "." in stage.inputs or {*paths} <= {*stage.inputs}
                assert {*stages.CONFIGURATION_FILES} <= {*stage.inputs}


def test_every_input_is_there():
    for name, stage in stages.STAGES_BY_CHECK["test"].items():
        for each in stage.inputs:
            is_program = (
                "/" not in each and "." not in each and not (ROOT / each).exists()
            )
            is_built = each.split("/")[0] in watch.BUILD_FOLDERS
            assert is_program or is_built or (ROOT / each).exists(), (name, each)


def test_prose_is_an_input_of_no_test_of_the_package():
    for name in ("lab", "press", "nn", "data", "train", "js", "scripts"):
        inputs = stages.QUICK_STAGES[name].inputs
        assert not {".", "book", "tools", "tests"} & {*inputs}, name


def test_the_book_is_built_on_every_core():
    assert stages.BOOK_STAGES["book"].cores == ALL_CORES_NEEDED
    assert isinstance(stages.BOOK_STAGES["book"], Stage)


def test_the_command_runs_and_refuses_what_is_no_check():
    command = [sys.executable, "-m", "tools.gate.stages", "nonsense"]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert result.returncode == 2 and "choose from" in result.stderr


@pytest.mark.parametrize("ends, status", [("", False), ("raise SystemExit(1)", True)])
def test_the_status_of_the_command_is_that_of_its_stages(
    monkeypatch, capsys, ends, status
):
    check = {"one": Stage((("{python}", "-c", ends),))}
    monkeypatch.setattr(stages, "STAGES_BY_CHECK", {"check": check})
    monkeypatch.setattr(sys, "argv", ["stages", "check"])
    with pytest.raises(SystemExit) as ended:
        stages.main()
    assert ended.value.code == status
    assert ("Failed: one." if status else "Passed.") in capsys.readouterr().out
