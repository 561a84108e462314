"""Attention weights drawn over the picture they belong to, patch by patch."""

import numpy as np

from ..kit import checks, grid
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.palette import colour, largest_opacity
from ..kit.style import NARROW, SMALL, text_width

SIDE, GAP = 150, 22  # px: of a picture, between two
KEY_TEXT = "weight of a patch"


def weights_over_image(items, *, captions=None, role="attention", title, alt):
    """Draw grey pictures, each with the weights of its patches as a wash behind the strokes.

    All pictures are on one scale. The fewest patches that hold half of a picture's weight are
    outlined.

    Parameters
    ----------
    items : sequence of (str, array, array)
        A name, a picture (height, width) of numbers from 0 for paper up to ink, and its weights
        (rows, columns), one for each patch; rows divides height, columns divides width.
    captions : sequence of str, optional
        A text below each picture.
    role : str
        The colour of the weights.

    Raises
    ------
    ValueError
        If there is no picture, numbers are negative or not finite, no weight is above 0, or the
        patches do not fill the picture.
    """
    checked = [_check_image(item) for item in items]
    if not checked:
        raise ValueError(
            "items: got none, expected at least one (name, picture, weights); give one"
        )
    captions = checks.labels(captions, len(checked), "captions", "pictures")
    colour(role)

    return render_figure(
        _draw_weights_over_images, checked, captions, role, title=title, alt=alt
    )


def _check_image(item: tuple) -> tuple:
    name, image, weights = checks.triple(item, "name, picture, weights")
    name = checks.printable_text(name)
    image = checks.matrix(image, f"picture of {name}")
    weights = checks.matrix(weights, f"weights of {name}")
    for part, numbers in (("picture", image), ("weights", weights)):
        if numbers.min() < 0:
            raise ValueError(
                f"{part} of {name}: got {numbers.min():.4g}, expected numbers from 0 "
                "up; shift or clip them"
            )
    if not weights.any():
        raise ValueError(
            f"weights of {name}: got zeros only, expected a weight above 0; "
            "give attention weights, after softmax"
        )
    if any(
        side % parts for side, parts in zip(image.shape, weights.shape, strict=True)
    ):
        raise ValueError(
            f"weights of {name}: got {weights.shape} patches, expected numbers that "
            f"divide the picture's {image.shape}; give one weight for each patch"
        )
    return name, image, weights


def _draw_weights_over_images(width, items, captions: list[str] | None, role):
    across = min(len(items), 4 if width > NARROW else 2)
    side = min(SIDE, (width - 4 - (across - 1) * GAP) / across)
    names = max(text_width(name, weight="bold") for name, _, _ in items)
    below = max((text_width(text, SMALL) for text in captions or ()), default=0)
    column = max(side, names, below) + GAP
    across = max(min(across, int((width - 4 + GAP) // column)), 1)
    tall = max(image.shape[0] / image.shape[1] for _, image, _ in items) * side
    step = 28 + tall + (24 if captions else 0) + 16
    down = -(-len(items) // across)
    largest = max(weights.max() for _, _, weights in items)
    key = 118 + sum(
        text_width(text, SMALL)
        for text in (grid.format_number(largest, "{:.2f}"), KEY_TEXT)
    )
    canvas = Canvas(max(across * column - GAP + 4, key), down * step + 16)
    darkest = max(image.max() for _, image, _ in items) or 1.0
    for index, (name, image, weights) in enumerate(items):
        x, y = 2 + index % across * column, index // across * step
        canvas.label(x, y + 10, name, anchor="left", bold=True)
        _draw_image(canvas, x, y + 28, side, image / darkest, weights, largest, role)
        if captions:
            end = y + 28 + side * image.shape[0] / image.shape[1]
            canvas.note(x, end + 14, captions[index], anchor="left")
    ends, y = ("0", grid.format_number(largest, "{:.2f}")), down * step + 2
    end = grid.draw_color_key(
        canvas, 2, y, ends, role, fullest_opacity=largest_opacity(role)
    )
    canvas.note(end + 8, y, KEY_TEXT, anchor="left")
    return canvas.figure


def _draw_image(canvas, x, y, picture_width, image, weights, largest_weight, role):
    wide = picture_width / weights.shape[1]
    high = picture_width / image.shape[1] * image.shape[0] / weights.shape[0]
    patches = grid.Grid(canvas, x, y, weights.shape, wide, high)
    for (i, j), weight in np.ndenumerate(weights):
        # Under the picture, so that its strokes keep their contrast.
        patches.fill(
            i, j, role, weight / largest_weight * largest_opacity(role), zorder=-1
        )
    grid.draw_cell_image(canvas, image, "ink", *patches.bounds())
    patches.draw_lines()
    for i, j in half_weight_patches(weights):
        left, top, *_ = patches.bounds(i, j)
        inner = (left + 1, top + 1, wide - 2, high - 2)
        canvas.outline(*inner, role=role, thickness=2)


def half_weight_patches(weights: np.ndarray) -> list:
    """Return the (row, column) of the fewest patches that hold half of the weight."""
    order = np.argsort(-weights, axis=None, kind="stable")
    reached = np.cumsum(weights.flat[order]) >= weights.sum() / 2
    first = order[: int(reached.argmax()) + 1]
    return [
        tuple(int(k) for k in np.unravel_index(at, weights.shape))
        for at in sorted(first)
    ]
