"""One language model trained by several processes in four ways, each beside one process alone.

``torchrun --nproc-per-node 4 -m transformer_lab.parallel`` runs them; :func:`launch` does it for a page.
"""

from .launch import LaunchError, launch

__all__ = ["LaunchError", "launch"]
