"""A model is trained once for the code that trains it, and never published when it is another."""

import textwrap

import pytest

from tools.cache.store import Store
from tools.models import training
from tools.pages.cache_keys import CacheKeys

MODEL = training.TrainedModel("the small model", "small.training", "train")
CODE = """
import os
from pathlib import Path
from .sizes import WIDTH

def train():
    folder = Path(os.environ["TRANSFORMER_BOOK_MODEL"])
    folder.joinpath("weights.bin").write_text("w" * WIDTH)
    with open(os.environ["RUNS"], "a") as runs:
        runs.write("x")
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose package trains a model, and counts how often."""
    package = tmp_path / "src" / "small"
    package.mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "training": textwrap.dedent(CODE),
        "sizes": "WIDTH = 3\n",
        "drawing": "COLOUR = 1\n",
    }.items():
        (package / f"{name}.py").write_text(text, "utf-8")
    (tmp_path / "tools").mkdir()
    (tmp_path / "requirements.txt").write_text("", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "src"))
    # Python takes what it has compiled where a source of the same second has as many bytes.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("RUNS", str(tmp_path / "runs"))
    return tmp_path


def key(project):
    return CacheKeys(project, project / "_build").model_key(MODEL)


def bring(project, store):
    """Do what a build does; return whether the model was there already."""
    build = project / "_build"
    there = MODEL.is_current(build, key(project))
    if not there:
        MODEL.make(build, key(project), store)
    assert MODEL.is_current(build, key(project))
    return there


def runs(project):
    path = project / "runs"
    return len(path.read_text("utf-8")) if path.exists() else 0


def weights(project):
    return project / "_build" / "model" / "weights.bin"


def edit(project, name, text):
    (project / "src" / "small" / f"{name}.py").write_text(text, "utf-8")


def test_it_is_trained_once(project):
    assert not bring(project, Store(None))
    assert bring(project, Store(None)) and runs(project) == 1
    assert weights(project).read_text("utf-8") == "www"


def test_a_change_in_what_it_does_not_use_trains_nothing(project):
    bring(project, Store(None))
    edit(project, "drawing", "COLOUR = 2\n")
    edit(project, "sizes", "# A comment.\nWIDTH = 3\n")
    assert bring(project, Store(None))


def test_a_change_in_what_it_uses_trains_it_again(project):
    bring(project, Store(None))
    edit(project, "sizes", "WIDTH = 4\n")
    assert not bring(project, Store(None))
    assert weights(project).read_text("utf-8") == "wwww" and runs(project) == 2


@pytest.mark.parametrize("damage", ["missing", "truncated", "another's"])
def test_missing_or_damaged_weights_are_made_anew(project, damage):
    bring(project, Store(None))
    if damage == "missing":
        weights(project).unlink()
    else:
        weights(project).write_text("w" if damage == "truncated" else "xyz", "utf-8")
    assert not bring(project, Store(None))
    assert weights(project).read_text("utf-8") == "www"


def test_another_clone_takes_them_from_the_store(project, tmp_path):
    store = Store(tmp_path / "store")
    bring(project, store)
    (project / "_build").rename(tmp_path / "elsewhere")
    assert not bring(project, store)
    assert weights(project).read_text("utf-8") == "www" and runs(project) == 1


def test_a_training_that_fails_says_why(project):
    edit(project, "training", "def train():\n    1 / 0\n")
    with pytest.raises(RuntimeError, match=r"the small model was not.*\n(.*\n)*.*Zero"):
        bring(project, Store(None))


def test_weights_that_differ_in_a_second_training_are_named(project):
    bring(project, Store(None))
    assert MODEL.files_changed_by_retraining(project / "_build") == []
    weights(project).write_text("xyz", "utf-8")
    assert MODEL.files_changed_by_retraining(project / "_build") == ["weights.bin"]


def test_a_page_that_uses_the_training_needs_the_model(project):
    keys = CacheKeys(project, project / "_build")
    for cells, needs in [
        (["from small import training\ntraining.train()"], [MODEL]),
        (["from small import sizes\nsizes.WIDTH"], []),
        (["from small.drawing import COLOUR"], []),
        (["this is no Python"], [MODEL]),
    ]:
        assert (
            training.models_used_by_cells(cells, [MODEL], keys.dependencies) == needs
        ), cells


def test_the_models_of_the_book_belong_to_the_book_alone(project):
    from tests.conftest import ROOT

    assert all(model.is_defined_in(ROOT) for model in training.TRAINED_MODELS)
    assert not any(model.is_defined_in(project) for model in training.TRAINED_MODELS)
