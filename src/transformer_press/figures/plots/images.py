"""Attention weights drawn over the picture they belong to, patch by patch."""

import numpy as np

from ..kit import checks, draw, grid
from ..kit.figure import render
from ..kit.palette import colour, fullest
from ..kit.style import NARROW, SMALL, canvas, text_width

SIDE, GAP = 150, 22  # px: of a picture, between two
KEY = "weight of a patch"


def over_image(items, *, captions=None, role="attention", title, alt):
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
    checked = [_checked(item) for item in items]
    if not checked:
        raise ValueError(
            "items: got none, expected at least one (name, picture, weights); give one"
        )
    captions = checks.labels(captions, len(checked), "captions", "pictures")
    colour(role)

    return render(_over_image, checked, captions, role, title=title, alt=alt)


def _checked(item):
    if not isinstance(item, (tuple, list)) or len(item) != 3:
        found = (
            len(item) if isinstance(item, (tuple, list)) else f"a {type(item).__name__}"
        )
        raise ValueError(
            f"items: got an item of {found}, expected (name, picture, weights); "
            "give all three"
        )
    name = checks.printable(item[0])
    image = checks.matrix(item[1], f"picture of {name}")
    weights = checks.matrix(item[2], f"weights of {name}")
    for what, found in (("picture", image), ("weights", weights)):
        if found.min() < 0:
            raise ValueError(
                f"{what} of {name}: got {found.min():.4g}, expected numbers from 0 "
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


def _over_image(width, items, captions, role):
    across = min(len(items), 4 if width > NARROW else 2)
    side = min(SIDE, (width - 4 - (across - 1) * GAP) / across)
    names = max(text_width(name, weight="bold") for name, _, _ in items)
    below = max((text_width(text, SMALL) for text in captions or ()), default=0)
    column = max(side, names, below) + GAP
    across = max(min(across, int((width - 4 + GAP) // column)), 1)
    tall = max(image.shape[0] / image.shape[1] for _, image, _ in items) * side
    step = 28 + tall + (24 if captions else 0) + 16
    down = -(-len(items) // across)
    most = max(weights.max() for _, _, weights in items)
    key = 118 + sum(
        text_width(text, SMALL) for text in (grid.number(most, "{:.2f}"), KEY)
    )
    drawing, ax = canvas(max(across * column - GAP + 4, key), down * step + 16)
    darkest = max(image.max() for _, image, _ in items) or 1.0
    for index, (name, image, weights) in enumerate(items):
        x, y = 2 + index % across * column, index // across * step
        draw.label(ax, x, y + 10, name, anchor="left", bold=True)
        _one(ax, x, y + 28, side, image / darkest, weights, most, role)
        if captions:
            end = y + 28 + side * image.shape[0] / image.shape[1]
            draw.label(
                ax,
                x,
                end + 14,
                captions[index],
                size=SMALL,
                role="quiet",
                anchor="left",
            )
    _key(ax, 2, down * step + 2, most, role)
    return drawing


def _one(ax, x, y, side, image, weights, most, role):
    (rows, columns), pixel = weights.shape, side / image.shape[1]
    wide, high = side / columns, pixel * image.shape[0] / rows
    for (i, j), weight in np.ndenumerate(weights):
        opacity = weight / most * fullest(role)
        if (
            opacity >= 0.005
        ):  # under the picture, so that its strokes keep their contrast
            draw.rectangle(
                ax,
                x + j * wide,
                y + i * high,
                wide,
                high,
                role=role,
                opacity=round(float(opacity), 3),
                zorder=-1,
            )
    grid.picture(ax, image, "ink", x, y, side, pixel * image.shape[0])
    grid.lines(ax, x, y, weights.shape, wide, high)
    for i, j in half(weights):
        draw.outline(
            ax,
            x + j * wide + 1,
            y + i * high + 1,
            wide - 2,
            high - 2,
            role=role,
            thickness=2,
        )


def half(weights):
    """Return the (row, column) of the fewest patches that hold half of the weight."""
    order = np.argsort(-weights, axis=None, kind="stable")
    reached = np.cumsum(weights.flat[order]) >= weights.sum() / 2
    first = order[: int(reached.argmax()) + 1]
    return [
        tuple(int(k) for k in np.unravel_index(at, weights.shape))
        for at in sorted(first)
    ]


def _key(ax, x, y, most, role):
    """Draw what the wash means, once for all pictures."""
    draw.label(ax, x, y, "0", size=SMALL, role="quiet", anchor="left")
    for i, opacity in enumerate(np.linspace(0, fullest(role), 9)):
        draw.rectangle(
            ax, x + 12 + 10 * i, y - 5, 10, 10, role=role, opacity=round(opacity, 3)
        )
    grid.lines(ax, x + 12, y - 5, (1, 1), 90, 10)
    number = grid.number(most, "{:.2f}")
    draw.label(ax, x + 108, y, number, size=SMALL, role="quiet", anchor="left")
    draw.label(
        ax,
        x + 116 + text_width(number, SMALL),
        y,
        KEY,
        size=SMALL,
        role="quiet",
        anchor="left",
    )
