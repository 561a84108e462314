"""What the tools take from the machine: processors that they may use, and a home folder."""

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

import tools
from tools import machine

LOOK = "import os, tools; print(os.path.expanduser('~'))"


def test_processors_are_those_that_may_be_used(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 3, 5})
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert machine.core_count() == 3


def test_pytest_has_a_worker_for_each_of_them(monkeypatch, pytestconfig):
    monkeypatch.setattr(machine, "core_count", lambda: 3)
    assert pytestconfig.hook.pytest_xdist_auto_num_workers(config=pytestconfig) == 3


def home(folder):
    """Return where a program of the tools finds its home, and what it says of that."""
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        env=os.environ | {"HOME": str(folder)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return Path(done.stdout.rstrip()), done.stderr


def test_a_home_folder_is_left_alone(tmp_path):
    assert home(tmp_path) == (tmp_path, "")


def test_without_a_home_folder_there_is_one_until_the_end(tmp_path):
    found, said = home(tmp_path / "none")
    assert found.name.startswith("transformer-book-") and not found.exists()
    assert f"{tmp_path / 'none'} is no home folder" in said and "Set HOME" in said
    assert said.count("\n") == 1


def test_a_user_without_an_entry_has_one(monkeypatch, capsys):
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    with pytest.raises(RuntimeError, match="home"):
        Path.home()
    tools.ensure_home_folder()
    assert Path.home().is_dir() and os.access(Path.home(), os.W_OK)
    assert "Set HOME" in capsys.readouterr().err
