"""Every figure of the book, in one style and one palette.

Each function returns a `Figure`; as the last line of a cell it shows itself. Every figure has a
`title`, which states the finding, and an `alt`, which says what it shows.
"""

from .diagrams.architecture import architecture
from .diagrams.attention import multi_head, scaled_dot_product
from .diagrams.attention_steps import reading, row_softmax
from .diagrams.attention_uses import three_uses
from .diagrams.clocks import clock_hands, clock_turns
from .diagrams.context_windows import context_window
from .diagrams.crossings import crossings
from .diagrams.feed_forward import feed_forward
from .diagrams.heads import memory_strips, split_and_merge
from .diagrams.layers import layer, stacks
from .diagrams.matrices import matrices, matrix_product
from .diagrams.paged_blocks import blocks
from .diagrams.paths import encoder_decoder, paths
from .diagrams.residual import direct_way
from .diagrams.sentences import arcs, token_strip
from .diagrams.shared_heads import shared_heads
from .diagrams.subwords import cuts, merges
from .kit.figure import Figure, finish
from .kit.palette import ROLES, colour
from .kit.style import new
from .plots.dots import dots
from .plots.head_maps import head_maps
from .plots.heat import heat_map
from .plots.images import over_image
from .plots.lines_and_bars import bars, lines
from .plots.positions import position_map
from .plots.shares import shares
from .plots.small_maps import small_maps
from .plots.timeline import timeline
from .plots.word_maps import word_map

__all__ = [
    "ROLES",
    "Figure",
    "architecture",
    "arcs",
    "bars",
    "blocks",
    "clock_hands",
    "clock_turns",
    "colour",
    "context_window",
    "crossings",
    "cuts",
    "direct_way",
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
    "shared_heads",
    "shares",
    "small_maps",
    "split_and_merge",
    "stacks",
    "three_uses",
    "timeline",
    "token_strip",
    "word_map",
]
