"""Run the stages of a check in order and say where the time went: ``python -m tools.stages check``.

The first stage that fails ends it. Tests are spread over the cores; each takes one thread.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from .programs import TSC

ROOT = Path(__file__).resolve().parent.parent
TESTS = ["{python}", "-m", "pytest", "--numprocesses", "auto", "--dist", "worksteal"]
STAGES = {
    "lint": [
        ["{python}", "-m", "ruff", "check", "--quiet"],
        ["{python}", "-m", "ruff", "format", "--check", "--quiet"],
    ],
    "types": [
        ["{python}", "-m", "mypy", "--no-error-summary"],
        ["{python}", "-m", "tools.programs"],
        TSC,
    ],
    "tests": [[*TESTS, "-m", "not browser and not build"]],
    "book": [["{python}", "-m", "tools.book"]],
    "paper": [["{python}", "-m", "tools.paper"]],
    "pages": [[*TESTS, "-m", "browser or build"]],
}
# The stages before it have built the book: no worker looks again at what is up to date.
ENVIRONMENT = {"pages": {"TRANSFORMER_BOOK_SITE": "built"}}
CHECKS = {"check": ["lint", "types", "tests"], "test": list(STAGES)}


def run(command, **more):
    """Run a command, with more in its environment; return whether it succeeded."""
    words = [word.format(python=sys.executable) for word in command]
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | more
    try:
        return subprocess.run(words, cwd=ROOT, env=environment).returncode == 0
    except FileNotFoundError:
        print(f"{words[0]} was not found.")
        return False


def run_stages(names):
    """Run the stages up to one that fails; return what each took in seconds, and which failed."""
    seconds = {}
    for name in names:
        print(f"== {name}", flush=True)
        began = time.perf_counter()
        more = ENVIRONMENT.get(name, {})
        fine = all(run(command, **more) for command in STAGES[name])
        seconds[name] = time.perf_counter() - began
        if not fine:
            return seconds, name
    return seconds, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check", choices=CHECKS)
    seconds, failed = run_stages(CHECKS[parser.parse_args().check])
    print("\nWhere the time went:")
    for name, taken in seconds.items():
        print(f"  {name:6}{taken:6.0f} s{'  failed' if name == failed else ''}")
    print(f"  {'':6}{sum(seconds.values()):6.0f} s")
    sys.exit(f"Stage {failed!r} failed." if failed else 0)


if __name__ == "__main__":
    main()
