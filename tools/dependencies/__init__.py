"""What a chapter's outputs depend on beside its cells: code of ours, and its files.

A cell is read (``code``), its imports lead to modules (``packages``), and what these say is hashed
(``digest``).
"""

from .code import read
from .digest import DOCUMENTS, Dependencies

__all__ = ["DOCUMENTS", "Dependencies", "read"]
