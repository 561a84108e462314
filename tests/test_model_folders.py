"""Where trained models are looked for: the setting, then near the notebook, then the user's cache."""

import pytest

from transformer_book import model_folders

NAME = "book-1.safetensors"


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv(model_folders.MODEL_FOLDER_VARIABLE, raising=False)
    monkeypatch.setattr(model_folders, "cache_folder", lambda: tmp_path / "cache")
    (tmp_path / "book" / "attention").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "book" / "attention")
    return tmp_path / "cache" / "model"


def put(folder):
    folder.mkdir(parents=True)
    (folder / NAME).touch()
    return folder / NAME


def test_a_model_that_is_nowhere_belongs_into_the_cache(cache):
    assert model_folders.model_file_path(NAME) == cache / NAME


def test_the_nearest_is_found_and_the_setting_is_before_all(
    cache, tmp_path, monkeypatch
):
    for folder in (
        cache,
        tmp_path / "book" / "_build" / "model",
        tmp_path / "book" / "model",
        tmp_path / "book" / "attention" / "model",
    ):
        path = put(folder)
        assert model_folders.model_file_path(NAME) == path
    monkeypatch.setenv(model_folders.MODEL_FOLDER_VARIABLE, str(tmp_path / "other"))
    assert model_folders.model_file_path(NAME) == tmp_path / "other" / NAME
