"""Every figure of the book, in one style and one palette.

Each function returns a `Figure`; as the last line of a cell it shows itself. Every figure has a
`title`, which states the finding, and an `alt`, which says what it shows.
"""

from .architecture import architecture
from .figure import Figure, finish
from .matrices import heat_map, matrices, matrix_product
from .palette import ROLES, colour
from .plots import bars, lines, scatter, word_map
from .positions import position_map
from .sentences import arcs, token_strip
from .style import new

__all__ = [
    "ROLES",
    "Figure",
    "arcs",
    "architecture",
    "bars",
    "colour",
    "finish",
    "heat_map",
    "lines",
    "matrices",
    "matrix_product",
    "new",
    "position_map",
    "scatter",
    "token_strip",
    "word_map",
]
