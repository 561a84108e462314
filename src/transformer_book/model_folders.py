"""Where the models that the book has trained are looked for."""

import os
from pathlib import Path

from .data.downloads import cache_folder

# The environment variable that names the folder in which the build of the book keeps its models.
MODEL_FOLDER_VARIABLE = "TRANSFORMER_BOOK_MODEL"


def model_folders() -> list[Path]:
    """Return the folders in which a trained model may be, as Paths; they need not exist.

    The setting ``TRANSFORMER_BOOK_MODEL`` names the only one. Without it they are the folders
    ``model`` beside the notebook or above it, as the book publishes them, ``_build/model`` of a
    checkout that the notebook is in, and at last the user's cache, where a new model is written.

    Returns
    -------
    list of pathlib.Path

    Raises
    ------
    DataError
        If this user has no cache.
    """
    if setting := os.environ.get(MODEL_FOLDER_VARIABLE):
        return [Path(setting)]
    here = Path.cwd()
    near = [
        above / name
        for above in (here, *here.parents)
        for name in ("model", "_build/model")
    ]
    return [*near, cache_folder() / "model"]


def model_file_path(file_name: str) -> Path:
    """Return where the file of a model is, or where it is to be written if there is none.

    Parameters
    ----------
    file_name : str

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DataError
        If this user has no cache.
    """
    folders = model_folders()
    folder = next(
        (each for each in folders if (each / file_name).is_file()), folders[-1]
    )
    return folder / file_name
