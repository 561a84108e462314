"""Run every page whose outputs nobody has yet, as many at once as there are cores."""

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError

from tools.cache.store import Store
from tools.machine import core_count
from tools.models import training
from transformer_press import times

from . import book_pages, page_outputs
from .kernels import WarmKernelManager
from .output_ledger import OutputLedger
from .page_outputs import PageOutputs

# One thread per page: pages share the cores, and sums do not depend on how many there are.
# Times are read from their records, so that two builds make the same pages.
KERNEL_ENVIRONMENT_VARIABLES = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
KERNEL_ENVIRONMENT_VARIABLES |= {times.TIMES_SETTING: times.RECORDED_VALUE}
# The colours of tracebacks and of Sphinx's warnings.
ANSI_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class PageError(RuntimeError):
    """A cell of a page raised, or gave another output than the same cell once gave."""


def set_kernel_environment(build_folder):
    """Set what the kernels are to find in their environment."""
    os.environ.update(
        KERNEL_ENVIRONMENT_VARIABLES,
        **{training.MODEL_FOLDER_VARIABLE: str(build_folder / "model")},
    )


def run_page(path, kernel_manager_class=WarmKernelManager) -> tuple:
    """Execute one page; return the notebook, the seconds, and what went wrong, if anything."""
    notebook = book_pages.read_notebook(path)
    client = NotebookClient(
        notebook,
        timeout=None,
        coalesce_streams=True,  # else the kernel's timing decides how prints are cut in two
        extra_arguments=["--log-level=ERROR"],
        kernel_manager_class=kernel_manager_class,
        resources={"metadata": {"path": str(path.parent)}},
    )
    began, failure = time.perf_counter(), None
    try:
        client.execute()
    except CellExecutionError as error:
        failure = describe_page_failure(path, notebook, error)
    except DeadKernelError:
        page = f"{path.parent.name}/{path.name}"
        failure = f"{page}: its kernel died; was there too little memory?"
    return notebook, time.perf_counter() - began, failure


def describe_page_failure(path, notebook, error) -> str:
    """Name the page, the cell, its line in the file, and show the traceback."""
    lines = notebook.metadata.get("source_map", [])
    page, error = f"{path.parent.name}/{path.name}", ANSI_COLOURS.sub("", str(error))
    number = 0
    for index, cell in enumerate(notebook.cells):
        number += cell.cell_type == "code"
        if any(output.output_type == "error" for output in cell.get("outputs", [])):
            line = f", from line {lines[index] + 1}" if index < len(lines) else ""
            return f"{page}: code cell {number}{line} raised.\n\n{error}"
    return f"{page}: {error}"


def update_outputs(root, build_folder, cache_keys, report_progress=print):
    """Get the outputs of every page: from the build, from the store, or by running the page.

    Parameters
    ----------
    root, build_folder : pathlib.Path
        The project, and ``_build``.
    cache_keys : Keys
    report_progress : callable
        Called with each line of progress.

    Returns
    -------
    list of pathlib.Path
        The pages that ran.

    Raises
    ------
    PageError
        Naming every page and cell that raised. The outputs of pages that ran are stored.
    OSError
        If outputs cannot be written, for example because the disk is full.
    """
    build_folder.mkdir(parents=True, exist_ok=True)
    set_kernel_environment(build_folder)
    store = Store.of_this_machine()
    keys_by_page = {
        path: cache_keys.page_keys(path)
        for path in book_pages.page_paths(root)
        if book_pages.is_notebook(path)
    }
    cache_keys.memo.write()
    refuse_pages_with_equal_cells(keys_by_page)
    missing = [
        path
        for path, key in keys_by_page.items()
        if not build_has_outputs(key, build_folder)
    ]
    waiting = [
        path
        for path in missing
        if not copy_outputs_from_store(keys_by_page[path], store, build_folder)
    ]
    makers = {
        model: partial(model.make, build_folder, cache_keys.model_key(model), store)
        for model in training.TRAINED_MODELS
        if model.is_defined_in(root)
        and not model.is_current(build_folder, cache_keys.model_key(model))
    }
    if len(missing) > len(waiting):
        report_progress(
            f"Pages: {len(missing) - len(waiting)} have run on this machine before."
        )
    if not waiting and not makers:
        report_progress("Pages: nothing to run, all outputs are up to date.")
        return []
    needs = {path: cache_keys.models_of_page(path, makers) for path in waiting}
    return make_models_and_run_pages(
        needs, makers, keys_by_page, store, root, build_folder, report_progress
    )


