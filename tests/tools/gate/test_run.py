"""Stages are all run, whatever fails, as many at a time as there are cores; what passed is kept."""

import io
import subprocess
import sys

import pytest

from tools.cache.store import Store
from tools.gate import omissions
from tools.gate.run import (
    ALL_CORES_NEEDED,
    Stage,
    StageResult,
    Verdict,
    run_stages,
)
from tools.gate.summary import format_summary, names_of_failing_stages, print_progress


def python(text):
    return ("{python}", "-c", text)


def noting(sentence):
    return python(
        f"import os; open(os.environ[{omissions.NOTES_FILE_VARIABLE!r}], 'a').write({sentence!r})"
    )


FINE, FAULTY = python("print('fine')"), python("print('why'); raise SystemExit(3)")
SKIP = noting("no browser: install one")
READ = python("print(open('read.txt').read())")


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A checkout of two files, in which the gate's own modules can be imported."""
    root = tmp_path / "checkout"
    root.mkdir()
    (root / "read.txt").write_text("one", "utf-8")
    (root / "other.txt").write_text("one", "utf-8")
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.delenv("TRANSFORMER_BOOK_STORE", raising=False)
    monkeypatch.delenv(omissions.REQUIRE_VARIABLE, raising=False)
    return root


@pytest.fixture
def run(root, tmp_path):
    """Run stages on some cores; return results by name, and how each was told of."""

    def run_them(cores=2, store=None, **stages):
        told = []
        results = run_stages(
            stages,
            root,
            lambda name, result: told.append((name, result and result.verdict)),
            store or Store(tmp_path / "store"),
            cores,
        )
        return results, told

    return run_them


def verdicts(results):
    return {name: result.verdict for name, result in results.items()}


def test_a_stage_that_fails_ends_no_other_but_those_that_need_it(run):
    results, _ = run(
        one=Stage((FAULTY, FINE)),
        two=Stage((FINE,)),
        three=Stage((FINE,), needs=("one",)),
        four=Stage((FINE,), needs=("three", "two")),
    )
    assert verdicts(results) == {
        "one": Verdict.FAILED,
        "two": Verdict.PASSED,
        "three": Verdict.NOT_RUN,
        "four": Verdict.NOT_RUN,
    }
    assert results["one"].output == "why\n"  # its second command was not run
    assert results["three"].why == "because one failed" and names_of_failing_stages(
        results
    ) == [
        "one",
        "three",
        "four",
    ]


def test_a_need_that_is_no_stage_of_this_check_is_not_waited_for(run):
    results, _ = run(one=Stage((FINE,), needs=("book",)))
    assert verdicts(results) == {"one": Verdict.PASSED}


def test_as_many_run_at_a_time_as_there_are_cores(run, tmp_path):
    """Each of two waits for the file of the other."""
    text = (
        "import time, pathlib; here = pathlib.Path({folder!r});"
        "(here / '{me}').touch(); end = time.time() + {most};\n"
        "while not (here / '{other}').exists():\n"
        "    assert time.time() < end, 'alone'\n    time.sleep(0.01)"
    )

    def meeting(folder, most):
        folder.mkdir()
        return {
            me: Stage(
                (
                    python(
                        text.format(folder=str(folder), me=me, other=other, most=most)
                    ),
                )
            )
            for me, other in (("a", "b"), ("b", "a"))
        }

    results, _ = run(cores=2, **meeting(tmp_path / "two", 60))
    assert verdicts(results) == {"a": Verdict.PASSED, "b": Verdict.PASSED}
    results, _ = run(cores=1, **meeting(tmp_path / "one", 0.3))
    assert verdicts(results) == {"a": Verdict.FAILED, "b": Verdict.PASSED}


def test_a_stage_that_uses_all_cores_runs_alone_and_says_so_at_once(run, capfd):
    results, told = run(
        one=Stage((FINE,)),
        all=Stage((FINE,), cores=ALL_CORES_NEEDED),
        two=Stage((FINE,)),
    )
    assert told == [
        ("one", Verdict.PASSED),
        ("all", None),
        ("all", Verdict.PASSED),
        ("two", Verdict.PASSED),
    ]
    assert capfd.readouterr().out == "fine\n"  # that of the others is held back
    assert results["one"].output == "fine\n" and results["all"].output == ""


def test_what_is_left_out_is_named_and_nothing_that_needs_it_is_run(run):
    results, _ = run(one=Stage((SKIP,)), two=Stage((FINE,), needs=("one",)))
    assert verdicts(results) == {
        "one": Verdict.LEFT_OUT,
        "two": Verdict.LEFT_OUT,
    } and not names_of_failing_stages(results)
    said = format_summary(results, 1.0)
    assert "one: no browser: install one" in said and "because one was left out" in said
    assert said.endswith("Passed, but for what was left out.")


def test_where_everything_is_required_what_is_left_out_fails(run, monkeypatch):
    monkeypatch.setenv(omissions.REQUIRE_VARIABLE, "all")
    results, _ = run(one=Stage((SKIP,)), two=Stage((FINE,)))
    assert names_of_failing_stages(results) == ["one"]
    assert (
        "everything is required here" in format_summary(results, 1.0).splitlines()[-1]
    )


