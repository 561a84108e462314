"""Who is served when: one bar for each row, over time, divided by what happens in it."""

from numbers import Real

from ..kit import checks
from ..kit.axes import plain, series_roles, ticks
from ..kit.canvas import Canvas
from ..kit.figure import render
from ..kit.style import NARROW, text_width

HATCHES = ("", "", "////", "....", "xxxx")
SOLID = (0.75, 0.3)  # how full the colours of the first two kinds are
TALL, THICK, SWATCH, LINE, HEAD, FOOT = 20, 15, 14, 22, 28, 44


def timeline(panels, kinds, *, x_label, title, alt):
    """Draw panels of rows on one time axis, each row a few spans of some kind.

    Parameters
    ----------
    panels : dict
        Name of a panel -> dict of row -> list of (start, end, kind).
    kinds : dict
        Kind -> role, at most 5. The first two are filled, the others hatched.
    x_label : str
        What the axis measures, with the unit.

    Raises
    ------
    ValueError
        If there is no panel or row, too many kinds, or a span of no kind or of no length.
    """
    rows = [row for panel in panels.values() for row in panel.items()]
    if not rows or not all(panels.values()):
        raise ValueError(
            "panels: got none, or one without rows, expected name -> row -> spans; "
            "give each panel a row"
        )
    if not 1 <= len(kinds) <= len(HATCHES):
        raise ValueError(
            f"kinds: got {len(kinds)}, expected 1 to {len(HATCHES)}; "
            "put similar ones together"
        )
    for name, spans in rows:
        for start, end, kind in spans:
            numbers = isinstance(start, Real) and isinstance(end, Real)
            if not numbers or not 0 <= start < end or kind not in kinds:
                raise ValueError(
                    f"{name!r}: got the span {(start, end, kind)!r}, expected (start, end, "
                    f"kind) with 0 <= start < end and a kind of {list(kinds)}; mend it"
                )
    looks = dict(zip(kinds, zip(series_roles(list(kinds), kinds), range(len(kinds)))))
    checked = {
        checks.printable(title): {checks.printable(n): spans for n, spans in of.items()}
        for title, of in panels.items()
    }
    return render(_timeline, checked, looks, x_label, title=title, alt=alt)


def _timeline(width, panels, looks, x_label):
    names = [name for panel in panels.values() for name in panel]
    left = 2 + max(map(text_width, names)) + 10
    high = max(
        end for of in panels.values() for row in of.values() for _, end, _ in row
    )
    foot = sum(HEAD + TALL * len(of) for of in panels.values())
    places, x, y = [], 2, foot + FOOT + 12
    for kind in looks:
        wide = SWATCH + 6 + text_width(kind) + 18
        if places and x + wide - 18 > width:
            x, y = 2, y + LINE
        places.append((x, y, kind))
        x += wide
    canvas = Canvas(width, y + 14)

    def place(t):
        return left + t / high * (width - left - 8)

    top = 0
    for name, panel in panels.items():
        canvas.label(left, top + 14, name, anchor="left", bold=True)
        for i, (row, spans) in enumerate(panel.items()):
            y = top + HEAD + TALL * i
            canvas.label(left - 10, y + THICK / 2, row, anchor="right")
            for start, end, kind in spans:
                x = place(start)
                _span(canvas, x, y, place(end) - x, THICK, *looks[kind])
        top += HEAD + TALL * len(panel)
    canvas.stroke([(left, foot), (width - 8, foot)])
    for t in ticks(0, high, False, 8 if width > NARROW else 4):
        canvas.stroke([(place(t), foot), (place(t), foot + 4)])
        canvas.note(place(t), foot + 13, plain(t))
    canvas.label(left, foot + 33, x_label, role="quiet", anchor="left")
    for x, y, kind in places:
        _span(canvas, x, y - SWATCH / 2, SWATCH, SWATCH, *looks[kind])
        canvas.label(x + SWATCH + 6, y, kind, anchor="left")
    return canvas.figure


def _span(canvas, x, y, width, height, role, kind):
    if not HATCHES[kind]:
        canvas.rectangle(x, y, width, height, role=role, opacity=SOLID[kind])
    else:
        style = {"thickness": 0, "hatch": HATCHES[kind], "alpha": 0.7}
        canvas.outline(x, y, width, height, role=role, **style)
    canvas.outline(x, y, width, height, role=role, thickness=1)
