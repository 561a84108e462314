"""The models that the book trains: once, before the pages that look at them.

A change in a figure trains nothing, because a model depends only on the code that trains it.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tools.cache.file_set import FileSet
from tools.dependencies import Dependencies

MODEL_FOLDER_VARIABLE = (
    "TRANSFORMER_BOOK_MODEL"  # the folder in which the laboratory keeps its models
)


@dataclass(frozen=True)
class TrainedModel:
    """A model that one function of the package trains, and keeps in files.

    Parameters
    ----------
    name : str
    module : str
        Where the function is. Pages that use the module use the model.
    function : str
    """

    name: str
    module: str
    function: str

    def is_defined_in(self, root: Path) -> bool:
        """Whether a project has the module: the small books of the tests have none."""
        return (
            (root / "src" / Path(*self.module.split("."))).with_suffix(".py").exists()
        )

    def is_current(self, build_folder: Path, key: str) -> bool:
        """Whether the build has the files of this model, undamaged and of this key."""
        return self._file_set(build_folder).is_current(key)

    def make(self, build_folder: Path, key: str, store):
        """Put the files of this model into the build: from the store, or by training it.

        Returns
        -------
        float
            The seconds that it took.

        Raises
        ------
        RuntimeError
            If the training fails.
        """
        start = time.perf_counter()
        self._file_set(build_folder).make(key, store, self._train)
        return time.perf_counter() - start

    def files_changed_by_retraining(self, build_folder) -> list:
        """Train again, elsewhere; return the names of the files that are not those of the build."""
        with tempfile.TemporaryDirectory() as folder:
            self._train(Path(folder))
            return [
                path.name
                for path in sorted(Path(folder).iterdir())
                if path.read_bytes()
                != (build_folder / "model" / path.name).read_bytes()
            ]

    def _train(self, target_folder: Path):
        """Train in another process, which writes into the folder."""
        code = f"import {self.module} as one; one.{self.function}()"
        process = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ
            | {MODEL_FOLDER_VARIABLE: str(target_folder), "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
        if process.returncode:
            raise RuntimeError(f"{self.name} was not trained.\n\n{process.stderr}")

    def _file_set(self, build_folder: Path) -> FileSet:
        return FileSet(build_folder / "model", self.function)


TRAINED_MODELS = [
    TrainedModel(
        "the translator",
        "transformer_lab.book_models.grammar_translator",
        "translator",
    ),
    TrainedModel(
        "the language model",
        "transformer_lab.book_models.wikipedia_model",
        "language_model",
    ),
]


def models_used_by_cells(
    cell_sources: list[str], models: Iterable[TrainedModel], dependencies: Dependencies
) -> list:
    """Return those of the models that a page with these cells uses."""
    modules = dependencies.used_modules(cell_sources)
    return [model for model in models if model.module in modules]
