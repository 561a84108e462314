"""``torchrun`` that imports torch once, before it forks its processes, so that none of them has to.

``python -m transformer_lab.parallel.start 4 ARGUMENTS`` does what ``torchrun --nproc-per-node 4 -m
transformer_lab.parallel ARGUMENTS`` does, without the seconds that each process spends on imports.
"""

import os
import sys

import torch._dynamo  # noqa: F401, each process would import it for its first optimiser
from torch.distributed.run import main as torchrun

from transformer_lab.parallel.__main__ import WAY_NAMES, import_way_class, main
from transformer_lab.parallel.launch import TORCHRUN_ONE_MACHINE_OPTIONS

# Windows cannot fork, and macOS not safely; there each process starts from nothing.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"

if __name__ == "__main__":
    if "RANK" in os.environ:  # a process that torchrun has started
        main()
    else:
        processes, *arguments = sys.argv[1:]
        for name in WAY_NAMES:
            import_way_class(name)
        options = (
            *TORCHRUN_ONE_MACHINE_OPTIONS,
            f"--start-method={START_METHOD}",
            "--run-path",
        )
        torchrun([*options, f"--nproc-per-node={processes}", __file__, *arguments])
