"""Browser tests that have passed are not run again where nothing that they use has changed.

What is kept or run is a *unit*: a module of ``tests/browser``, or there the visit of one page. It
uses its source and the helpers that this imports, the packages' code that these use, browser, fonts
and pins, and each file that it was seen to ask for: from the server of the site, from the browser
as ``file:``, or by Python. A file that was not there counts as well. What Python has read before in
the same process counts, for a cache may hold it.

``TRANSFORMER_BOOK_STORE=off`` runs everything, and so does asking for single tests.
"""

import ast
import functools
import hashlib
import json
import os
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from tools import ROOT
from tools.cache.store import Store, hash_parts
from tools.dependencies import Dependencies
from tools.pages import book_pages
from tools.programs import browser

BROWSER = "tests/browser"
VISIT = f"{BROWSER}/test_pages.py::test_a_page["
ALWAYS = ("tests/conftest.py", f"{BROWSER}/conftest.py")
# With one of these in its source a test has the book's own tools build something.
BUILDS = {"small", "small_book", "subprocess"}
FROM = ("src", "tools", "tests/tools", "tests/small_book.py", "book/_static")
UNSEEN = {"node_modules", "__pycache__"}  # pinned, or made of what counts
INDICES = ("search", "genindex", "py-modindex")
KIND = "passed"


def unit_of(nodeid):
    """The unit that a test belongs to, or None."""
    if nodeid.startswith(VISIT):
        return nodeid
    return nodeid.split("::")[0] if nodeid.startswith(f"{BROWSER}/") else None


def pages(root):
    """The names of all pages that are visited."""
    return [
        book_pages.page_name(path, root) for path in book_pages.page_paths(root)
    ] + [*INDICES]


def hash_of(path):
    """Hash a file, or the names in a folder; None where nothing is."""
    try:
        about = path.stat()
        if path.is_dir():
            return hash_parts(*sorted(os.listdir(path)))
        return _hash(path, about.st_mtime_ns, about.st_size)
    except OSError:
        return None


@functools.cache
def _hash(path, *_):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def imported(root, paths):
    """Return these sources of ours and all tests and tools that they import."""
    waiting, found = list(paths), set()
    while waiting:
        path = waiting.pop()
        if path not in found and path.is_file():
            found.add(path)
            waiting += _imports(root, path)
    return sorted(found)


