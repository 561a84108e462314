"""Every test begins alike, whatever ran before it; and the built book, made once for all that look at it."""

import gc
import locale
import os
import pickle
import random
import subprocess
import sys
import zlib

import numpy as np
import pytest
import torch
from filelock import FileLock
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests import limits

# This ends the run at once where Python would import another checkout's package.
from tools import ROOT

# Whoever starts a Python and reads what it says reads UTF-8.
os.environ.setdefault("PYTHONIOENCODING", "utf-8")
# Triton reads it when it is loaded, and transformers loads Triton.
if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"

# A slow machine is no bug, so no example has a deadline; the same examples are drawn every time.
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")
# Hypothesis also tries constants that it reads in the modules loaded so far, so that its examples would
# depend on what ran before. It has no setting for that.
providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Spare the garbage collector a third of the time: what is imported stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """As many workers as processors that may be used; pytest-xdist counts all that there are."""
    from tools.machine import core_count

    return core_count()


def begin(name):
    """Draw the same numbers under this name, and round sums in the same order."""
    seed = zlib.crc32(name.encode())
    random.seed(seed)
    np.random.seed(seed)
    torch.default_generator.manual_seed(seed)
    torch.set_num_threads(1)


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef):
    begin(f"{fixturedef.baseid}::{fixturedef.argname}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    begin(item.nodeid)


# Set by pytest for each test, and by libraries when they are loaded.
NOT_OURS = (
    "PYTEST_CURRENT_TEST",
    "TORCHINDUCTOR_CACHE_DIR",
    "KINETO_LOG_LEVEL",
    "KMP_",
)


def of_the_process():
    """Return what a test could change for those that follow it."""
    return {
        "environment": {
            k: v for k, v in os.environ.items() if not k.startswith(NOT_OURS)
        },
        "folder": os.getcwd(),
        "search path": [*sys.path],
        "locale": locale.setlocale(locale.LC_ALL),
        "dtype": torch.get_default_dtype(),
        "gradients": torch.is_grad_enabled(),
        "NumPy's errors": np.geterr(),
        "NumPy's printing": np.get_printoptions(),
    }


@pytest.fixture(autouse=True)
def unchanged():
    """Refuse a test that leaves the process otherwise than it came."""
    before = of_the_process()
    yield
    assert of_the_process() == before


def pytest_configure(config):
    config.pluginmanager.register(limits, "limits")
    if "not browser" not in config.option.markexpr:
        from tests.verdicts import Verdicts

        config.pluginmanager.register(Verdicts(config), "verdicts")


def pytest_collection_modifyitems(items):
    """Mark what looks at the real book."""
    for item in items:
        if "site" in getattr(item, "fixturenames", ()):
            item.add_marker("book")


@pytest.fixture(scope="session")
def site(tmp_path_factory, testrun_uid):
    """The folder of the built site; one of the workers builds what is not up to date.

    ``tools.gate`` says so where its stage before this one has built it.
    """
    if os.environ.get("TRANSFORMER_BOOK_SITE") == "built":
        return ROOT / "_build" / "html"
    built = tmp_path_factory.getbasetemp().parent / f"built-{testrun_uid}"
    with FileLock(f"{built}.lock"):
        if not built.exists():
            command = [sys.executable, "-m", "tools.book"]
            result = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
            )
            assert result.returncode == 0, result.stdout + result.stderr
            built.touch()
    return ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def grammar_corpus(tmp_path_factory, testrun_uid):
    """The book's parallel corpus, which cannot be changed; one of the workers draws it, for seconds."""
    from transformer_book.data import load_parallel

    path = tmp_path_factory.getbasetemp().parent / f"grammar-{testrun_uid}"
    with FileLock(f"{path}.lock"):
        if not path.exists():
            path.write_bytes(pickle.dumps(load_parallel("grammar")))
    return pickle.loads(path.read_bytes())


@pytest.fixture(scope="session")
def small_book(tmp_path_factory, testrun_uid):
    """A small book of lessons and laboratories, built by one of the workers for all."""
    from tests.small_book import SmallBook

    folder = tmp_path_factory.getbasetemp().parent / f"small-{testrun_uid}"
    with FileLock(f"{folder}.lock"):
        book, built = SmallBook(folder), folder / "built"
        if not built.exists():
            book.built()
            built.touch()
    return book