def refuse_pages_with_equal_cells(keys_by_path):
    """Raise a PageError where two pages with the same code cells depend on different code.

    Outputs are found by the cells alone, so one page would always take the place of the other.
    """
    first_pages = {}
    for path, (cells_key, outputs_key) in keys_by_path.items():
        first_path, first_key = first_pages.setdefault(cells_key, (path, outputs_key))
        if first_key != outputs_key:
            raise PageError(
                f"{first_path.name} and {path.name} have the same code cells, but depend on different code. "
                "Give one of them a cell that the other has not."
            )


def build_has_outputs(page_keys: tuple[str, str], build_folder):
    """Whether the build has the outputs of a page, by its two keys."""
    outputs = page_outputs.load_outputs(page_keys[0], build_folder)
    return outputs is not None and outputs.key == page_keys[1]


def copy_outputs_from_store(page_keys: tuple[str, str], store: Store, build_folder):
    """Take the outputs of a page from the store into the build; return whether it has them."""
    files = store.load(page_outputs.STORE_KIND, page_keys[1])
    if files is not None:
        page_outputs.store_outputs(
            page_keys[0], PageOutputs.from_files(files), build_folder
        )
    return files is not None


def make_models_and_run_pages(
    models_by_path: dict[Path, list],
    makers_by_model,
    keys_by_path,
    store,
    root,
    build_folder,
    report_progress,
) -> list:
    """Make the models, run the pages, keep what they give, and return the pages."""
    report_progress(f"Pages: {len(models_by_path)} to run, {core_count()} at a time.")
    began, failures, done = time.perf_counter(), [], 0
    ledger = OutputLedger(store)
    for task, result in model_and_page_results(models_by_path, makers_by_model):
        if task in makers_by_model:
            report_progress(f"  {task.name}: {result:.1f} s")
            continue
        (notebook, seconds, failure), name = result, book_pages.page_name(task, root)
        if failure is None:
            cells, key = keys_by_path[task]
            outputs = PageOutputs.from_notebook(notebook, key, seconds)
            failure = ledger.compare_run(name, outputs)
        if failure is not None:
            failures.append(failure)
            report_progress(f"  {name}: failed")
            continue
        page_outputs.store_outputs(cells, outputs, build_folder)
        store.keep(page_outputs.STORE_KIND, outputs.key, outputs.files())
        done += 1
        report_progress(f"  [{done}/{len(models_by_path)}] {name}: {seconds:.1f} s")
    if failures:
        raise PageError("\n\n".join(failures))
    report_progress(f"Pages: done in {time.perf_counter() - began:.0f} s.")
    return list(models_by_path)


def model_and_page_results(models_by_path: dict[Path, list], makers_by_model):
    """Make models and run pages, as many at once as there are cores.

    The models come first, because they take longest; the pages that need them wait for them.

    Parameters
    ----------
    models_by_path : dict of pathlib.Path to list
        The pages to run, each with the models that it needs among those to make.
    makers_by_model : dict of model to callable
        What makes each model.

    Yields
    ------
    task : model or pathlib.Path
    result
        What the maker returned, or what ``run_page`` did.
    """
    # On two cores a page of two threads next to another makes both slow.
    two_threads = [
        path
        for path in models_by_path
        if book_pages.has_tagged_cell(path, book_pages.TWO_THREADS_TAG)
    ]
    alone = two_threads if core_count() <= 2 else []
    # What waits comes last, so that no worker waits for a model while there is other work.
    side_by_side = [path for path in models_by_path if path not in alone]
    side_by_side.sort(key=lambda path: len(models_by_path[path]))
    running = {}
    # To warm a process takes seconds, which one or two pages would not give back.
    kernels = (
        WarmKernelManager if len(models_by_path) > core_count() else AsyncKernelManager
    )

    def run_when_models_are_ready(path):
        for model in models_by_path[path]:
            running[model].result()
        return run_page(path, kernels)

    with ThreadPoolExecutor(core_count()) as pool:
        for model, make in makers_by_model.items():
            running[model] = pool.submit(make)
        for path in side_by_side:
            running[path] = pool.submit(run_when_models_are_ready, path)
        tasks = {future: task for task, future in running.items()}
        for future in as_completed(tasks):
            yield tasks[future], future.result()
    for path in alone:
        yield path, run_page(path, kernels)