@functools.cache
def _imports(root, path):
    names = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(root).parts[: -node.level] * bool(node.level)
            module = ".".join([*package, *filter(None, [node.module])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
    ours = (name for name in names if name.split(".")[0] in ("tests", "tools"))
    paths = [root / name.replace(".", "/") for name in ours]
    return [each for p in paths for each in (p.with_suffix(".py"), p / "__init__.py")]


def hashes_of_models(root):
    """The hashes of weights and of numbers made with them, which native code reads unheard."""
    records = [
        path
        for folder in ("model", "numbers")
        for path in sorted((root / "_build" / folder).rglob("*.made.json"))
    ]
    texts = [path.read_text("utf-8") for path in records]
    return [json.dumps(json.loads(text)["files"], sort_keys=True) for text in texts]


def words(path):
    """The names of variables and arguments in a source."""
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {getattr(node, name, "") for node in nodes for name in ("arg", "id")}


class Keys:
    """What a unit uses before it runs, as a key."""

    def __init__(self, root):
        self.root = root
        self.packages = Dependencies(root / "src")
        pins = (root / "requirements.txt").read_text("utf-8")
        self.machine = hash_parts(
            sys.version, pins, browser.describe_browser_and_fonts()
        )
        self.models = hash_parts(*hashes_of_models(root))
        self.of_module = functools.cache(self._of_module)
        self.used = functools.cache(self._used)

    def _used(self, path):
        """What a source uses of the packages."""
        return self.packages.digest([path.read_text("utf-8")])

    def _of_module(self, module):
        """The keys of a module without and with what it uses of the packages."""
        sources = imported(self.root, [self.root / p for p in (module, *ALWAYS)])
        texts = [path.read_text("utf-8") for path in sources]
        names = [str(path.relative_to(self.root)) for path in sources]
        code = hash_parts(self.machine, *names, *texts)
        used = [self.used(path) for path in sources]
        if BUILDS & words(self.root / module):
            used += self.all_that_builds
        return code, hash_parts(code, self.models, *used)

    @functools.cached_property
    def all_that_builds(self):
        found = []
        for name in FROM:
            place = self.root / name
            paths = [place] if place.is_file() else sorted(place.rglob("*"))
            for path in paths:
                if path.is_file() and not UNSEEN & set(path.parts):
                    found += [str(path.relative_to(self.root)), hash_of(path)]
        return found

    def of(self, unit):
        code, with_packages = self.of_module(unit.split("::")[0])
        # A page holds what the packages did.
        return hash_parts(unit, code if unit.startswith(VISIT) else with_packages)


_listeners: list = []


def _listen(plugin):
    """Have a plugin hear what Python opens; a hook stays for ever, so there is one for all."""
    if not _listeners:
        sys.addaudithook(
            lambda event, given: _listeners and _listeners[-1]._hear(event, given)
        )
    _listeners.append(plugin)


class Verdicts:
    """A plugin that notes what each unit uses, and leaves out what has passed with the same.

    With xdist the process that starts the others decides, and keeps what they have noted.
    """

    def __init__(self, config, root=ROOT):
        self.config, self.root = config, root
        self.store = Store.of_this_machine()
        self.worker = hasattr(config, "workerinput")
        self.unit, self.reads = None, {}
        self.seen = defaultdict(dict)  # unit -> path -> hash
        self.sizes, self.passed, self.left_out = Counter(), Counter(), Counter()
        self.unclear = set()  # failed, skipped, or asked for what changed meanwhile
        self.complete = True
        self.active = self._is_asked_for_all()
        self.listening, self.hashing = self.active, set()  # threads that hash
        self.thread = threading.local()
        if self.active:
            _listen(self)

    def _is_asked_for_all(self):
        option = self.config.option
        single = any("::" in str(argument) for argument in self.config.args)
        some = option.keyword or option.deselect or getattr(option, "lf", False)
        return not (self.store.folder is None or single or some)

    # What is used

    def note(self, path, unit=None):
        """Note that a unit, by default the one that runs now, asked for a file."""
        # What a server's thread reads goes to the browser, and no later test can use it.
        self.thread.serves = threading.current_thread() is not threading.main_thread()
        if (unit := unit or self.unit) and (name := self._name(path)):
            value = self._hash(name)
            if self.seen[unit].setdefault(name, value) != value:
                self.unclear.add(unit)

    def _name(self, path):
        """The name of a file that counts, from the project's folder on, or None."""
        path = os.path.abspath(path)
        if not path.startswith(f"{self.root}{os.sep}"):
            return None
        name = Path(path).relative_to(self.root)
        built = name.parts[0] == "_build"
        hidden = name.parts[0].startswith(".") or UNSEEN & set(name.parts)
        code = name.suffix in (".py", ".pyc") and not built
        listed = name.parts[0] == "tests" and not name.suffix  # by pytest
        return None if hidden or code or listed else name.as_posix()

    def _hear(self, event, arguments):
        if not self.listening or event not in ("open", "os.listdir", "os.scandir"):
            return
        if threading.get_ident() in self.hashing or getattr(
            self.thread, "serves", False
        ):
            return
        path, mode = arguments[0], arguments[1] if event == "open" else "r"
        if isinstance(path, str | os.PathLike) and not set(mode or "r") & set("wax+"):
            self.read(path)

    def read(self, path):
        """Note that Python reads a file; whatever runs later in this process may use it."""
        name = self._name(path)
        if name and name not in self.reads:
            self.reads[name] = self._hash(name)

    def _hash(self, name):
        """Hash a file without hearing oneself."""
        thread = threading.get_ident()
        self.hashing.add(thread)
        try:
            return hash_of(self.root / name)
        finally:
            self.hashing.discard(thread)

    # What is run

    @functools.cached_property
    def keys(self):
        return Keys(self.root)

    @functools.cached_property
    def kept(self):
        """The units that have passed with what is there now."""
        if self.active and browser.describe_browser_and_fonts() is None:
            self.complete = False  # another browser could not be told from this one
        if not (self.active and self.complete):
            return {}
        self.listening = False
        try:
            return {
                unit: tests for unit in self._units() if (tests := self._verdict(unit))
            }
        finally:
            self.listening = True

    def _units(self):
        for path in sorted((self.root / BROWSER).glob("test_*.py")):
            yield path.relative_to(self.root).as_posix()
        for name in pages(self.root):
            yield f"{VISIT}{name}]"

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput["kept"] = list(self.kept)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        kept = set(config.workerinput["kept"] if self.worker else self.kept)
        units = {item: unit_of(item.nodeid) for item in items}
        self.sizes = Counter(filter(None, units.values()))
        left_out = [item for item in items if units[item] in kept]
        self.left_out = Counter(units[item] for item in left_out)
        if left_out:
            items[:] = [item for item in items if units[item] not in kept]
            config.hook.pytest_deselected(items=left_out)

    def _verdict(self, unit):
        """Return how many tests have passed with what is there now, or None."""
        key = self.keys.of(unit)
        entry = self.store.load(KIND, key)
        if entry is None:
            return None
        names = json.loads(entry["names"])
        now = [(name, hash_of(self.root / name)) for name in names]
        entry = self.store.load(KIND, hash_parts(key, json.dumps(now)))
        return None if entry is None else int(entry["tests"])

    # What has passed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        self.unit = unit_of(item.nodeid) if self.active else None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self, item):
        if self.unit:
            for name, value in list(self.reads.items()):
                self.seen[self.unit].setdefault(name, value)

    def pytest_runtest_logreport(self, report):
        unit = unit_of(report.nodeid)
        if unit and not report.passed:
            self.unclear.add(unit)
        elif unit and report.when == "call":
            self.passed[unit] += 1

    def _told(self):
        return {
            "seen": {unit: sorted(files.items()) for unit, files in self.seen.items()},
            "unclear": sorted(self.unclear),
            "sizes": dict(self.sizes),
            "left_out": dict(self.left_out),
        }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node, error):
        told = getattr(node, "workeroutput", {}).get("verdicts")
        if error or told is None:
            self.complete = False  # what it saw is lost
            return
        self._hear_worker(told)

    def _hear_worker(self, told):
        self.sizes, self.left_out = told["sizes"], told["left_out"]
        self.unclear |= set(told["unclear"])
        for unit, files in told["seen"].items():
            for name, value in files:
                if self.seen[unit].setdefault(name, value) != value:
                    self.unclear.add(unit)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if self.worker:
            self.config.workeroutput["verdicts"] = self._told()
        elif self.active and self.complete:
            self._keep()
        if self.left_out and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK

    def _keep(self):
        for unit, count in self.passed.items():
            if unit in self.unclear or count != self.sizes.get(unit):
                continue
            key, files = self.keys.of(unit), sorted(self.seen[unit].items())
            names = json.dumps([name for name, _ in files]).encode()
            passed = hash_parts(key, json.dumps(files))
            self.store.keep(KIND, key, {"names": names})
            self.store.keep(KIND, passed, {"tests": str(count).encode()})

    def pytest_unconfigure(self):
        self.listening = False

    def pytest_terminal_summary(self, terminalreporter):
        if self.left_out:
            title = "not run again, for nothing that they use has changed"
            terminalreporter.section(title)
            visits = sum(unit.startswith(VISIT) for unit in self.left_out)
            if visits:
                terminalreporter.line(f"{visits} pages, by {VISIT[:-1]}")
            for unit, tests in sorted(self.left_out.items()):
                if not unit.startswith(VISIT):
                    terminalreporter.line(f"{unit}: {tests} tests")
