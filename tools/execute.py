"""Run every chapter that is not in the cache, as many at once as there are cores."""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from nbclient.exceptions import DeadKernelError

from transformer_press import times

from . import chapters
from .dependencies import Dependencies

# One thread per chapter: chapters share the cores, and sums do not depend on how many there are.
# Times are read from their records, so that two builds make the same pages.
KERNEL_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
KERNEL_ENVIRONMENT |= {times.SETTING: times.RECORDED}
ANSI = re.compile(
    r"\x1b\[[0-9;]*m"
)  # the colours of tracebacks and of Sphinx's warnings


class ChapterError(RuntimeError):
    """A cell of a chapter raised."""


def data_in_use():
    """Ask the package, in a process of its own, which corpus the chapters would get now."""
    code = "from transformer_book import data; print(data.fingerprint())"
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout


def environment_digest(root):
    """Hash what all outputs depend on: the versions and the data in use."""
    digest = hashlib.sha256(sys.version.encode())
    digest.update((root / "requirements.txt").read_bytes())
    digest.update(data_in_use().encode())
    return digest.hexdigest()


def key_of_code(root, *modules):
    """Hash modules outside the packages and all of the packages that they use."""
    texts = [Path(module.__file__).read_text("utf-8") for module in modules]
    used = Dependencies(root / "src").digest(texts)
    return environment_digest(root) + "".join(texts) + used


def keys(paths, root):
    """Hash for each chapter all that its outputs depend on beside its own cells.

    What uses a trained model depends on all that the chapter that trains it depends on.
    """
    environment, dependencies = environment_digest(root), Dependencies(root / "src")
    cells = {path: chapters.code(path) for path in paths}
    own = {
        path: environment + dependencies.digest(cells[path], path.read_text("utf-8"))
        for path in paths
    }
    makers, found = chapters.makers(paths), {}

    def key(path):
        if path not in found:
            made = [key(maker) + "\n".join(cells[maker]) for maker in makers[path]]
            text = own[path] + "\n".join(made)
            found[path] = hashlib.sha256(text.encode()).hexdigest()
        return found[path]

    return {path: key(path) for path in paths}


def run_one(path):
    """Execute one chapter; return the notebook, the seconds, and what went wrong, if anything."""
    notebook = chapters.read(path)
    try:
        result = single_nb_execution(
            notebook,
            cwd=str(path.parent),
            timeout=-1,
            allow_errors=False,
            coalesce_streams=True,  # else the kernel's timing decides how prints are cut in two
            extra_arguments=["--log-level=ERROR"],
        )
    except DeadKernelError:
        lost = f"{path.parent.name}/{path.name}: its kernel died; was there too little memory?"
        return notebook, 0.0, lost
    failure = (
        None if result.err is None else describe_failure(path, notebook, result.err)
    )
    return notebook, result.time, failure


def describe_failure(path, notebook, error):
    """Name the chapter, the cell, its line in the file, and show the traceback."""
    lines = notebook.metadata.get("source_map", [])
    chapter, error = f"{path.parent.name}/{path.name}", ANSI.sub("", str(error))
    number = 0
    for index, cell in enumerate(notebook.cells):
        number += cell.cell_type == "code"
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            line = f", from line {lines[index] + 1}" if index < len(lines) else ""
            return f"{chapter}: code cell {number}{line} raised.\n\n{error}"
    return f"{chapter}: {error}"


def execute(root, build, say=print):
    """Fill the cache; return the seconds each newly run chapter took, by name.

    Raises
    ------
    ChapterError
        Naming every chapter and cell that raised. Chapters that ran are kept in the cache.
    """
    # Made by one chapter for others.
    os.environ["TRANSFORMER_BOOK_MODEL"] = str(build / "model")
    build.mkdir(parents=True, exist_ok=True)
    cache = get_cache(build / ".jupyter_cache")
    now = keys([p for p in chapters.pages(root) if chapters.is_notebook(p)], root)
    waiting = [path for path, key in now.items() if key_of(path, cache) != key]
    if not waiting:
        say("Chapters: nothing to run, all outputs are up to date.")
        return {}
    return run(waiting, now, cache, root, build, say)


def key_of(path, cache):
    """The key under which the outputs of a chapter were made; None if there are none."""
    try:
        return cache.match_cache_notebook(chapters.read(path)).data.get("key")
    except KeyError:
        return None


def run(waiting, now, cache, root, build, say):
    """Run these chapters, fill the cache, and return the seconds each took, by name."""
    say(f"Chapters: {len(waiting)} to run, {os.cpu_count()} at a time.")
    began, seconds, failures = time.perf_counter(), {}, []
    os.environ.update(KERNEL_ENVIRONMENT)
    for path, (notebook, taken, failure) in _results(waiting):
        name = chapters.name(path, root)
        if failure:
            failures.append(failure)
            say(f"  {name}: failed")
            continue
        # It holds outputs too, and Sphinx looks only at the time of the chapter's own file.
        (build / ".doctrees" / f"{name}.doctree").unlink(missing_ok=True)
        cache.cache_notebook_bundle(
            CacheBundleIn(
                notebook, str(path), data={"execution_seconds": taken, "key": now[path]}
            ),
            check_validity=False,
            overwrite=True,
        )
        seconds[name] = round(taken, 1)
        say(f"  [{len(seconds)}/{len(waiting)}] {name}: {taken:.1f} s")
    _remember(build, seconds)
    if failures:
        raise ChapterError("\n\n".join(failures))
    say(f"Chapters: done in {time.perf_counter() - began:.0f} s.")
    return seconds


def _results(waiting):
    """Yield each chapter with what ``run_one`` returned, as they finish."""
    cores = os.cpu_count() or 1
    # On two cores a chapter of two threads next to another makes both slow.
    two = [path for path in waiting if chapters.has_tag(path, chapters.TWO_THREADS)]
    alone = two if cores <= 2 else []
    for path in alone:
        yield path, run_one(path)
    rest = [path for path in waiting if path not in alone]
    makers = chapters.makers(rest)
    trains = [path for path in rest if chapters.models(path, chapters.FIRST)]
    # What waits is handed out behind all that it waits for, so that no worker waits for ever.
    order = [
        *trains,
        *(path for path in rest if path not in trains and not makers[path]),
    ]
    order += [path for path in rest if path not in order]
    running = {}

    def run(path):
        wait([running[maker] for maker in makers[path]])
        return run_one(path)

    with ThreadPoolExecutor(
        cores
    ) as pool:  # each waits for a kernel, a process of its own
        for path in order:
            running[path] = pool.submit(run, path)
        paths = {future: path for path, future in running.items()}
        for future in as_completed(paths):
            yield paths[future], future.result()


def _remember(build, seconds):
    """Keep the last run time of every chapter, for the benchmark's table."""
    record = build / "seconds.json"
    known = json.loads(record.read_text()) if record.exists() else {}
    record.write_text(json.dumps(known | seconds, indent=1, sort_keys=True))
