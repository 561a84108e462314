"""Every test that is written is run: pytest enters no folder called "build", for one."""

import re

from tests.conftest import ROOT


def left_out(folder, config):
    """Return the files with tests in a folder that pytest would not collect."""
    test = re.compile(r"^\s*(async )?def test_", re.MULTILINE)
    files = [
        path for path in folder.rglob("*.py") if test.search(path.read_text("utf-8"))
    ]
    return [path for path in files if not collected(path, folder, config)]


def collected(path, folder, config):
    below = [path, *(parent for parent in path.parents if folder in parent.parents)]
    ignored = config.hook.pytest_ignore_collect
    return any(path.match(name) for name in config.getini("python_files")) and not any(
        ignored(collection_path=each, config=config) for each in below
    )


def test_every_file_of_tests_is_collected(pytestconfig):
    assert left_out(ROOT / "tests", pytestconfig) == []


def test_a_file_that_is_not_collected_is_found(pytestconfig, tmp_path):
    for name in ("build/deep/test_a.py", "cases.py", "fine/test_b.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "class TestIt:\n    async def test_it(self):\n        pass\n", "utf-8"
        )
    found = left_out(tmp_path, pytestconfig)
    assert {path.name for path in found} == {"test_a.py", "cases.py"}


def test_every_test_of_the_scripts_is_named_as_node_is_told():
    scripts = (ROOT / "tests" / "js").rglob("*.mjs")
    with_tests = {path for path in scripts if "node:test" in path.read_text("utf-8")}
    assert with_tests and all(path.match("*.test.mjs") for path in with_tests)
