"""Prepare the virtual environment that make's commands run in: ``python3 tools/prepare.py .venv``.

make calls this file with the machine's own Python before each command. It needs the standard library
alone, and where nothing is to do it says nothing. Old Pythons have to read it, too.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

# tools.ROOT cannot be had where no environment is ready.
ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)
LAB_OVERRIDES_PATH = "tools/lab_overrides.json"
INSTALLATION_FILES = ("requirements.txt", "pyproject.toml", LAB_OVERRIDES_PATH)
DISK_SIZE_TEXT = "3.3 GB of disk with a CPU build of PyTorch, 6.3 GB with CUDA"


def version_text(version_numbers) -> str:
    return ".".join(str(number) for number in version_numbers[:2])


def refuse_unfit_python():
    """End with one sentence if this Python cannot make the environment; warn if it is untried."""
    version = tuple(sys.version_info[:2])
    this_python = f"{sys.executable} is {sys.version.split()[0]}"
    tried = [
        f"python3.{minor}"
        for minor in range(NEWEST_PYTHON[1], OLDEST_PYTHON[1] - 1, -1)
    ]
    if version < OLDEST_PYTHON:
        available = [name for name in tried if shutil.which(name)] or ["python3.13"]
        sys.exit(
            f"This book needs Python {version_text(OLDEST_PYTHON)} or later; {this_python}. "
            f"Try: make PYTHON={available[0]} book"
        )
    if version > NEWEST_PYTHON:
        print(
            f"The book is tested on Python {version_text(OLDEST_PYTHON)} to "
            f"{version_text(NEWEST_PYTHON)}; {this_python}. "
            "If what it needs cannot be installed, name an older one: make PYTHON=python3.13 book"
        )
    missing = [name for name in ("venv", "ensurepip") if not _is_installed(name)]
    if missing:
        sys.exit(
            f"{this_python}, without the module {missing[0]} that makes virtual environments. "
            "Debian and Ubuntu have it in a separate package: apt-get install python3-venv"
        )


def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def current_state(venv_folder) -> dict:
    """Return what a complete environment depends on: this folder, its Python, what it installs."""
    python = venv_folder / "bin" / "python"
    digests = {
        name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
        for name in INSTALLATION_FILES
    }
    return dict(digests, checkout=str(ROOT), python=os.path.realpath(str(python)))


def recorded_state(state_path):
    """Return the state in which an environment was completed, or None if it never was."""
    try:
        return json.loads(state_path.read_text(encoding="utf-8") or "{}")
    except FileNotFoundError:
        return None
    except ValueError:
        return {}


def plan_preparation(venv_folder, state_path) -> tuple:
    """Return whether the environment is created anew, and the sentence that announces what is done.

    Both are None where nothing is to do. A folder that was copied or renamed ends the program.
    """
    old_state, new_state = recorded_state(state_path), current_state(venv_folder)
    if old_state == new_state and os.path.exists(new_state["python"]):
        return None, None
    if old_state and old_state["checkout"] != str(ROOT):
        sys.exit(
            f"{venv_folder} was created for {old_state['checkout']}, and a virtual environment cannot be "
            f"copied or renamed: remove it, then try again (rm -r {venv_folder})."
        )
    if not venv_folder.exists():
        return True, f"Preparing {venv_folder}, once: a few minutes, {DISK_SIZE_TEXT}"
    if not (venv_folder / "pyvenv.cfg").exists() and any(venv_folder.iterdir()):
        sys.exit(
            f"{venv_folder} holds something else than a virtual environment: name another."
        )
    if old_state is None:
        return (
            True,
            f"Making {venv_folder} anew, because its installation was not finished",
        )
    if old_state and old_state["python"] != new_state["python"]:
        return (
            True,
            f"Making {venv_folder} anew, because its Python is gone: {old_state['python']}",
        )
    changed = [
        name for name in INSTALLATION_FILES if old_state.get(name) != new_state[name]
    ]
    return False, f"Bringing {venv_folder} up to date with {', '.join(changed)}"


def install_environment(venv_folder, from_scratch):
    """Create the environment if it has to be new, and install what is pinned and the package.

    Raises
    ------
    subprocess.CalledProcessError
    """
    if from_scratch:
        subprocess.run(
            [sys.executable, "-m", "venv", "--clear", str(venv_folder)], check=True
        )
    pip = [str(venv_folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    pip.append("--disable-pip-version-check")
    subprocess.run(
        [*pip, "--requirement", "requirements.txt"], cwd=str(ROOT), check=True
    )
    package = ["--no-deps", "--no-build-isolation", "--editable", "."]
    subprocess.run([*pip, *package], cwd=str(ROOT), check=True)
    settings = venv_folder / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    shutil.copy(str(ROOT / LAB_OVERRIDES_PATH), str(settings / "overrides.json"))


def package_folder_times(venv_folder) -> list:
    """Return when a package was last put into the environment, or taken out of it."""
    return [path.stat().st_mtime for path in venv_folder.glob("lib/*/site-packages")]


@contextlib.contextmanager
def exclusive_lock():
    """Let no other make of this folder prepare at the same time."""
    folder = os.open(str(ROOT), os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # a disk without locks
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def prepare_environment(venv_folder):
    """Make the environment complete; say what is done, and only where something is."""
    state_file = venv_folder / ".ready"
    with exclusive_lock():
        from_scratch, sentence = plan_preparation(venv_folder, state_file)
        if sentence is None:
            return
        if from_scratch:
            refuse_unfit_python()
        print(sentence, flush=True)
        began = time.time()
        old_state, installed_before = (
            recorded_state(state_file),
            package_folder_times(venv_folder),
        )
        if old_state is not None:
            state_file.unlink()  # until it is done: whatever ends this, the next run notices
        try:
            install_environment(venv_folder, from_scratch)
        except subprocess.CalledProcessError as error:
            if (
                old_state is not None
                and package_folder_times(venv_folder) == installed_before
            ):  # pip has changed nothing
                state_file.write_text(json.dumps(old_state), encoding="utf-8")
            sys.exit(
                f"{venv_folder} was not prepared, because this command failed:\n"
                f"    {' '.join(error.cmd)}\nIt says why above. Mend that, then try again."
            )
        state_file.write_text(
            json.dumps(current_state(venv_folder), indent=1) + "\n", encoding="utf-8"
        )
        print(f"{venv_folder} is ready, after {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    os.chdir(str(ROOT))
    prepare_environment(Path(sys.argv[1]))
