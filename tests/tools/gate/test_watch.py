"""What a stage reads is seen: in its tests, in what they import, and in the Pythons that they start."""

import os
import subprocess
import sys

import pytest

from tools.gate.run import WATCH_FOLDER
from tools.gate.watch import sitecustomize as watch


@pytest.fixture
def reads(tmp_path):
    """Run Python code in a small checkout with these inputs; return what is reported."""
    root = tmp_path / "checkout"
    for name in ("own/a.py", "own/deep/b.txt", "other/c.txt", "top.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", "utf-8")
    report = tmp_path / "report"

    def run(code, *declared, path="", **more):
        report.unlink(missing_ok=True)
        environment = os.environ | {
            watch.ROOT_VARIABLE: str(root),
            watch.DECLARED_VARIABLE: os.pathsep.join(declared or ["own"]),
            watch.REPORT_VARIABLE: str(report),
            "PYTHONPATH": os.pathsep.join([WATCH_FOLDER, str(root / path)]),
        }
        environment.pop("PYTEST_CURRENT_TEST")
        command = [sys.executable, "-c", code]
        subprocess.run(command, cwd=root, env=environment | more, check=True)
        return report.read_text("utf-8").splitlines() if report.exists() else []

    return run


@pytest.mark.parametrize(
    "code",
    [
        "open('own/a.py').read()",
        "import os; os.listdir('own/deep')",
        "from pathlib import Path; [*Path('own').rglob('*')]",
        "open('/dev/null').read()",
    ],
)
def test_what_is_declared_or_outside_the_checkout_may_be_read(reads, code):
    assert reads(code) == []


@pytest.mark.parametrize(
    "code, path",
    [
        ("open('other/c.txt').read()", "other/c.txt"),
        ("import os; os.chdir('own'); open('../other/c.txt')", "other/c.txt"),
        ("import os; os.open(b'other/c.txt', os.O_RDONLY)", "other/c.txt"),
        ("import os; os.listdir('other')", "other"),
        ("from pathlib import Path; [*Path('other').glob('*.txt')]", "other"),
    ],
)
def test_what_is_not_declared_is_reported(reads, code, path):
    assert reads(code) == [f"-c reads {path}"]


def test_a_file_alone_may_be_declared(reads):
    code = "open('top.txt'); open('own/a.py')"
    assert reads(code, "top.txt") == ["-c reads own/a.py"]


def test_a_name_that_only_begins_like_an_input_is_none(reads):
    assert reads("open('other/c.txt')", "oth", "other/c") == ["-c reads other/c.txt"]


def test_a_module_that_is_imported_is_read_even_where_it_is_compiled(reads):
    for _ in range(2):
        assert reads("import a", "other", path="own") == ["-c reads own/a.py"]


def test_the_test_that_reads_is_named(reads):
    name = "tests/test_it.py::test_one"
    code = "open('top.txt')"
    assert reads(code, PYTEST_CURRENT_TEST=f"{name} (call)") == [
        f"{name} reads top.txt"
    ]


@pytest.mark.parametrize(
    "start",
    [
        "import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], check=True)",
        "import os; os.fork() or [exec({code!r}), os._exit(0)]; os.wait()",
        "import multiprocessing as m; from pathlib import Path; m.set_start_method('spawn');"
        "m.Pool(1).map(Path.read_text, [Path('top.txt')])",
    ],
)
def test_processes_that_are_started_are_watched(reads, start):
    (line,) = reads(start.format(code="open('top.txt')"))
    assert line.endswith("reads top.txt")


@pytest.mark.parametrize(
    "words, environment",
    [
        ("[sys.executable, '-I', '-c', '']", "None"),
        ("[sys.executable, '-c', '']", "{}"),
        ("['true']", "None"),
    ],
)
def test_a_process_that_cannot_be_watched_is_reported(reads, words, environment):
    code = f"import subprocess, sys; subprocess.run({words}, env={environment})"
    (line,) = reads(code)
    assert "starts" in line and "whose files nobody sees" in line


def test_a_program_may_be_declared(reads):
    code = "import subprocess; subprocess.run(['true'])"
    assert reads(code, "own", "true") == []


def test_everything_that_git_knows_leaves_out_what_is_built(reads, tmp_path):
    built = tmp_path / "checkout" / "_build" / "page.html"
    built.parent.mkdir()
    built.write_text("", "utf-8")
    code = "open('top.txt'); open('_build/page.html')"
    assert reads(code, ".") == ["-c reads _build/page.html"]
    assert reads(code, ".", "_build") == []


def test_a_folder_that_is_removed_is_no_input(reads, tmp_path):
    """Its files are opened by names that are relative to it."""
    gone = tmp_path / "gone"
    (gone / "other").mkdir(parents=True)
    assert reads(f"import shutil; shutil.rmtree({str(gone)!r})") == []
