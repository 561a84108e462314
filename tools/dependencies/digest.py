"""What a page's outputs depend on beside its cells: code of ours, and its files.

Comments and layout of code do not count, except where a page shows them.
"""

import ast
import hashlib
import inspect

from .code import Code, dotted_name_parts, parse_cells
from .packages import Packages

# A cell with one of these words may show any source, comments and all.
SOURCE_READING_WORDS = {
    "inspect",
    "linecache",
    "__file__",
    "__code__",
    "__path__",
    "__spec__",
}
SOURCE_READING_WORDS |= {
    "getsource",
    "help",
    "run_cell_magic",
    "run_line_magic",
    "system",
}
SOURCE_FUNCTION_NAME = "transformer_press.page.source"
# What reads records, by the module that they lie beside.
READERS_BY_RECORD_MODULE = {
    "transformer_lab.records": {
        f"transformer_lab.records.{name}" for name in ("load", "hypotheses", "names")
    },
    "transformer_press.times": {
        "transformer_press.page.measured",
        "transformer_press.times.measured",
    },
}
AUTODOC_DIRECTIVE = (
    "automodule::"  # Sphinx reads the package's docstrings into such a page
)


class Dependencies:
    """What pages depend on in the packages of a folder, as it is now."""

    def __init__(self, folder):
        self.packages = Packages(folder)

    def digest(self, cell_sources: list[str], prose: str = "") -> str:
        """Hash what outputs of these cells depend on, and what the prose documents."""
        code, packages = parse_cells(cell_sources), self.packages
        documented = AUTODOC_DIRECTIVE in prose
        modules = set(packages.paths) if documented else self._used_modules(code)
        digest = hashlib.sha256()
        for module in sorted(modules):
            digest.update(
                f"{module}\n{packages.parse_module(module).ast_dump}\n".encode()
            )
        for text in sorted(self.shown_sources(code, modules)):
            digest.update(f"{text}\n".encode())
        for path in self.data_files(code, modules):
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def used_modules(self, cell_sources: list[str]) -> set[str]:
        """Return the modules that these cells use; all of them where the cells are no Python."""
        return self._used_modules(parse_cells(cell_sources))

    def _used_modules(self, code: Code | None) -> set[str]:
        paths = self.packages.paths
        return set(paths) if code is None else self.packages.needed_modules(code)

    def references_to_our_code(self, code: Code, module: str = ""):
        """Yield each reference to code of ours: its node, and the full names."""
        bound = self.packages.import_bindings(code.imports, module)
        for node, names in code.dotted_names:
            for target in bound.get(names[0], ()):
                yield node, [*target, *names[1:]]

    def shown_sources(self, code: Code | None, modules: set[str]):
        """Return the texts that a page shows; of all modules where it is not clear which."""
        all_sources = {self.packages.source_text(module) for module in modules}
        if code is None or SOURCE_READING_WORDS & code.identifiers:
            return all_sources
        references, sources = list(self.references_to_our_code(code)), set()
        ours = {id(node): names for node, names in references}
        for node, names in references:
            if not f"{SOURCE_FUNCTION_NAME}.".startswith(f"{'.'.join(names)}."):
                continue
            passed = code.call_arguments.get(id(node), ())
            arguments = [inner for argument in passed for inner in ast.walk(argument)]
            texts = [
                self.source_of(ours[id(inner)])
                for inner in arguments
                if id(inner) in ours
            ]
            if not texts or None in texts:
                return all_sources
            sources.update(texts)
        return sources

    def source_of(self, name_parts: list[str]) -> str | None:
        """Return the text of a function or class; None if it may stand elsewhere."""
        packages = self.packages
        modules = sorted(packages.defining_modules(tuple(name_parts)))
        if not modules:
            return ""  # of a library, whose version counts
        if len(modules) > 1 or ":" in (module := modules[0]):
            return None
        code = packages.parse_module(module)
        bound = packages.import_bindings(code.imports, module)
        for node in code.body:
            if getattr(node, "name", None) in name_parts:
                ours = {
                    member.name
                    for member in code.body
                    if isinstance(member, ast.ClassDef)
                }
                ours |= {
                    name for name, targets in bound.items() if self._is_ours(targets)
                }
                bases = [
                    dotted_name_parts(base)[:1] for base in getattr(node, "bases", ())
                ]
                if any(not base or base[0] in ours for base in bases):
                    return None  # a method may be inherited from code of ours
                start = min(member.lineno for member in [node, *node.decorator_list])
                lines = packages.source_text(module).splitlines(keepends=True)
                return "".join(inspect.getblock(lines[start - 1 :]))
        return None

    def _is_ours(self, binding_targets: list[list[str]]) -> bool:
        return any(
            self.packages.module_and_submodules(first.split(".")[0])
            for first, *_ in binding_targets
        )

    def data_files(self, code: Code | None, modules: set[str]):
        """Return the files beside the modules; of the records only those that are loaded."""
        paths = self.packages.paths
        folders = {paths[module.partition(":")[0]].parent: module for module in modules}
        for folder, module in sorted(folders.items()):
            named = (
                self.loaded_record_names(code, modules, module)
                if module in READERS_BY_RECORD_MODULE
                else None
            )
            for path in sorted(folder.iterdir()):
                is_loaded = named is None or path.name.split(".")[0] in named
                if is_loaded and path.is_file() and path.suffix not in {".py", ".pyc"}:
                    yield path

    def loaded_record_names(self, code: Code | None, modules, records_module):
        """Return the names of a module's records in use; None if they are not all written out."""
        if code is None:
            return None
        users = [
            (self.packages.parse_module(m), m) for m in modules if m != records_module
        ]
        named = set()
        for user, module in [(code, ""), *users]:
            for node, names in self.references_to_our_code(user, module):
                name = ".".join(names)
                if any(
                    f"{reader}.".startswith(f"{name}.")
                    for reader in READERS_BY_RECORD_MODULE[records_module]
                ):
                    arguments = user.call_arguments.get(id(node), ())
                    if not arguments or not isinstance(arguments[0], ast.Constant):
                        return None
                    named.add(arguments[0].value)
        return named
