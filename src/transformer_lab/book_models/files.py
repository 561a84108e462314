"""The files of a model that the book trains: weights, and records of JSON beside them."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from transformer_book.model_folders import MODEL_FOLDER_VARIABLE, model_file_path
from transformer_book.storage import StorageError, write_file
from transformer_book.train.history import History

__all__ = ["MODEL_FOLDER_VARIABLE", "ModelFiles", "load_or_train"]


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model of the book, under a name that changes with what makes it.

    Parameters
    ----------
    name_prefix : str
        What the names of all its files begin with.
    makings : str
        All settings and sentences that decide the weights, as text.
    """

    name_prefix: str
    makings: str

    @property
    def weights(self) -> Path:
        """The file of weights, in the first of the ``model_folders`` that has it, else the last."""
        key = hashlib.sha256(self.makings.encode()).hexdigest()[:16]
        return model_file_path(f"{self.name_prefix}-{key}.safetensors")

    def file_with_ending(self, ending: str) -> Path:
        """Return the file of another ending, such as ".json"."""
        return self.weights.with_suffix(ending)

    def write_training(self, ending: str, history: History, **answers) -> None:
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
        write_file(self.file_with_ending(ending), record.encode())

    def read_training(self, ending: str, answers_key: str) -> tuple[History, dict]:
        """Return the history of a training, and what the model answered, by step.

        Parameters
        ----------
        ending, answers_key : str
            As they were written.

        Raises
        ------
        OSError, ValueError, KeyError
            If there is no such file, or it is damaged.
        """
        record = json.loads(self.file_with_ending(ending).read_text("utf-8"))
        answers = {int(step): answer for step, answer in record[answers_key].items()}
        return History(**record["history"]), answers

    def remove_older_files(self) -> None:
        """Remove files of this kind of model that belong to other settings or sentences."""
        weights = self.weights
        for path in weights.parent.glob(f"{self.name_prefix}-*"):
            if not path.name.startswith(weights.stem):
                path.unlink(missing_ok=True)


def load_or_train(
    load: Callable[[], tuple], train: Callable[[], None], model_name: str
) -> tuple:
    """Return what ``load`` reads from files; where they are missing or damaged, train first.

    Parameters
    ----------
    load, train : callable
        Of no arguments. ``train`` writes what ``load`` reads.
    model_name : str
        Of the model, for the sentence that announces the training.

    Raises
    ------
    StorageError
        If the files that ``train`` makes cannot be written.
    """
    try:
        return load()
    except (StorageError, OSError, ValueError, KeyError, TypeError):
        print(
            f"{model_name} is not on this machine yet, so it is trained now, once: about two minutes on two "
            "cores."
        )
        train()
        return load()
