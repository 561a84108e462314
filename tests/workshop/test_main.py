"""The commands as a reader types them."""

import contextlib
import csv
import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from transformer_workshop import __main__ as workshop
from transformer_workshop.tasks import tasks_by_name

WRONG = "import numpy as np\ndef softmax(x):\n    e = np.exp(x - x.max())\n    return e / e.sum()\n"
RIGHT = WRONG.replace("max()", "max(-1, keepdims=True)").replace(
    "sum()", "sum(-1, keepdims=True)"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(WRONG, "utf-8")
    return path


def test_start_and_check(tmp_path, capsys):
    path = str(tmp_path / "mine.py")
    assert workshop.main(["start", "--file", path]) == 0
    assert workshop.main(["check", "--file", path]) == 0
    output = capsys.readouterr().out
    assert "softmax is not written yet" in output and "attention/eight_steps" in output
    assert workshop.main(["start", "--file", path]) == 2


def test_a_wrong_function_is_named_with_its_mistake(file, capsys):
    assert workshop.main(["check", "softmax", "--file", str(file)]) == 1
    output = " ".join(capsys.readouterr().out.split())
    assert (
        "You normalised over the whole array instead of each row (mistake M4)" in output
    )
    assert "x = [[0., 1.], [2., 0.]]" in output
    assert (
        "Read on in the book: reference/mistakes.html#m4-softmax-without-an-axis"
        in output
    )
    assert (
        "The first difference: result[0, 0] is 0.0825945; expected 0.268941" in output
    )


def test_a_right_function_is_told_in_a_line(file, capsys):
    file.write_text(RIGHT, "utf-8")
    assert workshop.main(["check", "softmax", "--file", str(file)]) == 0
    assert "softmax is right: it agreed on 7 inputs" in capsys.readouterr().out


def test_one_function_is_checked_without_the_mistakes_of_those_that_it_calls(
    tmp_path, capsys
):
    path, name = tmp_path / "mine.py", "embed"
    path.write_text(
        "import numpy as np\n"
        "def positional_encoding(n, d_model):\n    return np.ones((n, d_model))\n"
        "def embed(ids, E):\n    d_model = E.shape[1]\n"
        "    PE = positional_encoding(ids.shape[1], d_model)\n"
        "    return E[ids] * np.sqrt(d_model) + PE\n",
        "utf-8",
    )
    assert workshop.main(["check", name, "--file", str(path)]) == 0
    assert "embed is right" in capsys.readouterr().out


@pytest.mark.parametrize("step", ["1", "2", "3"])
def test_hints_come_in_steps(step, capsys):
    assert workshop.main(["check", "--hint", "softmax", step]) == 0
    assert (
        capsys.readouterr().out.strip()
        == tasks_by_name()["softmax"].hints[int(step) - 1]
    )


def test_a_solution_is_shown_only_where_it_is_asked_for(file, capsys):
    workshop.main(["check", "softmax", "--file", str(file)])
    assert "def softmax" not in capsys.readouterr().out
    assert workshop.main(["check", "--solution", "softmax"]) == 0
    assert "def softmax" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["check", "soft"], "no function 'soft'; expected one of softmax"),
        (["check", "--hint", "softmax", "4"], "the step is '4'; expected 1, 2 or 3"),
        (["check", "--file", "none.py"], "transformer_workshop start"),
        (["grade", "."], "no .py file"),
    ],
)
def test_what_cannot_be_done_is_told(arguments, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert workshop.main(arguments) == 2
    assert says in capsys.readouterr().err


def test_a_folder_is_graded_and_twice_the_same(tmp_path, capsys):
    folder = tmp_path / "submissions"
    folder.mkdir()
    (folder / "right.py").write_text(RIGHT, "utf-8")
    (folder / "wrong.py").write_text(WRONG, "utf-8")
    (folder / "broken.py").write_text("x = (", "utf-8")
    out = tmp_path / "grades.csv"
    command = ["grade", str(folder), "--tasks", "softmax", "--out", str(out)]
    assert workshop.main(command) == 0
    with out.open(encoding="utf-8") as rows:
        grades = {row["file"]: row for row in csv.DictReader(rows)}
    assert {name: row["mark"] for name, row in grades.items()} == {
        "right.py": "1",
        "wrong.py": "0",
        "broken.py": "0",
    }
    assert grades["wrong.py"]["mistakes"] == "M4"
    first = out.read_bytes()
    assert workshop.main(command) == 0
    assert out.read_bytes() == first


def replace_file(path, text):
    """Save as many editors do: into another file, which then takes the old one's name."""
    new_path = path.with_suffix(".new")
    new_path.write_text(text, "utf-8")
    os.replace(new_path, path)


def read_verdict(output):
    """Return what the next line that judges the function says of it."""
    judging = (re.match("softmax is (right|not right)", line) for line in output)
    return next(verdict[1] for verdict in judging if verdict)


def interrupt_until_it_ends(process):
    """Press Ctrl+C as a person does, again where the first was lost: Python drops one in a finaliser."""
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)


@pytest.mark.skipif(
    sys.platform == "win32", reason="no other program is interrupted so"
)
def test_every_save_is_checked_also_where_the_editor_replaces_the_file(file):
    command = [sys.executable, "-m", "transformer_workshop", "check", "softmax"]
    process = subprocess.Popen(
        [*command, "--watch", "--file", str(file)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    killer = threading.Timer(250, process.kill)
    killer.daemon = True
    killer.start()  # where a save is not noticed
    verdicts = [read_verdict(process.stdout)]
    for save, text in (
        (replace_file, RIGHT),
        (replace_file, WRONG),
        (type(file).write_text, RIGHT),
    ):
        save(file, text)
        verdicts.append(read_verdict(process.stdout))
    interrupt_until_it_ends(process)
    killer.cancel()
    assert process.returncode == 0
    assert verdicts == ["not right", "right", "not right", "right"]
