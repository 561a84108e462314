"""The paper's Figure 1, in the book's style: every box a link to its chapter."""

from . import checks, draw
from .figure import Figure
from .palette import colour
from .style import canvas, points, styled

BOXES = {
    "inputs": "Inputs",
    "outputs": "Outputs",
    "input_embedding": "Input\nembedding",
    "output_embedding": "Output\nembedding",
    "positional_encoding": "Positional encoding",
    "self_attention": "Multi-head\nself-attention",
    "masked_self_attention": "Masked multi-head\nself-attention",
    "cross_attention": "Multi-head\ncross-attention",
    "add_and_norm": "Add & norm",
    "feed_forward": "Feed-forward",
    "encoder": "Encoder",
    "decoder": "Decoder",
    "linear": "Linear",
    "softmax": "Softmax",
}


def architecture(links, *, title, alt):
    """Draw the encoder and the decoder of "Attention Is All You Need", every box a link.

    Parameters
    ----------
    links : dict
        Box name -> href, or None for a box whose chapter is still to come. The names are those
        of `BOXES`; one that is left out is to come as well.

    Raises
    ------
    ValueError
        If a name is no box, or an href is neither text nor None.
    """
    if not isinstance(links, dict):
        raise ValueError(f"links: got {type(links).__name__}, expected a dict of box -> href; "
                         "give {} for no links")
    for name, href in links.items():
        if name not in BOXES:
            raise ValueError(f"links: got {name!r}, expected one of {', '.join(BOXES)}; "
                             "use these names")
        if href is not None and not (isinstance(href, str) and href.strip()):
            raise ValueError(f"links[{name!r}]: got {href!r}, expected an address or None; "
                             "give None for a chapter still to come")
    title, alt = checks.text(title, "title"), checks.text(alt, "alt")
    with styled():
        plan = _Plan(links)
        plan.draw()
    return Figure(plan.drawing, title=title, alt=alt, names=plan.names)


class _Plan:
    """The drawing: columns, rows and arrows in px, y down."""

    def __init__(self, links):
        self.links, self.names = links, {}
        self.drawing, self.ax = canvas(440, 690)

    def box(self, name, x, y, width, height, role, where="", text=None, filled=True):
        """Draw one box and register it as one link."""
        href = self.links.get(name)
        spoken = " ".join(BOXES[name].split()).replace("- ", "-")
        key = f"{name}-{len(self.names)}"
        self.names[key] = (href, f"{spoken}{', ' + where if where else ''}")
        gid = f"tb-link:{key}"
        fill = draw.outline(self.ax, x, y, width, height, radius=6, role=role,
                            facecolor=colour(role), alpha=0.12 if href else 0.04, gid=gid)
        fill.set_edgecolor("none")
        draw.outline(self.ax, x, y, width, height, radius=6, role=role if href else "quiet",
                     thickness=1.5 if href else 1, dashed=not href, gid=gid)
        lines = (text or BOXES[name]).split("\n")
        for i, line in enumerate(lines):
            middle = y + height / 2 + 17 * (i - (len(lines) - 1) / 2)
            draw.label(self.ax, x + width / 2, middle, line, role=role if href else "quiet",
                       gid=gid)

    def draw(self):
        self.box("inputs", 60, 640, 120, 30, "ink")
