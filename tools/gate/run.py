"""Run stages beside each other, as far as the cores go, and all of them, whatever fails."""

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tools import machine
from tools.cache.store import Store
from tools.programs import NODE_PROGRAM

from . import inputs, omissions
from .watch import sitecustomize as watch

ALL_CORES_NEEDED = 0  # the cores of a stage that runs alone
STORE_ENTRY_KIND = "passed"  # of the store's entries
ZIZMOR_PROGRAM = str(
    Path(sys.executable).with_name("zizmor")
)  # its wheel is only a program
WATCH_FOLDER = str(Path(watch.__file__).parent)


class Verdict(StrEnum):
    """How a stage ended, in the words of the summary."""

    PASSED = "passed"
    PASSED_BEFORE = "passed before, with the same inputs"
    FAILED = "failed"
    LEFT_OUT = "left out"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Stage:
    """Commands, run one after the other, and what their verdict depends on.

    Parameters
    ----------
    *commands : list of str
        ``{python}`` stands for the Python that runs the gate, ``{node}`` for its Node, ``{zizmor}``
        for the program of that name.
    inputs : tuple of str
        Files and folders of the checkout, "." for all that git knows, and the programs beside Python
        that are started. A stage without inputs keeps no verdict.
    needs : tuple of str
        The stages without which this one cannot run.
    cores : int
        How many it uses; ``ALL`` for every one.
    settings : tuple of (str, str)
        Added to the environment.
    """

    commands: tuple
    inputs: tuple = ()
    needs: tuple = ()
    cores: int = 1
    settings: tuple = ()


@dataclass
class StageResult:
    """A stage's verdict, and why if it did not run; its seconds, its output, what it left out."""

    verdict: Verdict
    why: str = ""
    seconds: float = 0.0
    output: str = ""
    notes: tuple = ()


def run_stage(stage: Stage, root: Path, store: Store) -> StageResult:
    """Run the commands of a stage, unless it has passed before; return its result."""
    key = inputs.verdict_key(root, stage.inputs, stage) if stage.inputs else None
    stored = store.load(STORE_ENTRY_KIND, key) if key else None
    if stored is not None:
        return StageResult(
            Verdict.PASSED_BEFORE, notes=tuple(stored["notes"].decode().splitlines())
        )
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch_folder:
        result = _run_commands(stage, root, Path(scratch_folder))
    result.seconds = time.perf_counter() - began
    # Nobody may have changed a file meanwhile.
    if (
        key
        and result.verdict == Verdict.PASSED
        and key == inputs.verdict_key(root, stage.inputs, stage)
    ):
        store.keep(STORE_ENTRY_KIND, key, {"notes": "\n".join(result.notes).encode()})
    return result


def _run_commands(stage: Stage, root: Path, scratch_folder: Path):
    printed, notes, undeclared = (
        scratch_folder / name for name in ("printed", "notes", "undeclared")
    )
    environment = os.environ | {
        "OMP_NUM_THREADS": "1",
        omissions.NOTES_FILE_VARIABLE: str(notes),
    }
    environment |= dict(stage.settings)
    if stage.inputs:
        python_path = environment.get("PYTHONPATH", "")
        environment |= {
            watch.ROOT_VARIABLE: str(root),
            watch.DECLARED_VARIABLE: os.pathsep.join(stage.inputs),
            watch.REPORT_VARIABLE: str(undeclared),
            "PYTHONPATH": os.pathsep.join(filter(None, [WATCH_FOLDER, python_path])),
        }
    with printed.open("wb") as file:
        # What runs alone need not hold its output back.
        output = None if stage.cores == ALL_CORES_NEEDED else file
        if output:
            environment["PYTHONIOENCODING"] = "utf-8"
        passed = all(
            run_command(words, root, environment, output) for words in stage.commands
        )
    result = StageResult(
        Verdict.PASSED if passed else Verdict.FAILED,
        notes=tuple(omissions.read_omission_notes(notes)),
    )
    result.output = printed.read_text("utf-8", errors="replace")
    if undeclared.exists():
        result.verdict = Verdict.FAILED
        result.output += describe_undeclared_reads(undeclared)
    if result.verdict == Verdict.PASSED and omissions.notes_except_real_text(
        result.notes
    ):
        result.verdict = Verdict.LEFT_OUT
    return result


def describe_undeclared_reads(report_path: Path, max_lines: int = 5) -> str:
    """Say which files were read, or programs started, that the stage does not declare."""
    lines = sorted(set(report_path.read_text("utf-8").splitlines()))
    reports = [
        f"{line}, which this stage does not declare." for line in lines[:max_lines]
    ]
    omitted = [f"And {len(lines) - max_lines} more."] * (len(lines) > max_lines)
    fix = "Add them to its inputs in tools/gate/stages.py, or move the test to another stage."
    return "\n".join([*reports, *omitted, fix, ""])


def run_command(command_words: tuple[str, ...], root, environment, output_file):
    """Run a command and return whether it succeeded."""
    programs = {
        "{python}": sys.executable,
        "{node}": NODE_PROGRAM,
        "{zizmor}": ZIZMOR_PROGRAM,
    }
    command = [programs.get(word, word) for word in command_words]
    try:
        result = subprocess.run(
            command,
            cwd=root,
            env=environment,
            stdout=output_file,
            stderr=output_file and subprocess.STDOUT,
        )
    except FileNotFoundError:
        print(f"{command[0]} was not found.")
        return False
    return result.returncode == 0


def run_stages(
    stages_by_name, root, report_progress, store=None, core_count=None
) -> dict:
    """Run stages in order, as many at a time as there are cores; return their results by name.

    Parameters
    ----------
    stages_by_name : dict of str to Stage
    root : Path
        The checkout.
    report_progress : callable
        Called with a stage's name and None when a stage begins that uses all cores, and with its name and
        result when it has ended.
    store : Store
        Where verdicts are stored.
    core_count : int
    """
    store = store or Store.of_this_machine()
    free = core_count = core_count or machine.core_count()
    waiting, running, results = dict(stages_by_name), {}, {}
    with ThreadPoolExecutor(len(stages_by_name)) as pool:
        while waiting or running:
            for name, stage in list(waiting.items()):
                if not {*stage.needs} & {*stages_by_name} <= results.keys():
                    continue
                share = min(stage.cores, core_count) or core_count
                blocked = _blocked_stage_result(stage, results)
                if blocked is None and share > free:
                    break  # it comes before those behind it
                del waiting[name]
                if blocked is not None:
                    results[name] = blocked
                    report_progress(name, blocked)
                    continue
                if stage.cores == ALL_CORES_NEEDED:
                    report_progress(name, None)
                free -= share
                running[pool.submit(run_stage, stage, root, store)] = name, share
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                name, share = running.pop(future)
                free += share
                results[name] = future.result()
                report_progress(name, results[name])
    return {name: results[name] for name in stages_by_name}


def _blocked_stage_result(stage: Stage, results_by_name):
    """Return the result of a stage that cannot run, because one that it needs did not pass."""
    for name in stage.needs:
        verdict = (
            results_by_name[name].verdict if name in results_by_name else Verdict.PASSED
        )
        if verdict in (Verdict.FAILED, Verdict.NOT_RUN):
            return StageResult(Verdict.NOT_RUN, f"because {name} failed")
        if verdict == Verdict.LEFT_OUT:
            return StageResult(Verdict.LEFT_OUT, f"because {name} was left out")
    return None
