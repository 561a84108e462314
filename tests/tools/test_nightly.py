"""By night everything runs on each Python at hand, with nothing kept; a missing one is named."""

import sys

import pytest

from tools import nightly

NUMBER = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def night(tmp_path, monkeypatch, capsys):
    """Run a night whose commands are only noted; return its status, what was said, and they."""
    monkeypatch.delenv("TRANSFORMER_BOOK_REQUIRE", raising=False)
    monkeypatch.setattr(nightly, "ROOT", tmp_path)
    run, noted, failing = nightly.subprocess.run, [], []

    class Result:
        def __init__(self, command):
            self.returncode = int(any(word in command for word in failing))

    def note(command, **how):
        if nightly.VERSION_CODE in command:
            return run(command, **how)
        noted.append((command, how["env"]["TRANSFORMER_BOOK_STORE"]))
        return Result(command)

    monkeypatch.setattr(nightly.subprocess, "run", note)

    def run_it(*pythons, fails=()):
        failing[:] = fails
        with pytest.raises(SystemExit) as ended:
            nightly.main(pythons)
        return ended.value.code, capsys.readouterr().out, noted

    return run_it


def test_each_python_has_an_environment_of_its_own_and_nothing_is_kept(night, tmp_path):
    (tmp_path / "_build" / "html").mkdir(parents=True)
    status, said, commands = night(sys.executable)
    assert not status and said.endswith(f"{sys.executable}: passed\n")
    (make, one), (stages, two) = commands
    assert f"PYTHON={sys.executable}" in make and f"VENV=.venv-{NUMBER}" in make
    assert stages[0] == f".venv-{NUMBER}/bin/python" and stages[-1] == "nightly"
    assert one == two == "off" and not (tmp_path / "_build").exists()


@pytest.mark.parametrize("word", ["ready", "nightly"])
def test_what_fails_on_one_python_is_said_at_the_end(night, word):
    status, said, _ = night(sys.executable, fails=[word])
    assert status and said.endswith(f"{sys.executable}: failed\n")


@pytest.mark.parametrize("require", ["", "all"])
def test_a_missing_python_is_named_and_where_all_is_required_it_fails(
    night, monkeypatch, require
):
    monkeypatch.setenv("TRANSFORMER_BOOK_REQUIRE", require)
    status, said, commands = night("python-not-there", sys.executable)
    assert "python-not-there: left out" in said and len(commands) == 2
    assert bool(status) == bool(require)


def test_without_any_python_it_fails(night):
    status, _, commands = night("python-not-there")
    assert "make nightly PYTHONS=" in status and commands == []
