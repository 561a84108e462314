"""Ask the package index whether the pins fit: ``python -m tools.gate.pins``; ``--write`` writes them.

uv resolves from the metadata that the public index publishes. It reads no wheel of this machine and
no setting of pip, and it installs nothing, so what one machine happens to have cannot hide a conflict.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from packaging.utils import canonicalize_name
from uv import find_uv_bin

from tools import ROOT

from . import omissions

UV_PROGRAM = (
    find_uv_bin()
)  # asked here, as Python's sysconfig is not safe for threads at first
PYTHON_VERSIONS = ("3.11", "3.12", "3.13")
UV_PLATFORM_BY_SYSTEM = {
    "Linux": "x86_64-unknown-linux-gnu",
    "macOS": "aarch64-apple-darwin",
    "Windows": "x86_64-pc-windows-msvc",
}
MACOS_VERSION = "15.0"  # the oldest that pikepdf still makes wheels for
# PyTorch's Linux wheels on the index want these of NVIDIA in exact versions; its CPU builds want none,
# and a pin would install them there. No machine of ours is Emscripten.
UNPINNED_REQUIREMENT = re.compile(r"(nvidia|cuda)-|.*sys_platform == 'emscripten'")
UNREACHABLE_INDEX_MESSAGES = ("Failed to fetch", "error sending request")
REQUIREMENTS_HEADER = """\
# Everything that "make book" and "make test" install, pinned for Python 3.11 to 3.13 on Linux, macOS and
# Windows. Ranges and reasons are in pyproject.toml; what PyTorch wants of CUDA is left to PyTorch.
# To add what is missing: .venv/bin/python -m tools.gate.pins --write
# To renew all: the same with --upgrade, or one: with --upgrade-package NAME.
""".splitlines()


class PinConflict(Exception):
    """The pins cannot be installed together, or do not cover what pyproject.toml asks for."""


class IndexUnreachable(Exception):
    """The index did not answer."""


def resolve_requirements(root, *uv_options) -> list:
    """Have uv resolve pyproject.toml, with the extra that builds and tests the book.

    Parameters
    ----------
    root : Path
        The folder of pyproject.toml.
    *uv_options : str
        More words for ``uv pip compile``.

    Returns
    -------
    list of str
        Requirements, one release each.

    Raises
    ------
    PinConflict, IndexUnreachable
    """
    command = [UV_PROGRAM, "pip", "compile", "--quiet", "--no-config", "--no-build"]
    command += ["--no-header", "--no-annotate"]
    command += ["--python", sys.executable, "--no-python-downloads"]
    command += ["pyproject.toml", "--extra", "book", *uv_options]
    # uv's settings could name another index, or wheels of this machine.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("UV_")
    } | {"MACOSX_DEPLOYMENT_TARGET": MACOS_VERSION}
    result = subprocess.run(
        command,
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if result.returncode and any(
        word in result.stderr for word in UNREACHABLE_INDEX_MESSAGES
    ):
        raise IndexUnreachable(result.stderr)
    if result.returncode:
        raise PinConflict(result.stderr.strip())
    return [line for line in result.stdout.splitlines() if "==" in line]


def package_names(requirement_lines: list[str]) -> set[str]:
    """Return the names of requirements, as the index spells them."""
    pins = [line for line in requirement_lines if line and line[0] not in "#- "]
    return {canonicalize_name(re.split(r"[\s=;\[]", line)[0]) for line in pins}


def find_pin_fault(root, python_version, system_name):
    """Return what is wrong with the pins for one Python on one system, or None."""
    options = ["requirements.txt", "--python-version", python_version]
    try:
        resolved = resolve_requirements(
            root, *options, "--python-platform", UV_PLATFORM_BY_SYSTEM[system_name]
        )
    except PinConflict as conflict:
        return f"The pins cannot be installed together.\n{conflict}"
    pinned = package_names((root / "requirements.txt").read_text("utf-8").splitlines())
    missing = [
        line
        for line in resolved
        if not UNPINNED_REQUIREMENT.match(line) and not package_names([line]) <= pinned
    ]
    if missing:
        return f"requirements.txt does not pin {', '.join(missing)}."
    return None


def find_pin_faults(root=ROOT) -> list:
    """Return what is wrong with the pins, and on which Pythons and systems."""
    places = [
        (python, system)
        for python in PYTHON_VERSIONS
        for system in UV_PLATFORM_BY_SYSTEM
    ]
    with ThreadPoolExecutor(3) as pool:
        messages = [*pool.map(lambda place: find_pin_fault(root, *place), places)]
    where = {message: [] for message in messages if message}
    for (python, system), message in zip(places, messages):
        if message:
            where[message].append(f"{python} on {system}")
    return [f"Python {', '.join(at)}: {message}" for message, at in where.items()]


def write_requirements(root, uv_options):
    """Write requirements.txt: pins that are there stay, unless an option of uv renews them."""
    target = root / "requirements.txt"
    universal = ("--universal", "--python-version", PYTHON_VERSIONS[0])
    resolve_requirements(root, *universal, "--output-file", str(target), *uv_options)
    resolved = target.read_text("utf-8").splitlines()
    pins = [line for line in resolved if line and not UNPINNED_REQUIREMENT.match(line)]
    target.write_text("\n".join([*REQUIREMENTS_HEADER, *pins, ""]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write requirements.txt")
    options, for_uv = parser.parse_known_args()
    if for_uv and not options.write:
        parser.error(f"{' '.join(for_uv)}: only --write passes words on to uv")
    try:
        if options.write:
            write_requirements(ROOT, for_uv)
        messages = find_pin_faults()
    except IndexUnreachable:
        omissions.note_omission(
            "pins: the package index did not answer, so nobody asked whether requirements.txt still "
            "fits; connect this machine to it, then try again."
        )
        return
    if messages:
        fix = "Mend pyproject.toml or run: python -m tools.gate.pins --write"
        sys.exit("\n".join([*messages, fix]))


if __name__ == "__main__":
    main()
