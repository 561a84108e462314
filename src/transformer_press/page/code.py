"""The source of the package's own functions and classes, on a page that teaches them."""

import ast
import html
import inspect
import textwrap

from IPython.display import Markdown

MORE = "What it takes, returns and raises"
DOCUMENTED = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def source(item):
    """Show the source of a function or class, its docstrings cut to their first lines.

    What the docstrings go on to say unfolds below: what it takes, returns and raises.

    Parameters
    ----------
    item : function or class

    Returns
    -------
    IPython.display.Markdown
        As the last line of a cell it shows itself.
    """
    text = textwrap.dedent(inspect.getsource(inspect.unwrap(item)))
    lines, more = text.splitlines(), []
    for node, name in reversed(list(_documented(ast.parse(text)))):
        first = node.body[0]
        end = first.end_lineno or first.lineno
        if end > first.lineno:
            lines[first.lineno - 1] = lines[first.lineno - 1].rstrip() + '"""'
            del lines[first.lineno : end]
            _, _, rest = (ast.get_docstring(node) or "").partition("\n")
            more.insert(0, (name, rest.strip("\n")))
    shown = "\n".join(["```python", *lines, "```"])
    return Markdown(shown + _unfolding(more) if more else shown)


def _documented(tree, inside=""):
    """Yield what has a docstring, with its name, from the top."""
    for node in tree.body:
        if isinstance(node, DOCUMENTED):
            name = f"{inside}{node.name}"
            if ast.get_docstring(node):
                yield node, name
            yield from _documented(node, f"{name}.")


def _unfolding(more):
    """Return texts under their names, unfolded by a click, as HTML that Markdown leaves alone."""
    named = len(more) > 1
    texts = [f"{name}\n\n{text}" if named else text for name, text in more]
    said = html.escape("\n\n\n".join(texts), quote=False)
    # An element that begins a line ends with a blank one; a <pre> goes on to its end.
    return (
        f'\n\n<details class="tb-more">\n<summary>{MORE}</summary>\n\n'
        f"<pre>\n{said}\n</pre>\n\n</details>"
    )
