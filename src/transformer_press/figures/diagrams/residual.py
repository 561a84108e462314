"""The direct way: sub-layers in a row with the residual connection, and without it."""

from ..kit import checks
from ..kit.canvas import Canvas
from ..kit.figure import render_figure
from ..kit.style import BODY, NARROW, SMALL

MAX_SUBLAYERS = 4  # that fit on a phone
BOX, PLUS = 32, 9  # px: the height of a sub-layer, the radius of a plus


def residual_path(N: int = 3, *, title, alt):
    """Draw N sub-layers twice, with the sum around each and without, and the gradient's way back.

    Parameters
    ----------
    N : int
        Sub-layers in a row, 1 to 4.

    Raises
    ------
    ValueError
        If `N` is not an integer from 1 to 4.
    """
    checks.count(N, "N", MAX_SUBLAYERS, "three show how it goes on")

    return render_figure(_draw_residual_path, N, title=title, alt=alt)


def _draw_residual_path(width, N):
    size = BODY if width > NARROW else SMALL
    canvas = Canvas(width, 300)
    row = _SublayerRow(canvas, 22, width - 2, N, size)
    canvas.label(0, 9, "with the sum: x + f(x)", anchor="left", size=size, bold=True)
    row.draw_residual_row(106)
    row.draw_gradient_path(
        134, "position", "the gradient can pass around all sub-layers"
    )
    canvas.label(0, 189, "without: f(x)", anchor="left", size=size, bold=True)
    row.draw_plain_row(228)
    row.draw_gradient_path(
        266, "wrong", "the gradient must pass through all sub-layers"
    )
    return canvas.figure


class _SublayerRow:
    """Sub-layers from left to right, with texts of some size."""

    def __init__(self, canvas, left, right, N, size):
        self.canvas, self.left, self.right, self.size = canvas, left, right, size
        self.step = (right - 16 - left) / N
        self.starts = [left + i * self.step for i in range(N)]

    def draw_residual_row(self, y):
        """Draw the line, and above it the sub-layers, each on its branch."""
        self.canvas.label(self.left - 12, y, "x", size=self.size)
        self.canvas.arrow([(self.left, y), (self.right, y)], "position", thickness=3)
        middle = y - 36 - BOX / 2
        for number, x in enumerate(self.starts, start=1):
            branch, plus = x + 0.1 * self.step, x + 0.88 * self.step
            left, right = x + 0.28 * self.step, x + 0.68 * self.step
            self.canvas.arrow([(branch, y), (branch, middle), (left, middle)])
            self.draw_sublayer(left, middle, number)
            self.canvas.arrow([(right, middle), (plus, middle), (plus, y - PLUS)])
            self.canvas.plus(plus, y, PLUS)

    def draw_plain_row(self, y):
        """Draw the sub-layers on the line itself."""
        self.canvas.label(self.left - 12, y, "x", size=self.size)
        start = self.left
        for number, x in enumerate(self.starts, start=1):
            left = x + 0.28 * self.step
            self.canvas.arrow([(start, y), (left, y)])
            self.draw_sublayer(left, y, number)
            start = left + 0.4 * self.step
        self.canvas.arrow([(start, y), (self.right, y)])

    def draw_sublayer(self, x, y, number: int):
        """Draw the box of a sub-layer, whose left edge has its middle at (x, y)."""
        box = (x, y - BOX / 2, 0.4 * self.step, BOX)
        self.canvas.box(*box, f"f_{number}", "attention", size=self.size)

    def draw_gradient_path(self, y, role, text: str):
        """Draw the gradient's way, from right to left, and what it meets."""
        self.canvas.arrow([(self.right, y), (self.left, y)], role, dashed=True)
        middle = (self.left + self.right) / 2
        self.canvas.label(middle, y + 16, text, role=role, size=self.size)
