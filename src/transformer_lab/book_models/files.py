"""The files of a model that the book trains: weights, and records of JSON beside them."""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_book.data.downloads import cache_folder
from transformer_book.storage import StorageError, write
from transformer_book.train.history import History

# The folder in which the build of the book keeps its models; without it, the user's cache.
FOLDER_SETTING = "TRANSFORMER_BOOK_MODEL"


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model of the book, under a name that changes with what makes it.

    Parameters
    ----------
    kind : str
        What the names of all its files begin with.
    makings : str
        All settings and sentences that decide the weights, as text.
    """

    kind: str
    makings: str

    @property
    def weights(self) -> Path:
        """The file of weights, in the folder of ``TRANSFORMER_BOOK_MODEL`` or the user's cache."""
        folder = os.environ.get(FOLDER_SETTING) or cache_folder() / "model"
        key = hashlib.sha256(self.makings.encode()).hexdigest()[:16]
        return Path(folder) / f"{self.kind}-{key}.safetensors"

    def beside(self, ending) -> Path:
        """Return the file of another ending, such as ".json"."""
        return self.weights.with_suffix(ending)

    def write_training(self, ending, history, **answers):
        """Write a history, and what the model answered on the way, as the steps came.

        Parameters
        ----------
        ending : str
        history : History
            Without its seconds in the file, so that the same run writes the same bytes.
        **answers : dict of int to what JSON knows
            By step, under one name.

        Raises
        ------
        StorageError
            If the file cannot be written.
        """
        losses = asdict(history) | {"seconds": 0.0}
        record = json.dumps({"history": losses, **answers})
        write(self.beside(ending), record.encode())

    def read_training(self, ending, name):
        """Return the history of a training, and what the model answered, by step.

        Parameters
        ----------
        ending, name : str
            As they were written.

        Raises
        ------
        OSError, ValueError, KeyError
            If there is no such file, or it is damaged.
        """
        record = json.loads(self.beside(ending).read_text("utf-8"))
        answers = {int(step): answer for step, answer in record[name].items()}
        return History(**record["history"]), answers

    def remove_older(self):
        """Remove files of this kind of model that belong to other settings or sentences."""
        weights = self.weights
        for path in weights.parent.glob(f"{self.kind}-*"):
            if not path.name.startswith(weights.stem):
                path.unlink(missing_ok=True)


def load_or_train(load, train):
    """Return what ``load`` reads from files; where they are missing or damaged, train first.

    Parameters
    ----------
    load, train : callable
        Of no arguments. ``train`` writes what ``load`` reads.

    Raises
    ------
    StorageError
        If the files that ``train`` makes cannot be written.
    """
    try:
        return load()
    except (StorageError, OSError, ValueError, KeyError, TypeError):
        train()
        return load()
