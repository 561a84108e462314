"""The colours of the book: one per role, the same in figures, formulas, matrices and widgets."""

ROLES = {
    "q": ("#2563c9", "#7db0ff"),
    "k": ("#b4530a", "#ffa55c"),
    "v": ("#14804a", "#5fd39a"),
    "attention": ("#7c3fc4", "#c3a1ff"),
    "position": ("#6b5b00", "#d9c24a"),
    "wrong": ("#c4233b", "#ff8a94"),
    "quiet": ("#5b6472", "#9aa5b5"),
    "ink": ("#1b1f24", "#e6e9ee"),
}
PAGE_COLOURS = ("#ffffff", "#14181e")

# On the site a figure's background is transparent (--tb-page); whatever must hide what lies
# under it, such as a label on a line, is painted with the colour the page really has (--tb-paper).
PAPER = "paper"


def colour(role: str) -> str:
    """Return the light colour of a role, the one to draw with; the page swaps it for the theme's.

    Parameters
    ----------
    role : str
        A key of `ROLES`, or "paper" for the colour of the page itself.

    Raises
    ------
    ValueError
        If the book has no such role.
    """
    if role == PAPER:
        return PAGE_COLOURS[0]
    if not isinstance(role, str) or role not in ROLES:
        names = ", ".join([*ROLES, PAPER])
        raise ValueError(
            f"role: got {role!r}, expected one of {names}; use one of these names"
        )
    return ROLES[role][0]


def css_variable(hex_colour: str) -> str:
    """Return the CSS variable, with its light fall-back, that stands for a colour of the palette.

    Raises
    ------
    ValueError
        If the colour is none of the palette's.
    """
    hex_colour = hex_colour.lower()
    if hex_colour == PAGE_COLOURS[0]:
        return f"var(--tb-{PAPER}, {PAGE_COLOURS[0]})"
    for role, (light, _) in ROLES.items():
        if hex_colour == light:
            return f"var(--tb-{role}, {light})"
    raise ValueError(
        f"colour: got {hex_colour}, expected one of the palette's; "
        "draw with figures.colour(role), so that the figure follows the theme"
    )


def _linear_channel(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def luminance(rgb_fractions) -> float:
    """Return the relative luminance of an (r, g, b) in [0, 1], as WCAG 2.2 defines it."""
    red, green, blue = (_linear_channel(value) for value in rgb_fractions)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def rgb_fractions(hex_colour: str):
    """Return "#rrggbb" as three numbers in [0, 1]."""
    return tuple(int(hex_colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def blend(top_colour: str, bottom_colour: str, opacity: float) -> tuple[float, ...]:
    """Return the colour seen when `top_colour` is laid on `bottom_colour`, as three numbers in [0, 1]."""
    pairs = zip(rgb_fractions(top_colour), rgb_fractions(bottom_colour), strict=True)
    return tuple(opacity * top + (1 - opacity) * bottom for top, bottom in pairs)


def contrast(first_rgb, second_rgb) -> float:
    """Return the WCAG contrast ratio, 1 to 21, of two (r, g, b) in [0, 1]."""
    low, high = sorted((luminance(first_rgb), luminance(second_rgb)))
    return (high + 0.05) / (low + 0.05)


def largest_opacity(role) -> float:
    """Return the largest opacity of a role that leaves ink on top of it at WCAG AA in both themes.

    A cell that shows a number is never filled beyond it.
    """
    colour(role)
    for percent in range(100, 0, -1):
        backgrounds = [
            blend(ROLES[role][t], PAGE_COLOURS[t], percent / 100) for t in (0, 1)
        ]
        if all(
            contrast(rgb_fractions(ROLES["ink"][t]), backgrounds[t]) >= 4.5
            for t in (0, 1)
        ):
            return percent / 100
    raise AssertionError("ink on the bare page passes AA, so some opacity does")
