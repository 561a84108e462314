"""The working lines of the package's own functions and classes, on a page that teaches them."""

import ast
import html
import inspect
import textwrap
from pathlib import Path

from IPython.display import Markdown

FUNCTION_NODES = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED_NODES = (ast.ClassDef, *FUNCTION_NODES)
# Decorators that a reader has to know of; the package's own only check arguments.
KEPT_DECORATORS = {"property", "staticmethod", "classmethod", "dataclass", "no_grad"}
CHECK_PREFIXES = ("check_", "_check", "expect")
LINE_WIDTH = 88
PACKAGES_FOLDER = "src"


def source(item) -> Markdown:
    """Show a function or class as its signature and the lines that do its work.

    Annotations, docstrings, checks of arguments and the decorators that check are left out; the full
    source unfolds below.

    Parameters
    ----------
    item : function or class

    Returns
    -------
    IPython.display.Markdown
        As the last line of a cell it shows itself.
    """
    item = inspect.unwrap(item)
    full = textwrap.dedent(inspect.getsource(item)).rstrip()
    working = working_lines(full)
    shown = f"```python\n{working}\n```"
    return Markdown(shown if working == full else shown + _fold_source(item, full))


def working_lines(code) -> str:
    """Return some source code without annotations, docstrings and checks, comments kept."""
    lines, edits = code.splitlines(), {}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, DOCUMENTED_NODES):
            first = _body_line_number(node, lines)
            edits[_first_line_number(node)] = (
                first - 1,
                _signature_lines(node, lines, code),
            )
        for statement in _working_statements(node):
            if _is_left_out(statement):
                begin = _first_comment_line_number(statement.lineno, lines)
                edits[begin] = statement.end_lineno, []
            elif _is_typed_attribute(statement):
                indent = " " * statement.col_offset
                value = ast.get_source_segment(code, statement.value)
                comment = lines[statement.end_lineno - 1][statement.end_col_offset :]
                plain = f"{indent}{ast.unparse(statement.target)} = {value}{comment}"
                edits[statement.lineno] = statement.end_lineno, [plain]
    for begin in sorted(edits, reverse=True):
        end, instead = edits[begin]
        lines[begin - 1 : end] = instead
    return "\n".join(_without_extra_blank_lines(lines))


def _working_statements(node):
    """Return the statements of a block that has one that does some work."""
    body = getattr(node, "body", [])
    if not isinstance(body, list) or all(map(_is_left_out, body)):
        return []
    return body


def _first_line_number(node) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _body_line_number(node, lines) -> int:
    """Return the number of the first line of a body, comments before its first statement included."""
    return _first_comment_line_number(node.body[0].lineno, lines)


def _first_comment_line_number(line_number, lines) -> int:
    """Return the number of the first of the comment lines right above a line."""
    while lines[line_number - 2].lstrip().startswith("#"):
        line_number -= 1
    return line_number


def _signature_lines(node, lines, code) -> list[str]:
    """Return the decorators that matter, and the signature without annotations."""
    indent = " " * node.col_offset
    meant = [one for one in node.decorator_list if _last_name(one) in KEPT_DECORATORS]
    decorators = [f"{indent}@{ast.unparse(one)}" for one in meant]
    if isinstance(node, ast.ClassDef):
        return [*decorators, lines[node.lineno - 1]]
    listed = _arguments_text(node.args, code)
    signature = f"{indent}def {node.name}({listed}):"
    if len(signature) <= LINE_WIDTH:
        return [*decorators, signature]
    inner = f"{indent}    "
    wrapped = textwrap.wrap(
        listed, LINE_WIDTH, initial_indent=inner, subsequent_indent=inner
    )
    return [*decorators, f"{indent}def {node.name}(", *wrapped, f"{indent}):"]


def _arguments_text(arguments, code) -> str:
    """Return the arguments as they are written, without annotations."""

    def verbatim_default(default):
        return default and ast.Name(ast.get_source_segment(code, default) or "")

    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    arguments.defaults = [*map(verbatim_default, arguments.defaults)]
    arguments.kw_defaults = [*map(verbatim_default, arguments.kw_defaults)]
    return ast.unparse(arguments)


def _last_name(node) -> str:
    """Return the last part of a name that may be dotted and called, as no_grad of torch.no_grad()."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_left_out(statement) -> bool:
    """Return whether a statement documents, checks, or tells a type."""
    match statement:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Assert():
            return True
        case ast.Expr(value=ast.Call() as call):
            return _last_name(call).startswith(CHECK_PREFIXES)
        case ast.If(body=[ast.Raise()], orelse=[]):
            return True
        case ast.If(orelse=[]) | ast.For(orelse=[]):
            return all(map(_is_left_out, statement.body))
    return False


def _is_typed_attribute(statement) -> bool:
    """Return whether a statement gives an attribute a value, and says of which type it is."""
    match statement:
        case ast.AnnAssign(target=ast.Attribute(), value=ast.expr()):
            return True
    return False


def _without_extra_blank_lines(lines):
    """Yield lines, without blank ones at the beginning of a block and more than one in a row."""
    before = ":"
    for line in lines:
        if line.strip() or (before.strip() and not before.endswith(":")):
            yield line
        before = line


def _fold_source(item, full_source) -> str:
    """Return the full source, unfolded by a click, as HTML that Markdown leaves alone."""
    path = Path(inspect.getsourcefile(item) or "").as_posix()
    place = (
        path.partition(f"/{PACKAGES_FOLDER}/")[2]
        or path.rpartition("site-packages/")[2]
    )
    code = html.escape(full_source, quote=False)
    # An element that begins a line ends with a blank one; a <pre> goes on to its end.
    return (
        '\n\n<details class="tb-more">\n<summary>The full source, with its checks: '
        f"<code>{html.escape(place)}</code></summary>\n\n<pre>\n{code}\n</pre>\n\n</details>"
    )
