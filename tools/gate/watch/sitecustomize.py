"""Report each file of this checkout that a stage's processes read and the stage does not declare.

Python imports a module of this name when it starts. The gate puts this folder on the PYTHONPATH of a
stage whose verdict it keeps, so the tests have the hook, and so has every Python that they start. A
test that read an undeclared file would count as passed after that file has changed.

Two things are not seen: a question whether a file exists, and a file that a library opens outside
Python. Another program than Python is not seen either, so a stage declares the ones that it starts.
"""

import os
import sys

ROOT_VARIABLE = "TRANSFORMER_BOOK_WATCHED"  # the checkout
DECLARED_VARIABLE = "TRANSFORMER_BOOK_DECLARED"  # files and folders in it, and programs
REPORT_VARIABLE = "TRANSFORMER_BOOK_UNDECLARED"  # the file that reports go to
READ_EVENTS = {"open", "os.listdir", "os.scandir"}
START_EVENTS = {"subprocess.Popen", "os.posix_spawn", "os.exec"}
BUILD_FOLDERS = ("_build", "node_modules")  # what git ignores is no part of "."
# Programs that read no file of ours; libraries look for others with the last four.
HARMLESS_PROGRAMS = ("uname", "fc-list", "ldconfig", "gcc", "cc", "ld")
TOOL_CACHE_FOLDERS = (".pytest_cache", ".hypothesis", ".mypy_cache", ".ruff_cache")
HOOK_FOLDER = os.path.dirname(os.path.abspath(__file__))


def source_path_of_compiled(compiled_path: str) -> str:
    """Return the source of what Python has compiled; any other path as it is."""
    folder, name = os.path.split(compiled_path)
    if os.path.basename(folder) != "__pycache__":
        return compiled_path
    return os.path.join(os.path.dirname(folder), name.split(".")[0] + ".py")


def is_declared(path, declared_paths):
    """Return whether a path below the root is a declared file, or in a declared folder."""
    first = path.split(os.sep)[0]
    if first in TOOL_CACHE_FOLDERS or (
        "." in declared_paths and first not in BUILD_FOLDERS
    ):
        return True
    return any(
        path == name or path.startswith(name + os.sep) for name in declared_paths
    )


def starts_watched_python(program_name: str, arguments, environment) -> bool:
    """Return whether a program is a Python that has this hook as well."""
    variables = os.environ if environment is None else environment
    folders = os.fsdecode(variables.get("PYTHONPATH", "")).split(os.pathsep)
    isolated = {"-I", "-E", "-S"} & {*map(str, arguments[1:])}
    return program_name.startswith("python") and HOOK_FOLDER in folders and not isolated


class AuditHook:
    """The hook: every path is looked at once."""

    def __init__(self, root, declared_paths, report_path):
        self.root, self.declared, self.report = (
            root + os.sep,
            declared_paths,
            report_path,
        )
        self.seen = set()
        self.prefix = sys.prefix + os.sep

    def __call__(self, event_name, arguments):
        if event_name in READ_EVENTS:
            self.check_read(event_name, arguments[0])
        elif event_name in START_EVENTS:
            self.check_start(event_name, arguments)

    def check_read(self, event_name: str, path):
        if not isinstance(path, str | bytes) or path in self.seen:
            return
        path = os.fsdecode(path)
        full = os.path.abspath(path)
        if full in self.seen or _is_harmless_read(event_name, path):
            return
        self.seen.add(full)
        if full.startswith(self.prefix) or not full.startswith(self.root):
            return
        below = source_path_of_compiled(full)[len(self.root) :]
        if not is_declared(below, self.declared) and os.path.exists(full):
            self.report_line(f"reads {below}")

    def check_start(self, event_name, arguments):
        program = os.path.basename(os.fsdecode(arguments[0]))
        environment = arguments[3 if event_name == "subprocess.Popen" else 2]
        if program in (*HARMLESS_PROGRAMS, *self.declared, *self.seen):
            return
        if not starts_watched_python(program, arguments[1], environment):
            self.seen.add(program)
            self.report_line(f"starts {program}, whose files nobody sees")

    def report_line(self, sentence: str):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        with open(self.report, "a", encoding="utf-8") as report:
            report.write(f"{test or ' '.join(sys.argv[:1])} {sentence}\n")


def _is_harmless_read(event_name, path):
    """Whether a search lists a folder, and opens what matters in it, or a folder is removed."""
    code = sys._getframe(3).f_code
    caller = code.co_filename.replace(os.sep, "/")
    if event_name == "open":  # the names in a folder that is removed are relative to it
        return caller.endswith("/shutil.py") and code.co_name.startswith("_rmtree")
    return "importlib" in caller or "/_pytest/" in caller


if os.environ.get(ROOT_VARIABLE):
    sys.addaudithook(
        AuditHook(
            os.environ[ROOT_VARIABLE],
            os.environ[DECLARED_VARIABLE].split(os.pathsep),
            os.environ[REPORT_VARIABLE],
        )
    )
