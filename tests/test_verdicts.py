"""What has passed is run again as soon as anything that it used is another."""

import sys

import pytest

from tests import verdicts
from tools.programs import browser

CONFTEST = """\
from pathlib import Path
from tests.verdicts import Verdicts

def pytest_configure(config):
    root = Path(__file__).resolve().parents[1]
    config.pluginmanager.register(Verdicts(config, root), "verdicts")
"""
ASK = """\
from pathlib import Path
import pytest
from tests.verdicts import unit_of

@pytest.fixture
def site():
    return Path(__file__).resolve().parents[2] / "_build"

@pytest.fixture
def ask(request, site):
    '''Ask the server for a file; return its size.'''
    def ask(name):
        plugin = request.config.pluginmanager.get_plugin("verdicts")
        plugin.note(site / name, unit_of(request.node.nodeid))
        return (site / name).stat().st_size if (site / name).exists() else 0
    return ask
"""
WIDGET = """\
def imports():
    from tests.browser import helper
    from transformer_book import used

def test_what_it_asks_for(ask):
    assert ask("page.html") < 100
    assert ask("lost.js") < 100

def test_what_python_reads(site):
    assert "wrong" not in (site / "numbers.json").read_text("utf-8")
    list((site / "models").iterdir())
"""
# It runs before the others.
SERVER = """\
from threading import Thread

def test_what_a_server_reads(ask, site):
    def serve():
        ask("served.html")
        (site / "served.html").read_text("utf-8")

    server = Thread(target=serve)
    server.start()
    server.join()
"""
PAGES = """\
import pytest

@pytest.mark.parametrize("name", ["intro", "search"])
def test_a_page(name, ask):
    assert ask(name + ".html") < 100
"""
FILES = {
    "tests/conftest.py": CONFTEST,
    "tests/browser/conftest.py": ASK,
    "tests/browser/test_first.py": SERVER,
    "tests/browser/test_widget.py": WIDGET,
    "tests/browser/test_pages.py": PAGES,
    "tests/browser/helper.py": "def help(): pass\n",
    "pytest.ini": "[pytest]\naddopts = --import-mode=prepend\n",
    "requirements.txt": "torch==1\n",
    "_toc.yml": "format: jb-book\nroot: intro\n",
    "src/transformer_book/__init__.py": "",
    "src/transformer_book/used.py": "number = 1\n",
    "src/transformer_book/other.py": "number = 1\n",
    "_build/page.html": "page",
    "_build/intro.html": "intro",
    "_build/search.html": "search",
    "_build/served.html": "served",
    "_build/numbers.json": "1",
    "_build/models/first.safetensors": "1",
    "_build/other.html": "other",
    "_build/numbers/numbers.made.json": '{"key": "1", "files": {"logits": "1"}}',
    "_build/paper/papers.made.json": '{"key": "1", "files": {"pdf": "1"}}',
}
WIDGETS = {"test_what_it_asks_for", "test_what_python_reads"}
SERVED = {"test_what_a_server_reads"}
VISITS = {"test_a_page[intro]", "test_a_page[search]"}
ALL = WIDGETS | SERVED | VISITS


class Ran:
    """Notes which tests were run."""

    def __init__(self):
        self.names = set()

    def pytest_runtest_logreport(self, report):
        if report.when == "call":
            self.names.add(report.nodeid.split("::")[1])


class Project:
    def __init__(self, root):
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def run(self, *arguments):
        """Run all tests, or these; return the names of those that ran."""
        ran = Ran()
        # The last would collect garbage.
        plugins = ("cacheprovider", "xdist", "unraisableexception")
        options = ["-q", *(f"-pno:{name}" for name in plugins), *arguments]
        at = [str(self.root / "tests")] if not arguments else []
        rootdir = ["--rootdir", str(self.root), "-c", str(self.root / "pytest.ini")]
        self.code = pytest.main([*options, *rootdir, *at], plugins=[ran])
        verdicts._imports.cache_clear()
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", "")).startswith(str(self.root)):
                del sys.modules[name]
        return ran.names


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_BOOK_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(
        browser, "describe_browser_and_fonts", lambda: "chromium-1 fonts-1"
    )
    made = Project(tmp_path / "project")
    monkeypatch.chdir(made.root)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(verdicts, "_listeners", [*verdicts._listeners])
    return made


