"""What a cell says to the prose of its page, and to a reader who does not scroll sideways."""

import textwrap

import numpy as np
from IPython.display import display

# MyST-NB's name for an output that is stored for the prose and not shown where it arises.
_STORED_MIME_TYPE = "application/papermill.record/text/plain"


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
                "Glue each part under another name."
            )
        display(
            {_STORED_MIME_TYPE: repr(value)},
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
