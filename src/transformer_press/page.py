"""What a chapter needs to speak to its page: values for prose, source code, and its own run time."""

import ast
import inspect
import os
import platform
import textwrap
import time

import numpy as np
from IPython.display import Markdown, display

# MyST-NB's name for an output that is stored for the prose and not shown where it arises.
_STORED = "application/papermill.record/text/plain"
_started = time.perf_counter()


def glue(**values):
    """Store values under their names, for ``{glue:text}`` in the prose of the page.

    Parameters
    ----------
    **values : number or str
        What the prose will quote. NumPy and torch scalars become Python numbers.

    Raises
    ------
    TypeError
        If a value is not a single number or a string.
    """
    for name, value in values.items():
        if np.ndim(value) == 0 and hasattr(value, "item"):
            value = value.item()
        if not isinstance(value, (str, int, float)):
            raise TypeError(
                f"glue: {name} is a {type(value).__name__}; expected one number or a string. "
                "Glue its parts under names of their own."
            )
        display(
            {_STORED: repr(value)},
            raw=True,
            metadata={
                "scrapbook": {
                    "name": name,
                    "mime_prefix": "application/papermill.record/",
                }
            },
        )


def show(text, first="", then="    ", end=""):
    """Print a long line in several.

    Parameters
    ----------
    text : str
    first, then : str
        What stands before the first line, and before each of the others.
    end : str
        What stands behind each line but the last, such as a shell's backslash.
    """
    lines = textwrap.wrap(
        text, 78, initial_indent=first, subsequent_indent=then, break_on_hyphens=False
    )
    print(f"{end}\n".join(lines))


def source(item):
    """Show the source of a function or class, its docstrings cut to their first lines.

    The whole docstrings stand on the page of the package.
    """
    item = inspect.unwrap(item)
    text = textwrap.dedent(inspect.getsource(item))
    lines = text.splitlines()
    documented = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node)
    ]
    for node in sorted(documented, key=lambda node: -node.lineno):
        first = node.body[0]
        end = first.end_lineno or first.lineno
        if end > first.lineno:
            lines[first.lineno - 1] = lines[first.lineno - 1].rstrip() + '"""'
            del lines[first.lineno : end]
    return Markdown("```python\n" + "\n".join(lines) + "\n```")


def ran():
    """Say how long this page's code has run so far, and on what."""
    seconds = time.perf_counter() - _started
    return Markdown(
        f"*The code of this page ran in {seconds:.1f} s, on {os.cpu_count()} cores, "
        f"with Python {platform.python_version()}.*"
    )
