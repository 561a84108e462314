"""Open a copy of the published notebooks in JupyterLab, for readers to change: ``make lab``."""

import hashlib
import json
import subprocess
import sys

from tools import ROOT

FOLDER = "my_notebooks"
RECORD = ".copied.json"  # the SHA-256 of each file as it was copied last, by its name


def renew_copy(source, target):
    """Copy all files that are new or have changed, but none over what the reader has written.

    Parameters
    ----------
    source, target : pathlib.Path
        The published notebooks, and the folder of their copy.

    Returns
    -------
    list of str
        The names of newer files that were not copied, because the reader has changed the old ones.
    """
    record = target / RECORD
    copied = json.loads(record.read_text("utf-8")) if record.exists() else {}
    kept = []
    for path in sorted(source.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(source).as_posix()
        content, copy = path.read_bytes(), target / name
        digest = _digest(content)
        if copy.exists() and _digest(copy.read_bytes()) not in (
            digest,
            copied.get(name),
        ):
            if digest != copied.get(name):
                kept.append(name)
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
        copied[name] = digest
    target.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(copied, indent=1) + "\n", "utf-8")
    return kept


def _digest(content):
    return hashlib.sha256(content).hexdigest()


def main():
    target = ROOT / FOLDER
    kept = renew_copy(ROOT / "_build" / "notebooks", target)
    if kept:
        print(
            f"You have changed these, so they stay as they are in {FOLDER}, although the book has newer "
            f"ones: {', '.join(kept)}. Rename or remove one to get the new one."
        )
    print(f"Your copy of the notebooks is in {target}", flush=True)
    command = [sys.executable, "-m", "jupyter", "lab", "intro.ipynb"]
    return subprocess.run(command, cwd=target).returncode


if __name__ == "__main__":
    sys.exit(main())
