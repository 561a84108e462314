"""Every figure of the book, in one style and one palette.

Each function returns a `Figure`; as the last line of a cell it shows itself. Every figure has a
`title`, which states the finding, and an `alt`, which says what it shows.
"""

from .architecture import architecture
from .attention import multi_head, scaled_dot_product
from .crossings import crossings
from .dials import clock_hands, clock_turns
from .dots import dots
from .feed_forward import feed_forward
from .figure import Figure, finish
from .head_maps import head_maps
from .heads import memory_strips, split_and_merge
from .heat import heat_map
from .images import over_image
from .layers import layer, stacks
from .matrices import matrices, matrix_product
from .palette import ROLES, colour
from .panels import small_maps
from .paths import encoder_decoder, paths
from .plots import bars, lines
from .positions import position_map
from .scatters import scatter, word_map
from .sentences import arcs, token_strip
from .shares import shares
from .steps import reading, row_softmax
from .style import new
from .subwords import cuts, merges
from .uses import three_uses
from .windows import context_window

__all__ = [
    "ROLES",
    "Figure",
    "architecture",
    "arcs",
    "bars",
    "clock_hands",
    "clock_turns",
    "colour",
    "context_window",
    "crossings",
    "cuts",
    "dots",
    "encoder_decoder",
    "feed_forward",
    "finish",
    "head_maps",
    "heat_map",
    "layer",
    "lines",
    "matrices",
    "matrix_product",
    "memory_strips",
    "merges",
    "multi_head",
    "new",
    "over_image",
    "paths",
    "position_map",
    "reading",
    "row_softmax",
    "scaled_dot_product",
    "scatter",
    "shares",
    "small_maps",
    "split_and_merge",
    "stacks",
    "three_uses",
    "token_strip",
    "word_map",
]
