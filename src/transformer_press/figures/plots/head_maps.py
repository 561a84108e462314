"""All heads of several attentions at a glance: a table of maps, one row for each attention."""

import numpy as np

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.grid import Grid
from ..kit.palette import colour
from ..kit.style import NARROW

NAME_HEIGHT, NAME, FOOT = 22, 24, 12
LARGEST_MAP_WIDTH = 132  # px; a larger map would say no more


def head_maps(attentions: dict[str, np.ndarray], *, role="attention", title, alt):
    """Draw one map for each head, without words: shapes to compare, not numbers to read.

    Parameters
    ----------
    attentions : dict
        Name -> array (h, m, n), with weights from 0 to 1. All have the same h; the name stands
        above its row of heads. Full is 1.
    role : str
        The colour, by role.

    Raises
    ------
    ValueError
        If there is no attention, the numbers of heads differ, or a weight is not from 0 to 1.
    """
    checks.mapping(attentions, "attentions", "name -> array (h, m, n)")
    checked = {}
    for name, A in attentions.items():
        A = checks.finite(checks.array(A, str(name), 3), str(name))
        if A.min() < 0 or A.max() > 1 + 1e-5:
            raise ValueError(
                f"{name}: got numbers from {A.min():.4g} to {A.max():.4g}, expected "
                "weights from 0 to 1; take the softmax of the scores first"
            )
        checked[str(name)] = A.clip(0, 1)
    heads = {name: len(A) for name, A in checked.items()}
    if len(set(heads.values())) > 1:
        raise ValueError(
            f"attentions: got {heads} heads, expected as many in each; "
            "draw the others in another figure"
        )
    colour(role)

    return render_figure(_draw_head_maps, checked, role, title=title, alt=alt)


def _draw_head_maps(width, attentions: dict[str, np.ndarray], role):
    h = len(next(iter(attentions.values())))
    gap = 18 if width > NARROW else 8
    wide = min((width - 2 - (h - 1) * gap) / h, LARGEST_MAP_WIDTH)
    highs = [wide * min(A.shape[1] / A.shape[2], 1.5) for A in attentions.values()]
    canvas = Canvas(
        2 + h * wide + (h - 1) * gap,
        NAME_HEIGHT + sum(highs) + len(highs) * (NAME + FOOT),
    )
    for i in range(h):
        canvas.label(
            1 + i * (wide + gap), 10, f"head {i + 1}", role="quiet", anchor="left"
        )
    y = NAME_HEIGHT
    for (name, A), high in zip(attentions.items(), highs, strict=True):
        canvas.label(1, y + NAME / 2, name, anchor="left", bold=True)
        for i, weights in enumerate(A):
            x = 1 + i * (wide + gap)
            m, n = weights.shape
            cells = Grid(canvas, x, y + NAME, (m, n), wide / n, high / m)
            cells.draw(weights, role=role, largest=1, max_cells=0)
        y += NAME + high + FOOT
    return canvas.figure
