"""What a page's outputs depend on beside its cells: code of ours, and its files.

A cell is read (``code``), its imports lead to modules (``packages``), and what these say is hashed
(``digest``).
"""

from .code import parse_cells
from .digest import AUTODOC_DIRECTIVE, Dependencies

__all__ = ["AUTODOC_DIRECTIVE", "Dependencies", "parse_cells"]
