"""The environment of make's commands: made, finished, brought up to date, and this folder's alone."""

import json
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tools import prepare, refuse_other_checkout


class Checkout:
    """A folder with the files that an environment depends on; pip and venv only note what they do."""

    def __init__(self, root):
        self.root, self.venv, self.mark = (
            root,
            root / ".venv",
            root / ".venv" / ".ready",
        )
        self.commands, self.failing, self.half = [], False, False
        for name in prepare.INSTALLATION_FILES:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(name, "utf-8")

    def run(self, command, check, cwd=None):
        self.commands.append(" ".join(command[2:]))
        packages = self.venv / "lib" / "python3" / "site-packages"
        if "venv" in command:
            (self.venv / "bin").mkdir(parents=True, exist_ok=True)
            packages.mkdir(parents=True, exist_ok=True)
            (self.venv / "pyvenv.cfg").touch()
            python = self.venv / "bin" / "python"
            python.unlink(missing_ok=True)
            python.symlink_to(sys.executable)
        elif self.failing:
            if self.half:
                (packages / "half").mkdir()
            raise subprocess.CalledProcessError(1, command)


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    checkout = Checkout(tmp_path)
    monkeypatch.setattr(prepare, "ROOT", tmp_path)
    monkeypatch.setattr(prepare.subprocess, "run", checkout.run)
    return checkout


@pytest.fixture
def said(checkout, capsys):
    """Prepare the environment; return what was said, and forget the commands before."""

    def prepare_it():
        checkout.commands.clear()
        prepare.prepare_environment(checkout.venv)
        return capsys.readouterr().out

    return prepare_it


def test_it_is_made_once_and_then_nothing_is_done_or_said(checkout, said):
    assert "Preparing" in said()
    made, pinned, package = checkout.commands
    assert made.startswith("venv --clear") and "requirements.txt" in pinned
    assert "--editable ." in package
    assert (checkout.venv / "share/jupyter/lab/settings/overrides.json").exists()
    assert said() == "" and checkout.commands == []


@pytest.mark.parametrize("name", prepare.INSTALLATION_FILES)
def test_a_changed_file_is_named_and_nothing_is_made_from_nothing(checkout, said, name):
    said()
    (checkout.root / name).write_text("changed", "utf-8")
    assert f"up to date with {name}\n" in said()
    assert len(checkout.commands) == 2 and "venv" not in checkout.commands[0].split()
    assert said() == ""


def test_a_file_that_was_only_touched_changes_nothing(checkout, said):
    said()
    for name in prepare.INSTALLATION_FILES:
        (checkout.root / name).write_text(name, "utf-8")
    assert said() == "" and checkout.commands == []


def test_one_that_was_not_finished_is_made_anew(checkout, said):
    checkout.failing = True
    with pytest.raises(SystemExit, match="--requirement requirements.txt"):
        said()
    checkout.failing = False
    assert "was not finished" in said() and "venv --clear" in checkout.commands[0]
    assert said() == ""


@pytest.mark.parametrize("half", [False, True])
def test_a_renewal_that_fails_spoils_the_environment_only_if_pip_had_begun(
    checkout, said, half
):
    said()
    (checkout.root / "requirements.txt").write_text("changed", "utf-8")
    checkout.failing, checkout.half = True, half
    with pytest.raises(SystemExit):
        said()
    checkout.failing = False
    assert (
        "was not finished" if half else "up to date with requirements.txt"
    ) in said()


def test_a_renewal_that_is_killed_is_noticed(checkout, said, monkeypatch):
    said()
    (checkout.root / "requirements.txt").write_text("changed", "utf-8")
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(
            prepare,
            "install_environment",
            lambda *_: (_ for _ in ()).throw(KeyboardInterrupt),
        )
        said()
    assert "was not finished" in said()


def test_one_of_another_folder_is_refused(
    checkout, said, tmp_path_factory, monkeypatch
):
    said()
    before = checkout.root
    after = before.rename(tmp_path_factory.mktemp("renamed") / "book")
    (after / ".venv" / ".ready").touch()
    monkeypatch.setattr(prepare, "ROOT", after)
    with pytest.raises(SystemExit) as ended:
        prepare.prepare_environment(after / ".venv")
    sentence = str(ended.value)
    assert str(before) in sentence and f"rm -r {after / '.venv'}" in sentence
    assert checkout.commands and "Preparing" not in sentence


def test_an_environment_of_before_this_file_is_brought_up_to_date(checkout, said):
    said()
    checkout.mark.write_text("", "utf-8")
    assert "up to date with" in said() and said() == ""


def test_one_whose_python_is_gone_is_made_anew(checkout, said):
    said()
    python = checkout.venv / "bin" / "python"
    python.unlink()
    python.symlink_to(checkout.root / "gone")
    assert "its Python is gone" in said()


def test_no_other_folder_is_cleared(checkout, said):
    (checkout.venv / "letters").mkdir(parents=True)
    with pytest.raises(SystemExit, match="holds something else"):
        said()
    assert checkout.commands == [] and (checkout.venv / "letters").exists()


Version = namedtuple("Version", "major minor micro level serial")


@pytest.mark.parametrize(
    "minor, fine", [(10, False), (11, True), (13, True), (14, True)]
)
def test_an_old_python_is_refused_and_a_new_one_is_warned_of(
    checkout, monkeypatch, capsys, minor, fine
):
    monkeypatch.setattr(prepare.sys, "version_info", Version(3, minor, 0, "final", 0))
    monkeypatch.setattr(prepare.sys, "version", f"3.{minor}.0 (main)")
    if fine:
        prepare.refuse_unfit_python()
        assert ("tested on Python 3.11 to 3.13" in capsys.readouterr().out) == (
            minor > 13
        )
    else:
        with pytest.raises(
            SystemExit, match=r"needs Python 3.11 .* is 3.10.0. Try: make PYTHON="
        ):
            prepare.refuse_unfit_python()


@pytest.mark.parametrize("module", ["venv", "ensurepip"])
def test_what_debian_keeps_apart_is_named(checkout, monkeypatch, module):
    monkeypatch.setattr(prepare, "_is_installed", lambda name: name != module)
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        prepare.refuse_unfit_python()


def test_the_state_names_this_folder_and_every_file(checkout, said):
    said()
    known = json.loads(checkout.mark.read_text("utf-8"))
    assert known["checkout"] == str(checkout.root) and {*prepare.INSTALLATION_FILES} < {
        *known
    }
    assert Path(known["python"]).exists()


def test_tools_run_with_the_package_of_their_own_checkout():
    refuse_other_checkout()


def test_tools_refuse_the_package_of_another_checkout(tmp_path):
    (tmp_path / "src" / "transformer_book").mkdir(parents=True)
    with pytest.raises(SystemExit) as ended:
        refuse_other_checkout(tmp_path)
    sentence = str(ended.value)
    assert str(ROOT / "src") in sentence and f"rm -r {tmp_path / '.venv'}" in sentence
