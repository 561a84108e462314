"""A book of two small pages, built by the book's own tools."""

import os
import shutil
import subprocess
import sys

import pytest
import yaml

from tools import ROOT

FRONT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""
FIRST = (
    FRONT
    + """\
# First

The sum is {glue:text}`total:.1f`, says {cite:t}`vaswani2017`, and $\\Q\\K^T$.
See [the second](part/second.md).

```{code-cell} ipython3
from transformer_press import page
total = 1 + 1
print("sum", total)
```

```{code-cell} ipython3
:tags: [remove-cell]
page.glue(total=total)
```

```{exercise} Add more
:label: ex-first-add

Add three.
```

```{solution-start} ex-first-add
:class: dropdown
```

Like this.

```{code-cell} ipython3
print(total + 3)
```

```{solution-end}
```
"""
)
SECOND = (
    FRONT
    + """\
# Second

```{code-cell} ipython3
print("second")
```

```{bibliography}
```
"""
)


EXECUTE = """
from pathlib import Path
from tools.pages.run_pages import update_outputs
from tools.pages.cache_keys import CacheKeys
root, build = Path.cwd(), Path.cwd() / "_build"
update_outputs(root, build, CacheKeys(root, build))
"""


class Project:
    def __init__(self, root):
        self.root = root
        self.html = root / "_build" / "html"
        self.reset()

    def reset(self):
        """Lay every source file anew, and keep _build."""
        root = self.root
        for name in ("tools", "src", "book"):
            shutil.rmtree(root / name, ignore_errors=True)
        for name in ("tools", "src/transformer_lab/records", "book/_static"):
            shutil.copytree(ROOT / name, root / name)
        for name in ("_config.yml", "requirements.txt", "book/references.bib"):
            (root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        toc = {
            "format": "jb-book",
            "root": "first",
            "parts": [{"caption": "Part", "chapters": [{"file": "part/second"}]}],
        }
        (root / "_toc.yml").write_text(yaml.safe_dump(toc), "utf-8")
        self.write("first", FIRST)
        self.write("part/second", SECOND)

    def write(self, name, text):
        path = self.root / "book" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def package(self, **modules):
        """Give the project a package "small" of these modules."""
        folder = self.root / "src" / "small"
        folder.mkdir(exist_ok=True)
        for name in ("__init__", *modules):
            (folder / f"{name}.py").write_text(modules.get(name, ""), "utf-8")

    def path(self):
        """Where the pages find packages: in the project, then where these tests do."""
        known = os.environ.get("PYTHONPATH", "")
        return os.pathsep.join(filter(None, [str(self.root / "src"), known]))

    def edit(self, name, old, new):
        path = self.root / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def build(self, *command, **environment):
        return subprocess.run(
            [sys.executable, *(command or ("-m", "tools.book", "--draft"))],
            cwd=self.root,
            # What another test has built would be taken from the store.
            env=os.environ
            | {"PYTHONPATH": self.path(), "TRANSFORMER_BOOK_STORE": "off"}
            | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    def built(self, *command, **environment):
        """Build, insist that it worked, and return the pages that were run."""
        result = self.build(*command, **environment)
        assert result.returncode == 0, result.stdout + result.stderr
        lines = [
            line.split("] ")[1] for line in result.stdout.splitlines() if "] " in line
        ]
        return {line.split(":")[0] for line in lines}

    def ran(self, **environment):
        """The same for the build's first half, which makes no pages and takes a third."""
        return self.built("-c", EXECUTE, **environment)

    def page(self, name):
        return (self.html / f"{name}.html").read_text("utf-8")


@pytest.fixture(scope="session")
def shared_project(tmp_path_factory):
    return Project(
        tmp_path_factory.mktemp("builds") / "book of tests"
    )  # with spaces, as many have


@pytest.fixture(scope="session")
def again(shared_project, tmp_path_factory):
    """Lay the project as it was once made: a build takes seconds, and a copy of it a moment.

    The copy goes to where the build was, with its times, so it is as good as built anew.
    """
    kept = tmp_path_factory.mktemp("kept")

    def lay(name, make):
        root = shared_project.root
        if not (kept / name).exists():
            shutil.rmtree(root)
            root.mkdir()
            shared_project.reset()
            make(shared_project)
            shutil.copytree(root, kept / name)
        else:
            shutil.rmtree(root)
            shutil.copytree(kept / name, root)
        return shared_project

    return lay


@pytest.fixture
def built(again):
    """The small book, as it is above, built."""
    return again("small book", Project.built)
