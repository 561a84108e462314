"""Publish the models that the build has trained beside the notebooks, which then train nothing."""

import hashlib
import json
import shutil

MODEL_FOLDER_NAME = "model"  # ``transformer_book.model_folders`` looks there
HASH_LIST_FILE_NAME = (
    "files.json"  # the SHA-256 of each file, by its name; Colab fetches by it
)
RECORD_FILE_ENDING = ".made.json"  # of the build's own records


def publish_models(build_folder, notebook_folder):
    """Copy the models of ``_build`` into a folder beside the notebooks; a book may have none."""
    files = [
        path
        for path in sorted((build_folder / "model").glob("*"))
        if path.is_file() and not path.name.endswith(RECORD_FILE_ENDING)
    ]
    if not files:
        return
    target = notebook_folder / MODEL_FOLDER_NAME
    target.mkdir(parents=True, exist_ok=True)
    digests = {}
    for path in files:
        shutil.copyfile(path, target / path.name)
        digests[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (target / HASH_LIST_FILE_NAME).write_text(
        json.dumps(digests, indent=1) + "\n", "utf-8"
    )
