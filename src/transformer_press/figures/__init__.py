"""Every figure of the book, in one style and one palette.

Each function returns a `Figure`; as the last line of a cell it shows itself. Every figure has a
`title`, which states the finding, and an `alt`, which says what it shows.
"""

from .diagrams.architecture import architecture
from .diagrams.attention import multi_head, scaled_dot_product
from .diagrams.attention_steps import one_word_attention, row_softmax
from .diagrams.attention_uses import attention_uses
from .diagrams.clocks import clock_hands, clock_turns
from .diagrams.context_windows import context_window
from .diagrams.crossings import crossings
from .diagrams.feed_forward import feed_forward
from .diagrams.heads import memory_strips, split_and_merge
from .diagrams.layers import layer, stacks
from .diagrams.matrices import matrices, matrix_product
from .diagrams.paged_blocks import paged_blocks
from .diagrams.paths import encoder_decoder, paths
from .diagrams.residual import residual_path
from .diagrams.ribbons import attention_ribbons
from .diagrams.sentences import arcs, token_strip
from .diagrams.shared_heads import shared_heads
from .diagrams.stations import stations
from .diagrams.subwords import bpe_merges, subword_cuts
from .kit.figure import Figure, finish
from .kit.palette import ROLES, colour
from .kit.style import new_figure
from .plots.dots import dots
from .plots.head_maps import head_maps
from .plots.heat import heat_map
from .plots.images import weights_over_image
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
    "attention_ribbons",
    "attention_uses",
    "bars",
    "bpe_merges",
    "clock_hands",
    "clock_turns",
    "colour",
    "context_window",
    "crossings",
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
    "multi_head",
    "new_figure",
    "one_word_attention",
    "paged_blocks",
    "paths",
    "position_map",
    "residual_path",
    "row_softmax",
    "scaled_dot_product",
    "shared_heads",
    "shares",
    "small_maps",
    "split_and_merge",
    "stacks",
    "stations",
    "subword_cuts",
    "timeline",
    "token_strip",
    "weights_over_image",
    "word_map",
]
