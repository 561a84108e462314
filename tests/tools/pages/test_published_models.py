"""The trained models beside the notebooks."""

import hashlib
import json

from tools.pages.published_models import publish_models
from transformer_book import model_folders
from transformer_lab.book_models import fetching


def test_models_are_published_with_their_hashes(tmp_path, monkeypatch):
    build, notebooks = tmp_path / "_build", tmp_path / "notebooks"
    publish_models(build, notebooks)
    assert not notebooks.exists()  # a book without models
    (build / "model").mkdir(parents=True)
    for name in ("book-1.safetensors", "book-1.json", "translator.made.json"):
        (build / "model" / name).write_text(name, "utf-8")
    publish_models(build, notebooks)
    published = {path.name for path in (notebooks / "model").iterdir()}
    assert published == {"book-1.safetensors", "book-1.json", fetching.LIST_FILE}
    listed = json.loads((notebooks / "model" / fetching.LIST_FILE).read_text("utf-8"))
    digest = hashlib.sha256(b"book-1.json").hexdigest()
    assert listed.keys() == published - {fetching.LIST_FILE}
    assert listed["book-1.json"] == digest
    # A notebook finds them.
    monkeypatch.delenv(model_folders.MODEL_FOLDER_VARIABLE, raising=False)
    (notebooks / "attention").mkdir()
    monkeypatch.chdir(notebooks / "attention")
    found = model_folders.model_file_path("book-1.safetensors")
    assert found == notebooks / "model" / "book-1.safetensors"
