"""Two clean builds give the same outputs, byte for byte, measured times apart."""

import subprocess
import sys

import pytest
from jupyter_cache import get_cache

from tests.conftest import ROOT
from tools import chapters

pytestmark = pytest.mark.build


def outputs(build):
    cache = get_cache(build / ".jupyter_cache")
    found = {}
    for path in filter(chapters.is_notebook, chapters.pages(ROOT)):
        _, notebook = cache.merge_match_into_notebook(chapters.read(path))
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        for number, cell in enumerate(code, 1):
            if chapters.TIMED not in cell.metadata.get("tags", []):
                found[chapters.name(path, ROOT), number] = cell.outputs
    return found


def test_two_clean_builds_give_the_same_outputs(site, tmp_path):
    code = "from pathlib import Path; from tools.execute import execute; import sys"
    code += "; execute(Path('.').resolve(), Path(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "_build")], cwd=ROOT, check=True
    )
    first, second = outputs(ROOT / "_build"), outputs(tmp_path / "_build")
    assert first.keys() == second.keys() and len(first) > 100
    assert [key for key in first if first[key] != second[key]] == []
