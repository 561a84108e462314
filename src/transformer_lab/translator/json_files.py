"""JSON files of a translator's folder: what it learned from, its words, how it went."""

import json
from pathlib import Path

from transformer_book.storage import StorageError


def read_json(
    folder, file_name: str, required_keys, expected_content: str, remedy: str
) -> dict:
    """Return what a JSON file of a folder holds: these keys, and perhaps more.

    Parameters
    ----------
    folder : path-like
    file_name : str
        Of the file.
    required_keys : iterable of str
        What it must have.
    expected_content, remedy : str
        For the error: what the folder should hold, and what to do, a sentence.

    Returns
    -------
    dict

    Raises
    ------
    StorageError
        If the file is missing, no JSON, or lacks a key.
    """
    try:
        content = json.loads(Path(folder, file_name).read_text("utf-8"))
        return content | {key: content[key] for key in required_keys}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise StorageError(
            f"{folder} holds no {expected_content}: {file_name} cannot be used "
            f"({type(error).__name__}: {error}). {remedy}"
        ) from error
