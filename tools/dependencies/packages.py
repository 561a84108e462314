"""Which modules of ours a piece of code uses: read as Python would find them, nothing imported.

A name that a package passes on, such as ``figures.heat_map``, leads to the module that defines it
and to all that this module uses. A package used in any other way, ``nn.__all__`` or
``getattr(nn, name)`` or ``import *``, counts with all that is in it.

Not seen is a module that changes another by a decorator or a call on the right of an assignment
when it is imported. One with any other statement that acts then counts for all who import it.
"""

import ast
import re
from functools import lru_cache

from .code import Code, defined_names, statement_has_effects, statements_at_import

IMPORT_FUNCTION_NAMES = {"import_module", "run_module", "__import__"}
EXECUTION_FUNCTION_NAMES = {
    "exec",
    "eval",
}  # as functions; a model's "eval" is another matter


class Packages:
    """The packages in a folder. Lookups are cached: the folder is read once."""

    def __init__(self, folder):
        self.folder, self.paths = folder, {}
        for path in sorted(folder.rglob("*.py")):
            name = ".".join(path.relative_to(folder).with_suffix("").parts)
            self.paths[name.removesuffix(".__init__")] = path
        tops = "|".join(sorted({name.split(".")[0] for name in self.paths}))
        self.mention = re.compile(rf"\b(?:{tops})(?:\.\w+)+" if tops else "(?!)")
        # Many pages ask the same of a module.
        for name in (
            "source_text",
            "parse_module",
            "defining_modules",
            "used_modules",
            "closure",
            "imported_modules",
            "has_effects",
        ):
            setattr(self, name, lru_cache(None)(getattr(self, name)))

    def source_text(self, module: str) -> str:
        return self.paths[module.partition(":")[0]].read_text("utf-8")

    def parse_module(self, module: str) -> Code:
        """Read a module, or, of ``package:name``, one function in a package's ``__init__``."""
        try:
            tree = ast.parse(self.source_text(module))
        except (
            SyntaxError
        ):  # acts at import: whoever imports it has to run, and to fail
            tree = ast.parse(f"broken({self.source_text(module)!r})")
        if name := module.partition(":")[2]:
            tree.body = [n for n in tree.body if getattr(n, "name", None) == name]
        return Code(tree)

    def is_package(self, module: str) -> bool:
        return self.paths[module].name == "__init__.py"

    def module_and_submodules(self, module: str) -> set[str]:
        """Everything in a package; a module is alone."""
        return {name for name in self.paths if f"{name}.".startswith(f"{module}.")}

    def import_bindings(self, nodes, module: str = ""):
        """What imports among the nodes bind: {name: [[module, *names in it]]}.

        A relative import outside the packages binds nothing of theirs.
        """
        bindings, module = {}, module.partition(":")[0]
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    first = alias.asname or alias.name.split(".")[0]
                    target = alias.name if alias.asname else first
                    bindings.setdefault(first, []).append([target])
            elif isinstance(node, ast.ImportFrom) and (module or not node.level):
                base = [node.module] if node.module else []
                if node.level:
                    up = node.level - self.is_package(module)
                    base = module.split(".")[: module.count(".") + 1 - up] + base
                for alias in node.names:
                    name = alias.asname or alias.name
                    bindings.setdefault(name, []).append([".".join(base), alias.name])
        return bindings

    def defining_modules(self, name_parts: tuple[str, ...]) -> set[str]:
        """Return the modules that define ``a.b.c``; all of a package if the package itself is meant."""
        module, attributes = name_parts[0], list(name_parts[1:])
        while (
            module not in self.paths
            and attributes
            and self.module_and_submodules(module)
        ):
            module = f"{module}.{attributes.pop(0)}"  # a folder without __init__
        while True:
            if module not in self.paths or not attributes:
                return self.module_and_submodules(module)
            if not self.is_package(module):
                return {module}
            top, name = (
                list(statements_at_import(self.parse_module(module))),
                attributes.pop(0),
            )
            if name in (defined_here := defined_names(top)):
                return {module}
            targets = self.import_bindings(top, module).get(name, [])
            if targets and targets != [[module, name]]:
                return set().union(
                    *(
                        self.defining_modules((*target, *attributes))
                        for target in targets
                    )
                )
            if f"{module}.{name}" not in self.paths:
                if "__getattr__" in defined_here and not name.startswith("__"):
                    lazy = f"{module}:__getattr__"
                    return {lazy, *self.used_modules(lazy)}
                return self.module_and_submodules(module)
            module = f"{module}.{name}"

    def used_modules(self, module: str) -> set[str]:
        """Return the modules whose names stand in a module."""
        return self.modules_used_by(self.parse_module(module), module)

    def modules_used_by(self, code: Code, module: str = "") -> set[str]:
        """Return the modules whose names stand in a piece of code."""
        bound, named = self.import_bindings(code.imports, module), set()
        used_names = {
            tuple(mention.split(".")) for mention in self.mentioned_names(code.strings)
        }
        for _, (first, *names) in code.dotted_names:
            named.add(first)
            used_names |= {(*target, *names) for target in bound.get(first, ())}
        for first in bound.keys() - named:  # passed on to others
            used_names |= set(map(tuple, bound[first]))
        called = {
            n[0] for node, n in code.dotted_names if id(node) in code.call_arguments
        }
        if (
            IMPORT_FUNCTION_NAMES & code.identifiers
            or EXECUTION_FUNCTION_NAMES & called
        ):
            return set(self.paths)
        return set().union(*map(self.defining_modules, used_names))

    def mentioned_names(self, texts: list[str]) -> list[str]:
        return [name for text in texts for name in self.mention.findall(text)]

    def closure(self, module: str) -> set[str]:
        """Return a module and all that it uses, and what these use."""
        reached, waiting = set(), {module}
        while waiting:
            reached.add(module := waiting.pop())
            waiting |= self.used_modules(module) - reached
        return reached

    def imported_modules(self, module: str) -> set[str]:
        """Return the modules that the imports in a module run, and the packages that these are in."""
        return self.modules_imported_by(self.parse_module(module), module)

    def modules_imported_by(self, code: Code, module: str = "") -> set[str]:
        bound = self.import_bindings(code.imports, module)
        plain = [node for node in code.imports if isinstance(node, ast.Import)]
        dotted = [".".join(target) for targets in bound.values() for target in targets]
        dotted += [alias.name for node in plain for alias in node.names]
        parts = [name.split(".") for name in dotted]
        prefixes = {
            ".".join(part[:end]) for part in parts for end in range(1, len(part) + 1)
        }
        return prefixes & self.paths.keys()

    def needed_modules(self, code: Code) -> set[str]:
        """Return all modules that a piece of code uses, with those that act when imported."""
        needed = set().union(*map(self.closure, self.modules_used_by(code)))
        run, waiting = set(), self.modules_imported_by(code)
        while waiting:
            run.add(module := waiting.pop())
            waiting |= self.imported_modules(module) - run
        return needed.union(*map(self.closure, filter(self.has_effects, run)))

    def has_effects(self, module: str) -> bool:
        """Whether a module does more when imported than give names to values."""
        return any(
            map(statement_has_effects, statements_at_import(self.parse_module(module)))
        )
