"""Keys: the hash of all that an output depends on. The same key means the same output."""

from functools import cached_property, partial
from pathlib import Path

from tools.cache.last_build import hash_environment, hash_sources
from tools.cache.memo import Memo
from tools.cache.store import hash_parts
from tools.dependencies import AUTODOC_DIRECTIVE, Dependencies
from tools.models import training

from . import book_pages
from .page_outputs import hash_code_cells


class CacheKeys:
    """The keys of a project as it is now. They are stored, because to follow imports takes seconds.

    Parameters
    ----------
    root, build_folder : pathlib.Path
        The project, and ``_build``.
    """

    def __init__(self, root, build_folder):
        self.root = root
        self.environment_key = hash_environment(root)
        # What the package says, and how the tools read it.
        self.code_key = hash_parts(
            self.environment_key, hash_sources(root, "src", "tools")
        )
        self.memo = Memo(build_folder / "keys.json")

    @cached_property
    def dependencies(self) -> Dependencies:
        return Dependencies(self.root / "src")

    def page_keys(self, page_path: Path):
        """Return the key of a page's code cells, and that of its outputs.

        A page that uses a trained model uses the code that trains it, which therefore counts.
        """
        text = page_path.read_text("utf-8")
        name = book_pages.page_name(page_path, self.root)
        compute = partial(self._compute_page_keys, name, page_path, text)
        return self.memo(name, hash_parts(self.code_key, text), compute)

    def _compute_page_keys(self, page_name, page_path, page_text) -> list:
        cells = book_pages.code_cell_sources(page_path)
        used = self.memo(
            f"{page_name}: used",
            hash_parts(self.code_key, *cells, str(AUTODOC_DIRECTIVE in page_text)),
            lambda: self.dependencies.digest(cells, page_text),
        )
        return [
            hash_code_cells(book_pages.read_notebook(page_path)),
            hash_parts(self.environment_key, *cells, used),
        ]

    def model_key(self, model: training.TrainedModel):
        """Return the key of the weights that the package trains."""
        cells = [f"from {model.module} import {model.function}\n{model.function}()"]
        return self.memo(
            model.name,
            self.code_key,
            lambda: hash_parts(self.environment_key, self.dependencies.digest(cells)),
        )

    def program_key(self, *modules):
        """Return the key of modules of ours outside the packages."""
        texts = [Path(module.__file__).read_text("utf-8") for module in modules]
        name = " ".join(module.__name__ for module in modules)
        return self.memo(
            name,
            hash_parts(self.code_key, *texts),
            lambda: hash_parts(
                self.environment_key, *texts, self.dependencies.digest(texts)
            ),
        )

    def models_of_page(self, page_path: Path, models):
        """Return those of the models that a page uses."""
        return training.models_used_by_cells(
            book_pages.code_cell_sources(page_path), models, self.dependencies
        )
