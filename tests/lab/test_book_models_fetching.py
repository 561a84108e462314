"""Trained models from where the notebooks are published."""

import hashlib
import json

import pytest
import requests

from transformer_lab.book_models import fetch_models, fetching

ADDRESS = "https://models/"


@pytest.fixture
def published(tmp_path, monkeypatch):
    """What the address answers, by name; a notebook stands alone, with an empty cache."""
    files = {"book-1.safetensors": b"weights", "book-1.json": b"{}"}
    digests = {name: hashlib.sha256(each).hexdigest() for name, each in files.items()}
    files[fetching.LIST_FILE] = json.dumps(digests).encode()

    def get(address, timeout):
        answer = requests.Response()
        content = files.get(address.removeprefix(ADDRESS))
        answer.status_code, answer._content = (404 if content is None else 200), content
        return answer

    monkeypatch.setattr(requests, "get", get)
    monkeypatch.setattr(fetching, "model_folders", lambda: [tmp_path / "a", tmp_path])
    return files


def test_all_are_fetched_once(published, tmp_path, monkeypatch, capsys):
    fetch_models(ADDRESS)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == published
    monkeypatch.setattr(requests, "get", None)  # would fail
    fetch_models(ADDRESS)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", ["book-1.safetensors", fetching.LIST_FILE])
@pytest.mark.parametrize("content", [None, b"other"])
def test_what_cannot_be_had_is_told(published, tmp_path, name, content, capsys):
    published[name] = content
    fetch_models(ADDRESS)
    assert "so this page trains it: about two minutes" in capsys.readouterr().out
    assert not [*tmp_path.glob("*")]


def test_a_model_of_ones_own_is_enough(published, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(requests, "get", None)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "book-2.safetensors").touch()
    fetch_models(ADDRESS)
    assert capsys.readouterr().out == ""
