"""What npm fetches: all, or what makes the site; once, and never less than there was."""

import json
import sys

import pytest

from tests.conftest import ROOT
from tools import programs

NPM = """
import pathlib, shutil, sys
modules = pathlib.Path("node_modules")
shutil.rmtree(modules, ignore_errors=True)
modules.mkdir()
with open("asked", "a") as file:
    file.write(f"{'site' if '--omit=dev' in sys.argv else 'all'} ")
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose npm writes down what it was asked for."""
    (tmp_path / "npm.py").write_text(NPM, "utf-8")
    for name in ("package.json", "package-lock.json"):
        (tmp_path / name).write_text("{}", "utf-8")
    command = [sys.executable, str(tmp_path / "npm.py")]
    monkeypatch.setattr(programs, "NPM_COMMAND", command)
    return tmp_path


def asked(project):
    return (project / "asked").read_text("utf-8").split()


def test_what_makes_the_site_is_fetched_once(project):
    for _ in range(2):
        programs.fetch_node_modules(project, site_only=True)
    assert asked(project) == ["site"]
    programs.fetch_node_modules(project)
    assert asked(project) == ["site", "all"]


def test_where_all_is_there_the_site_takes_nothing_away(project):
    programs.fetch_node_modules(project)
    programs.fetch_node_modules(project, site_only=True)
    assert asked(project) == ["all"]
    (project / "package-lock.json").write_text("{ }", "utf-8")
    programs.fetch_node_modules(project, site_only=True)
    assert asked(project) == ["all", "all"]


def test_what_npm_says_is_passed_on(project):
    (project / "npm.py").write_text("raise SystemExit('no registry')", "utf-8")
    with pytest.raises(RuntimeError, match="no registry"):
        programs.fetch_node_modules(project, site_only=True)
    assert not (project / "node_modules").exists()


def test_the_site_needs_one_package_pinned_and_without_programs_for_a_machine():
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    (package,) = wanted
    about = locked[f"node_modules/{package}"]
    assert wanted[package] == about["version"]
    assert about["integrity"].startswith("sha512-")
    assert not {"dependencies", "optionalDependencies", "os", "cpu", "dev"} & {*about}
