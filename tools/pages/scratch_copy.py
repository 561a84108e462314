"""Open a copy of the published notebooks in JupyterLab, for readers to change: ``make lab``."""

import hashlib
import json
import subprocess
import sys

from tools import ROOT

COPY_FOLDER_NAME = "my_notebooks"
RECORD_FILE_NAME = (
    ".copied.json"  # the SHA-256 of each file as it was copied last, by its name
)


def renew_notebook_copy(published_folder, copy_folder):
    """Copy all files that are new or have changed, but none over what the reader has written.

    Parameters
    ----------
    published_folder, copy_folder : pathlib.Path
        The published notebooks, and the folder of their copy.

    Returns
    -------
    list of str
        The names of newer files that were not copied, because the reader has changed the old ones.
    """
    record = copy_folder / RECORD_FILE_NAME
    copied = json.loads(record.read_text("utf-8")) if record.exists() else {}
    kept = []
    for path in sorted(published_folder.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(published_folder).as_posix()
        content, copy = path.read_bytes(), copy_folder / name
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
    copy_folder.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(copied, indent=1) + "\n", "utf-8")
    return kept


def _digest(content):
    return hashlib.sha256(content).hexdigest()


def main():
    target = ROOT / COPY_FOLDER_NAME
    kept = renew_notebook_copy(ROOT / "_build" / "notebooks", target)
    if kept:
        print(
            f"You have changed these, so they stay as they are in {COPY_FOLDER_NAME}, although the book has "
            f"newer ones: {', '.join(kept)}. Rename or remove one to get the new one."
        )
    print(f"Your copy of the notebooks is in {target}", flush=True)
    command = [sys.executable, "-m", "jupyter", "lab", "intro.ipynb"]
    return subprocess.run(command, cwd=target).returncode


if __name__ == "__main__":
    sys.exit(main())
