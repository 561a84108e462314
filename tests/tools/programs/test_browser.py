"""Which Chromium is used: the user's, the project's, an installed one, Playwright's."""

import json
import os
import platform
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT
from tools.programs import browser, fonts


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine without any Chromium, and programs that can be put on it."""
    program = {name: tmp_path / name for name in ("own", "google-chrome", "playwright")}
    monkeypatch.delenv(browser.CHROMIUM_VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "pinned_chromium_folder", lambda: None)

    def install(name):
        program[name].write_text("#!/bin/sh", "utf-8")
        program[name].chmod(0o755)
        return str(program[name])

    executable = SimpleNamespace(executable_path=str(program["playwright"]))
    return SimpleNamespace(
        install=install,
        playwright=SimpleNamespace(chromium=executable),
        folder=tmp_path,
    )


def test_one_after_the_other_is_used(machine, monkeypatch):
    with pytest.raises(browser.NoBrowserError, match=browser.CHROMIUM_VARIABLE):
        browser.find_chromium(machine.playwright)
    for name in ("playwright", "google-chrome"):
        path = machine.install(name)
        assert browser.find_chromium(machine.playwright) == (path, {})
    monkeypatch.setattr(browser, "pinned_chromium_folder", lambda: machine.folder)
    path, more = browser.find_chromium(machine.playwright)
    assert path == str(machine.folder / "chromium")
    assert more == {"LD_LIBRARY_PATH": str(machine.folder / "lib")}
    monkeypatch.setenv(browser.CHROMIUM_VARIABLE, machine.install("own"))
    assert browser.find_chromium(machine.playwright) == (
        str(machine.folder / "own"),
        {},
    )


def test_a_setting_that_names_no_program_is_an_error(machine, monkeypatch):
    machine.install("google-chrome")
    monkeypatch.setenv(browser.CHROMIUM_VARIABLE, str(machine.folder / "lost"))
    with pytest.raises(browser.NoBrowserError, match="lost"):
        browser.find_chromium(machine.playwright)


def test_another_browser_or_other_fonts_have_another_identity(machine, monkeypatch):
    monkeypatch.setattr(fonts, "font_configuration_path", lambda: None)
    assert browser.describe_browser_and_fonts() is None
    path = machine.install("google-chrome")
    first = browser.describe_browser_and_fonts()
    os.utime(path, (1, 1))  # another version
    second = browser.describe_browser_and_fonts()
    folder = machine.folder / "chromium-1"
    folder.mkdir()
    (folder / "chromium").touch()
    monkeypatch.setattr(browser, "pinned_chromium_folder", lambda: folder)
    third = browser.describe_browser_and_fonts()
    monkeypatch.setattr(
        fonts, "font_configuration_path", lambda: machine.folder / "fonts-1" / "x"
    )
    fourth = browser.describe_browser_and_fonts()
    monkeypatch.setattr(
        fonts, "font_configuration_path", lambda: machine.folder / "fonts-2" / "x"
    )
    assert (
        len({first, second, third, fourth, browser.describe_browser_and_fonts()}) == 5
    )


def test_the_project_s_own_is_for_linux_on_x86_64(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert browser.pinned_chromium_folder.__wrapped__() is None


def test_browser_and_fonts_are_pinned():
    wanted = json.loads((ROOT / "package.json").read_text("utf-8"))["devDependencies"]
    locked = json.loads((ROOT / "package-lock.json").read_text("utf-8"))["packages"]
    for package in (
        browser.CHROMIUM_PACKAGE,
        fonts.CHINESE_PACKAGE,
        *fonts.LATIN_PACKAGES,
    ):
        assert wanted[package] == locked[f"node_modules/{package}"]["version"]
        assert locked[f"node_modules/{package}"]["integrity"].startswith("sha512-")
    assert not any("resolved" in about for about in locked.values())
