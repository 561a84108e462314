"""Fetch the trained models from where the book's notebooks are published."""

import hashlib
import json

from transformer_book.data.downloads import TIMEOUT_SECONDS
from transformer_book.model_folders import model_folders
from transformer_book.storage import write_file

LIST_FILE = "files.json"  # beside the models: the SHA-256 of each file, by its name


def fetch_models(folder_address: str) -> None:
    """Fetch the models, unless a folder of them is on this machine; if that fails, say so.

    Without them, a page trains its model where it is first asked for.

    Parameters
    ----------
    folder_address : str
        Of the published folder, with a slash at its end.
    """
    import requests  # slow to import, and needed here alone

    folders = model_folders()
    if any((folder / LIST_FILE).is_file() for folder in folders):
        return
    if any(any(folder.glob("*.safetensors")) for folder in folders):
        return  # of a build, or trained here

    def download(file_name: str) -> bytes:
        answer = requests.get(folder_address + file_name, timeout=TIMEOUT_SECONDS)
        answer.raise_for_status()
        return answer.content

    try:
        listed = download(LIST_FILE)
        for name, digest in json.loads(listed).items():
            content = download(name)
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError(f"{name} has the wrong hash")
            write_file(folders[-1] / name, content)
        write_file(folders[-1] / LIST_FILE, listed)  # last: now all of them are there
    except (OSError, ValueError) as error:
        print(
            f"The trained model could not be fetched ({type(error).__name__}), so this page trains it: "
            "about two minutes on two cores."
        )
