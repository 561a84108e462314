"""The picture that a message shows of a link to the book: its title, and the attention of the cover."""

import functools
from pathlib import Path

import matplotlib.patches
import yaml
from matplotlib.figure import Figure

from tools.pages.notebooks import Addresses
from transformer_book import by_hand, data
from transformer_press.figures.kit.palette import PAGE_COLOURS, ROLES

PREVIEW_FILE_NAME = "preview.png"
WIDTH, HEIGHT = 1200, 630  # pixels, as the services ask for
CELL_SIZE, GRID_LEFT, GRID_TOP = 34, 560, 62
SENTENCE_WORDS = data.parallel_corpus.FOLLOWED_PAIR[0].replace(".", " .").split()


def relative_position_attention():
    """Return how much each word of the book's sentence would look at each earlier one by position alone.

    Attention of the positional encodings to themselves under the causal mask, relative to the largest
    weight of the row: (n, n).
    """
    places = by_hand.positional_encoding(len(SENTENCE_WORDS), 64)
    mask = by_hand.causal_mask(len(SENTENCE_WORDS))
    _, weights = by_hand.scaled_dot_product_attention(places, places, places, mask)
    return weights / weights.max(axis=-1, keepdims=True)


def draw_preview(title: str):
    """Return a matplotlib figure: the title, and the attention beside it."""
    figure = Figure((WIDTH / 100, HEIGHT / 100), dpi=100, facecolor=PAGE_COLOURS[1])
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
    axes.axis("off")
    for number, line in enumerate(title.rsplit(" ", 1)):
        axes.text(
            56,
            190 + 74 * number,
            line,
            size=38,
            weight="bold",
            family="DejaVu Serif",
            color="white",
        )
    for number, role in enumerate(("q", "k", "v", "attention")):
        _draw_square(axes, 58 + 80 * number, 300, (80, 8), ROLES[role][1])
    axes.text(
        58,
        366,
        "How a Transformer works,\nin code that you can run",
        size=19,
        color="#c9d1dc",
        va="top",
    )
    strengths = relative_position_attention()
    for row, word in enumerate(SENTENCE_WORDS):
        y = GRID_TOP + row * CELL_SIZE
        axes.text(
            GRID_LEFT + 70, y + 22, word, size=13, ha="right", color=ROLES["ink"][1]
        )
        for column in range(row + 1):
            x = GRID_LEFT + 84 + column * CELL_SIZE
            size = (CELL_SIZE - 4, CELL_SIZE - 4)
            _draw_square(
                axes, x, y, size, ROLES["attention"][1], strengths[row, column]
            )
    return figure


def _draw_square(axes, x, y, size, colour, alpha=1.0):
    axes.add_patch(
        matplotlib.patches.Rectangle((x, y), *size, color=colour, alpha=alpha, lw=0)
    )


def write_preview(app):
    if app.builder.format == "html":
        path = Path(app.outdir) / "_static" / PREVIEW_FILE_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        draw_preview(app.config.html_title).savefig(path, metadata={"Software": None})


@functools.cache
def preview_address(config_path) -> str:
    """Return the picture's address, of the site that the book's configuration names."""
    config = yaml.safe_load(config_path.read_text("utf-8"))
    return f"{Addresses.from_config(config).site}_static/{PREVIEW_FILE_NAME}"


def add_preview_tags(app, pagename, templatename, context, doctree):
    address = preview_address(Path(app.srcdir).parent / "_config.yml")
    context["metatags"] = context.get("metatags", "") + (
        f'\n<meta property="og:image" content="{address}" />'
        f'\n<meta property="og:image:alt" content="{app.config.html_title}" />'
    )


def setup(app):
    app.connect("builder-inited", write_preview)
    app.connect("html-page-context", add_preview_tags)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
