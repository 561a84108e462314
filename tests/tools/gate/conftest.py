"""pytest in a process of its own, with the gate's plugin, in a folder with tests of its own."""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.fixture
def run_pytest(tmp_path):
    """Run it on a folder or file below ``tmp_path``; return the ended process."""

    def run(path, *words, **environment):
        command = [sys.executable, "-m", "pytest", "-p", "tools.gate.plugin"]
        command += ["-c", "/dev/null", "--rootdir", str(tmp_path), *words, str(path)]
        known = {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"}
        return subprocess.run(
            command,
            env=os.environ | known | environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    return run
