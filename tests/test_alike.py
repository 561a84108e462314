"""Every test begins alike: it draws and rounds the same whatever ran before it, and leaves nothing behind."""

import importlib.util
import random
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import begin, of_the_process


def numbers():
    return random.random(), np.random.random(), torch.rand(()).item()


@pytest.fixture
def drawn():
    return numbers()


def test_a_test_and_a_fixture_draw_what_their_names_say(drawn, request):
    here = numbers()
    begin(request.node.nodeid)
    assert numbers() == here != drawn
    begin("tests/test_alike.py::drawn")
    assert numbers() == drawn


def test_a_test_has_one_thread():
    assert torch.get_num_threads() == 1


def examples():
    tried = []

    @given(st.integers())
    def run(n):
        tried.append(n)

    run()
    return tried


def test_a_module_loaded_before_adds_no_example(tmp_path, monkeypatch):
    before = examples()
    path = tmp_path / "constants.py"
    path.write_text(f"N = {[*range(10**6, 10**6 + 500)]}", "utf-8")
    spec = importlib.util.spec_from_file_location("constants", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setitem(sys.modules, "constants", module)
    assert examples() == before


@pytest.mark.parametrize(
    "change",
    [
        lambda patch: patch.setenv("TRANSFORMER_BOOK_CORPUS", "text8"),
        lambda patch: patch.chdir("/"),
        lambda patch: patch.syspath_prepend("/"),
        lambda patch: torch.set_default_dtype(torch.float64),
        lambda patch: torch.set_grad_enabled(False),
        lambda patch: np.seterr(all="raise"),
        lambda patch: np.set_printoptions(precision=2),
    ],
)
def test_what_would_stay_of_a_test_is_noticed(change, monkeypatch):
    before = of_the_process()
    assert of_the_process() == before
    with np.errstate(), np.printoptions(), torch.enable_grad():
        change(monkeypatch)
        assert of_the_process() != before
        torch.set_default_dtype(torch.float32)
    monkeypatch.undo()
    assert of_the_process() == before
