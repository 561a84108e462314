"""Run everything on each Python, from nothing: ``python3 tools/nightly.py python3.11 python3.12``.

Each has a separate environment, as ``.venv-3.12``, and builds the book anew. Nothing is taken from a
store, and every page runs twice. Like ``prepare.py``, this file needs no environment itself.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# tools.ROOT cannot be had where no environment is ready.
ROOT = Path(__file__).resolve().parent.parent
VERSION_CODE = "import sys; print('%d.%d' % sys.version_info[:2])"
PASSED, FAILED, MISSING = (
    "passed",
    "failed",
    "left out: this machine has none of that name",
)


def python_version(python_command: str) -> str | None:
    """Return the version of a Python, as in 3.12, or None where there is none of that name."""
    try:
        process = subprocess.run(
            [python_command, "-c", VERSION_CODE],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
    return process.stdout.decode().strip() if process.returncode == 0 else None


def run_all_stages_on(python_command):
    """Prepare an environment of this Python, run every stage in it, and return the verdict."""
    release = python_version(python_command)
    if release is None:
        return MISSING
    print(f"\n==== Python {release}: {python_command}", flush=True)
    venv = f".venv-{release}"
    environment = dict(os.environ, TRANSFORMER_BOOK_STORE="off")
    shutil.rmtree(str(ROOT / "_build"), ignore_errors=True)
    commands = (
        [
            "make",
            "--no-print-directory",
            f"PYTHON={python_command}",
            f"VENV={venv}",
            "ready",
        ],
        [str(Path(venv) / "bin" / "python"), "-m", "tools.gate.stages", "nightly"],
    )
    for command in commands:
        if subprocess.run(command, cwd=str(ROOT), env=environment).returncode:
            return FAILED
    return PASSED


def main(python_commands):
    verdicts = {python: run_all_stages_on(python) for python in python_commands}
    print()
    for python, verdict in verdicts.items():
        print(f"{python}: {verdict}")
    if PASSED not in verdicts.values() and FAILED not in verdicts.values():
        sys.exit(
            "Name the Pythons of this machine: make nightly PYTHONS='python3 /opt/bin/python3'"
        )
    failing = {
        FAILED,
        MISSING if os.environ.get("TRANSFORMER_BOOK_REQUIRE") == "all" else FAILED,
    }
    sys.exit(bool(failing & {*verdicts.values()}))


if __name__ == "__main__":
    main(sys.argv[1:])
