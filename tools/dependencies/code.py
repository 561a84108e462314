"""A piece of code, read and not run: what it names, calls and imports, and what it defines."""

import ast
from collections.abc import Iterable
from functools import cached_property

from IPython.core.inputtransformer2 import TransformerManager

MAIN_TEST_DUMP = ast.dump(ast.parse('__name__ == "__main__"', mode="eval").body)
EFFECTLESS_STATEMENT_TYPES = (
    ast.Import,
    ast.ImportFrom,
    ast.FunctionDef,
    ast.ClassDef,
    ast.Assert,
    ast.Pass,
)


def dotted_name_parts(node: ast.AST) -> list[str]:
    """The names in ``a.b.c``, from the left; none for anything else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def iterate_dotted_names(tree: ast.AST):
    """Yield each ``a.b.c`` in a piece of code, as its node and its names; not ``a.b`` again."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if names := dotted_name_parts(node):
            yield node, names
        else:
            waiting.extend(ast.iter_child_nodes(node))


def statements_at_import(tree: "ast.Module | Code"):
    """Yield the statements that run when a module is imported."""
    waiting = list(tree.body)
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.If) and ast.dump(statement.test) == MAIN_TEST_DUMP:
            continue
        yield statement
        for part in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.Try):
                waiting.extend(getattr(statement, part, ()))
        for handler in getattr(statement, "handlers", ()):
            waiting.extend(handler.body)


def statement_has_effects(statement: ast.stmt) -> bool:
    """Whether a statement at import does more than give names to values."""
    if isinstance(statement, ast.AnnAssign):
        return _changes_object(statement.target)
    if isinstance(statement, ast.Assign):
        return any(map(_changes_object, statement.targets))
    if isinstance(statement, ast.Expr):
        return not isinstance(statement.value, ast.Constant)
    return not isinstance(statement, (*EFFECTLESS_STATEMENT_TYPES, ast.If, ast.Try))


def _changes_object(target: ast.AST) -> bool:
    inner = ast.walk(target)
    return any(isinstance(node, ast.Attribute | ast.Subscript) for node in inner)


def defined_names(statements: Iterable[ast.stmt]) -> set[str]:
    """The names that these statements define other than by an import."""
    names = set()
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif not isinstance(statement, ast.Import | ast.ImportFrom | ast.If | ast.Try):
            inner = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            names |= {node.id for node in inner if isinstance(node.ctx, ast.Store)}
    return names


class Code:
    """A piece of code, and what stands in it."""

    def __init__(self, tree):
        self.body = tree.body
        self.nodes = list(ast.walk(tree))
        self.dotted_names = list(iterate_dotted_names(tree))
        calls = (node for node in self.nodes if isinstance(node, ast.Call))
        self.call_arguments = {id(call.func): call.args for call in calls}
        self.imports: list[ast.Import | ast.ImportFrom] = [
            node for node in self.nodes if isinstance(node, ast.Import)
        ]
        self.imports += [
            node for node in self.nodes if isinstance(node, ast.ImportFrom)
        ]

    @cached_property
    def ast_dump(self) -> str:
        """The code without comments and layout."""
        return ast.dump(ast.Module(self.body, []))

    @cached_property
    def identifiers(self) -> set[str]:
        """All names and attributes that are used or imported."""
        kinds = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name"}
        dotted = [
            getattr(node, kinds[type(node)])
            for node in self.nodes
            if type(node) in kinds
        ]
        dotted += [getattr(node, "module", None) or "" for node in self.imports]
        return {part for name in dotted for part in name.split(".")}

    @cached_property
    def strings(self) -> list[str]:
        """All strings that are no docstrings."""
        docstrings = {
            id(node.value) for node in self.nodes if isinstance(node, ast.Expr)
        }
        constants = [node for node in self.nodes if isinstance(node, ast.Constant)]
        values = [node.value for node in constants if id(node) not in docstrings]
        return [value for value in values if isinstance(value, str)]


def parse_cells(cell_sources: Iterable[str]) -> Code | None:
    """Read cells as IPython would run them; None where they are no Python."""
    transform = TransformerManager().transform_cell
    try:
        return Code(ast.parse("\n".join(map(transform, cell_sources))))
    except SyntaxError:
        return None