def test_what_has_passed_is_not_run_again_and_named(project, capfd):
    assert project.run() == ALL
    capfd.readouterr()
    assert project.run() == set() and project.code == 0
    said = capfd.readouterr().out
    assert "not run again" in said and "tests/browser/test_widget.py: 2 tests" in said
    assert "2 pages" in said


CHANGES = {
    "a script that the page asks for": ("_build/page.html", "other", WIDGETS),
    "a script that was not there": ("_build/lost.js", "here now", WIDGETS),
    "a datum that Python reads": ("_build/numbers.json", "2", WIDGETS | VISITS),
    "a model file": ("_build/models/second.safetensors", "2", WIDGETS | VISITS),
    "numbers that native code reads": (
        "_build/numbers/numbers.made.json",
        '{"key": "1", "files": {"logits": "2"}}',
        WIDGETS | SERVED,
    ),
    "the same numbers made by other code": (
        "_build/numbers/numbers.made.json",
        '{"key": "2", "files": {"logits": "1"}}',
        set(),
    ),
    "the papers": (
        "_build/paper/papers.made.json",
        '{"key": "1", "files": {"pdf": "2"}}',
        set(),
    ),
    "a page that a server read": ("_build/served.html", "other", SERVED),
    "a page": ("_build/intro.html", "other", {"test_a_page[intro]"}),
    "a helper": ("tests/browser/helper.py", "def help(): return 1\n", WIDGETS),
    "the test itself": ("tests/browser/test_widget.py", f"{WIDGET}\n#\n", WIDGETS),
    "the survey": ("tests/browser/test_pages.py", f"{PAGES}\n#\n", VISITS),
    "the fixtures": ("tests/browser/conftest.py", f"{ASK}\n#\n", ALL),
    "the package where it is used": (
        "src/transformer_book/used.py",
        "number = 2\n",
        WIDGETS,
    ),
    "a pin": ("requirements.txt", "torch==2\n", ALL),
    "another page": ("_build/other.html", "2", set()),
    "another module": ("src/transformer_book/other.py", "number = 2\n", set()),
}


@pytest.mark.parametrize("what", CHANGES)
def test_it_runs_again_where_what_it_used_is_another(what, project):
    name, text, again = CHANGES[what]
    project.run()
    project.write(name, text)
    assert again - VISITS <= project.run() <= again
    assert project.run() == set()


def test_another_browser_or_other_fonts_run_all(project, monkeypatch):
    project.run()
    monkeypatch.setattr(
        browser, "describe_browser_and_fonts", lambda: "chromium-1 fonts-2"
    )
    assert project.run() == ALL
    monkeypatch.setattr(browser, "describe_browser_and_fonts", lambda: None)
    assert project.run() == ALL
    assert project.run() == ALL  # what tells nothing apart keeps nothing


def test_what_failed_is_not_kept(project):
    project.write("_build/numbers.json", "wrong")
    assert project.run() == ALL and project.code == 1
    assert project.run() == WIDGETS and project.code == 1


def test_what_was_skipped_or_run_in_part_is_not_kept(project):
    skipped = (
        f"{WIDGET}\nimport pytest\n\n@pytest.mark.skip\ndef test_skipped(): pass\n"
    )
    project.write("tests/browser/test_widget.py", skipped)
    project.run()
    assert project.run() == WIDGETS
    project.write("tests/browser/test_widget.py", WIDGET)
    project.run("-k", "python", "tests")
    assert project.run() == WIDGETS


def test_single_tests_and_a_store_that_is_off_run_whatever_was_kept(
    project, monkeypatch
):
    project.run()
    one = "tests/browser/test_widget.py::test_what_python_reads"
    assert project.run(one) == {"test_what_python_reads"}
    monkeypatch.setenv("TRANSFORMER_BOOK_STORE", "off")
    assert project.run() == ALL


def test_a_damaged_verdict_runs_it_again(project, tmp_path):
    project.run()
    for entry in (tmp_path / "store" / verdicts.KIND).iterdir():
        data = bytearray(entry.read_bytes())
        data[-1] ^= 1
        entry.write_bytes(data)
    assert project.run() == ALL


def test_a_file_that_changes_meanwhile_keeps_nothing(project):
    changing = f"{WIDGET}\ndef test_change(ask, site):\n"
    changing += "    (site / 'page.html').write_text('changed')\n    ask('page.html')\n"
    project.write("tests/browser/test_widget.py", changing)
    project.run()
    assert project.run() == WIDGETS | {"test_change"}