def test_text_of_others_is_required_nowhere_but_named(run, monkeypatch):
    monkeypatch.setenv(omissions.REQUIRE_VARIABLE, "all")
    results, _ = run(one=Stage((noting(omissions.REAL_TEXT_PREFIX + "no file"),)))
    assert verdicts(results) == {"one": Verdict.PASSED}
    assert "no file" in format_summary(results, 1.0)


def test_what_has_passed_is_not_run_again_until_an_input_changes(run, root):
    stage = Stage((READ,), inputs=("read.txt",))
    assert run(one=stage)[0]["one"].output == "one\n"
    assert verdicts(run(one=stage)[0]) == {"one": Verdict.PASSED_BEFORE}
    (root / "other.txt").write_text("two", "utf-8")
    assert verdicts(run(one=stage)[0]) == {"one": Verdict.PASSED_BEFORE}
    (root / "read.txt").write_text("two", "utf-8")
    assert run(one=stage)[0]["one"].output == "two\n"


def test_another_command_is_another_verdict(run):
    run(one=Stage((READ,), inputs=("read.txt",)))
    results, _ = run(one=Stage((READ, READ), inputs=("read.txt",)))
    assert verdicts(results) == {"one": Verdict.PASSED}


def test_what_failed_or_was_left_out_is_run_again(run):
    for command, verdict in ((FAULTY, Verdict.FAILED), (SKIP, Verdict.LEFT_OUT)):
        stage = Stage((command,), inputs=("read.txt",))
        for _ in range(2):
            assert verdicts(run(one=stage)[0]) == {"one": verdict}


def test_the_verdict_of_a_stage_without_inputs_is_not_kept(run):
    for _ in range(2):
        assert verdicts(run(one=Stage((FINE,)))[0]) == {"one": Verdict.PASSED}


def test_with_the_store_off_everything_is_run(run):
    stage = Stage((READ,), inputs=("read.txt",))
    run(one=stage)
    assert verdicts(run(one=stage, store=Store(None))[0]) == {"one": Verdict.PASSED}


def test_a_verdict_over_files_that_changed_meanwhile_is_not_kept(run):
    change = python("open('read.txt', 'a').write('more')")
    stage = Stage((READ, change), inputs=("read.txt",))
    for _ in range(2):
        assert verdicts(run(one=stage)[0]) == {"one": Verdict.PASSED}


def test_a_file_that_is_read_and_not_declared_fails_the_stage(run):
    results, _ = run(one=Stage((READ,), inputs=("other.txt",)))
    assert verdicts(results) == {"one": Verdict.FAILED}
    assert "reads read.txt, which this stage does not declare." in results["one"].output


def test_a_program_that_is_missing_fails_its_stage_and_is_named(run, capfd):
    results, _ = run(one=Stage((("python-not-there",),)), two=Stage((FINE,)))
    assert verdicts(results) == {"one": Verdict.FAILED, "two": Verdict.PASSED}
    assert (
        "python-not-there was not found"
        in results["one"].output + capfd.readouterr().out
    )


def test_the_last_lines_sum_up_every_stage(run):
    results, _ = run(
        fine=Stage((FINE,)), bad=Stage((FAULTY,)), more=Stage((FINE,), needs=("bad",))
    )
    lines = format_summary(results, 12.3).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["fine", "bad", "more"]
    assert "passed" in lines[1] and "failed" in lines[2]
    assert "not run, because bad failed" in lines[3] and "12 s  in all" in lines[4]
    assert lines[-1] == "Failed: bad, more."


def test_what_a_failed_stage_said_is_shown_and_what_a_passed_one_said_is_not(
    run, capsys
):
    results, _ = run(fine=Stage((FINE,)), bad=Stage((FAULTY,)))
    for name, result in results.items():
        print_progress(name, result)
    said = capsys.readouterr().out
    assert "why" in said and "fine\n" not in said.replace("== fine", "")


def test_the_gate_runs_with_this_python(run):
    results, _ = run(one=Stage((python("import sys; print(sys.executable)"),)))
    assert results["one"].output.strip() == sys.executable


def test_what_a_stage_says_is_read_as_it_is_meant(run, monkeypatch):
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    monkeypatch.setenv("PYTHONUTF8", "0")
    for name in ("LC_ALL", "PYTHONCOERCECLOCALE"):
        monkeypatch.setenv(name, "C" if name == "LC_ALL" else "0")
    results, _ = run(cat=Stage((python("print('\\u732b'); raise SystemExit(3)"),)))
    assert results["cat"].output == "猫\n"


def test_a_terminal_that_lacks_a_character_shows_its_number(monkeypatch):
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    monkeypatch.setattr(sys, "stdout", terminal)
    print_progress("cat", StageResult(Verdict.FAILED, output="é 猫"))
    assert terminal.buffer.getvalue().decode("latin-1").split("\n")[1] == "é \\u732b"
