"""The key of a verdict: it changes with each input, with the machine and with what is installed."""

import subprocess

import pytest

from tools.gate import inputs

COMMANDS = (("{python}", "-c", ""),)


@pytest.fixture
def root(tmp_path):
    """A checkout with a tracked, a new, an ignored and a built file."""
    for name in (
        "own/tracked",
        "own/new",
        "own/ignored",
        "other/tracked",
        "_build/html/page",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
    (tmp_path / ".gitignore").write_text("ignored\n_build\n", "utf-8")
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "own/tracked", "other", ".gitignore"], check=True)
    return tmp_path


def key(root, *declared, commands=COMMANDS):
    return inputs.verdict_key(root, declared, commands)


def test_files_are_those_that_git_knows_and_new_ones(root):
    assert inputs.list_declared_files(root, ["own"]) == ["own/new", "own/tracked"]
    assert inputs.list_declared_files(root, ["own/new", "other"]) == [
        "other/tracked",
        "own/new",
    ]
    assert inputs.list_declared_files(root, ["_build/html"]) == ["_build/html/page"]
    everything = [".gitignore", "other/tracked", "own/new", "own/tracked"]
    assert inputs.list_declared_files(root, ["."]) == everything
    assert inputs.list_declared_files(root, ["node"]) == []  # a program


@pytest.mark.parametrize("name", ["own/tracked", "own/new", "_build/html/page"])
@pytest.mark.parametrize("change", ["write", "remove"])
def test_an_input_that_changes_changes_the_key(root, name, change):
    before = key(root, "own", "_build/html")
    (root / name).write_text("changed", "utf-8") if change == "write" else (
        root / name
    ).unlink()
    assert key(root, "own", "_build/html") != before


def test_a_new_file_and_a_file_of_another_name_change_the_key(root):
    before = key(root, "own")
    (root / "own" / "more").write_text("", "utf-8")
    more = key(root, "own")
    (root / "own" / "more").rename(root / "own" / "most")
    assert len({before, more, key(root, "own")}) == 3


def test_nothing_else_changes_it(root):
    before = key(root, "own")
    (root / "other" / "tracked").write_text("changed", "utf-8")
    (root / "own" / "ignored").write_text("changed", "utf-8")
    subprocess.run(["git", "-C", str(root), "add", "own/new"], check=True)
    assert key(root, "own") == before


@pytest.mark.parametrize(
    "name", ["TRANSFORMER_BOOK_CORPUS", "LC_ALL", "PYTHONHASHSEED"]
)
def test_a_setting_that_programs_ask_for_changes_it(root, monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    before = key(root, "own")
    monkeypatch.setenv(name, "7")
    assert key(root, "own") != before


@pytest.mark.parametrize("name", sorted(inputs.IGNORED_ENVIRONMENT_VARIABLES))
def test_how_the_gate_is_run_does_not(root, monkeypatch, name):
    before = key(root, "own")
    monkeypatch.setenv(name, "7")
    assert key(root, "own") == before


def test_another_command_changes_it(root):
    assert key(root, "own") != key(root, "own", commands=(*COMMANDS, *COMMANDS))


@pytest.mark.parametrize(
    "change",
    [
        ("processor_description", lambda: "another"),
        ("sys", type("Other", (), {"version": "3.99"})),
        ("_describe_real_text_files", lambda: ["a new file of text"]),
    ],
)
def test_another_machine_changes_it(root, monkeypatch, change):
    before = key(root, "own")
    inputs.hash_machine.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(inputs, *change)
        assert key(root, "own") != before
    inputs.hash_machine.cache_clear()
    assert key(root, "own") == before


def test_another_release_of_a_package_changes_it(root, monkeypatch, tmp_path_factory):
    packages = tmp_path_factory.mktemp("packages")
    (packages / "numpy-1.0.dist-info").mkdir()
    monkeypatch.setattr(inputs.sysconfig, "get_path", lambda name: str(packages))
    inputs.hash_machine.cache_clear()
    before = key(root, "own")
    (packages / "numpy-1.0.dist-info").rename(packages / "numpy-2.0.dist-info")
    inputs.hash_machine.cache_clear()
    assert key(root, "own") != before
    inputs.hash_machine.cache_clear()


def test_without_git_no_verdict_is_kept(tmp_path):
    (tmp_path / "own").mkdir()
    assert key(tmp_path, "own") is None
