"""Kernels that have imported already what most pages import: each is forked from one warm process.

A kernel that starts from nothing spends about two seconds on importing PyTorch, Matplotlib and the
figures. A forked one has them, and is else as empty as any other.
"""

import functools
import gc
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from multiprocessing.process import BaseProcess
from types import ModuleType

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

PRELOADED_MODULES = ["ipykernel.kernelapp", "numpy", "torch", "transformer_book.nn"]
PRELOADED_MODULES += [
    "transformer_book.train",
    "transformer_press.figures",
    "transformer_press.page",
]
# What torch imports for its first optimiser; the libraries that take about a second each.
PRELOADED_MODULES += ["torch._dynamo", "nltk", "gensim.models", "sklearn.decomposition"]
LAUNCHER_MODULE_NAME = (
    "ipykernel_launcher"  # behind it in a kernel's command stand its arguments
)
# Windows cannot fork; kernels start from nothing there.
CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
_kernel_start_lock = threading.Lock()


class WarmKernelManager(AsyncKernelManager):
    """Starts kernels by forking, and else does what jupyter_client's does."""

    async def _async_launch_kernel(self, kernel_cmd, **options):
        if not CAN_FORK or LAUNCHER_MODULE_NAME not in kernel_cmd:
            return await super()._async_launch_kernel(kernel_cmd, **options)
        arguments = kernel_cmd[kernel_cmd.index(LAUNCHER_MODULE_NAME) + 1 :]
        process = fork_kernel(arguments, options["cwd"], options["env"])
        provisioner = self.provisioner
        assert isinstance(provisioner, LocalProvisioner)
        provisioner.process = ForkedProcess(process)  # type: ignore[assignment]
        # The kernel leads a new process group, so that an interrupt reaches its children, too.
        provisioner.pid = provisioner.pgid = process.pid
        provisioner.cwd = options["cwd"]
        self._reconcile_connection_info(provisioner.connection_info)


class ForkedProcess:
    """A forked process in the manner of ``subprocess.Popen``, which jupyter_client expects."""

    stdin = stdout = stderr = None

    def __init__(self, process):
        self.process, self.pid = process, process.pid

    def poll(self):
        return self.process.exitcode

    def wait(self, timeout=None):
        self.process.join(timeout)
        return self.process.exitcode

    def send_signal(self, signal_number: int):
        os.kill(self.pid, signal_number)

    def kill(self):
        self.process.kill()

    def terminate(self):
        self.process.terminate()


def fork_kernel(kernel_arguments, working_folder, environment):
    """Start a kernel with these arguments in this folder and environment; return its process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *PRELOADED_MODULES])
    paths = module_search_paths(environment.get("PYTHONPATH", ""))
    settings = (kernel_arguments, str(working_folder), dict(environment), paths)
    process = context.Process(target=run_kernel, args=settings)
    with _kernel_start_lock, _hidden_main_module():
        process.start()
    return process


@functools.cache
def module_search_paths(python_path_variable):
    """Return where Python looks for modules when it starts with this ``PYTHONPATH``."""
    code = "import json, sys; print(json.dumps(sys.path[1:]))"
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": python_path_variable},
        check=True,
        capture_output=True,
    )
    return json.loads(result.stdout)


class _hidden_main_module:
    """Keep multiprocessing from importing our main module, and all it imports, in the kernel."""

    def __enter__(self):
        self.main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")

    def __exit__(self, *error):
        sys.modules["__main__"] = self.main


def run_kernel(kernel_arguments, working_folder, environment, module_search_paths):
    """Be a kernel, in a process just forked."""
    from ipykernel.kernelapp import launch_new_instance

    gc.freeze()  # what is imported stays: a second to look through, for each collection
    os.setsid()
    os.chdir(working_folder)
    # The kernel decides how its processes start, as if it had not been forked itself.
    multiprocessing.set_start_method(None, force=True)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = module_search_paths
    parent = multiprocessing.parent_process()
    threading.Thread(target=end_with_parent, args=[parent], daemon=True).start()
    # Without one it would print how to connect to it.
    kernel_arguments = [
        *kernel_arguments,
        f"--IPKernelApp.parent_handle={os.getppid()}",
    ]
    sys.argv[:] = [LAUNCHER_MODULE_NAME, *kernel_arguments]
    launch_new_instance(argv=kernel_arguments)


def end_with_parent(parent_process: BaseProcess):
    """End this kernel when the build that started it has ended; the warm process ends after it."""
    parent_process.join()
    os._exit(1)
