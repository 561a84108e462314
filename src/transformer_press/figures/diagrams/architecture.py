"""The paper's Figure 1, in the book's style: every box a link to its chapter."""

from matplotlib.patches import Circle

from ..kit import checks, draw
from ..kit.figure import Figure
from ..kit.palette import colour
from ..kit.style import BODY, canvas, points, styled

BOXES = {
    "inputs": "Inputs",
    "outputs": "Outputs",
    "input_embedding": "Input\nembedding",
    "output_embedding": "Output\nembedding",
    "positional_encoding": "Positional encoding",
    "addition": "Addition of positions",
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
        raise ValueError(
            f"links: got {type(links).__name__}, expected a dict of box -> href; "
            "give {} for no links"
        )
    for name, href in links.items():
        if name not in BOXES:
            raise ValueError(
                f"links: got {name!r}, expected one of {', '.join(BOXES)}; "
                "use these names"
            )
        if href is not None and not (isinstance(href, str) and href.strip()):
            raise ValueError(
                f"links[{name!r}]: got {href!r}, expected an address or None; "
                "give None for a chapter still to come"
            )
    title, alt = checks.text(title, "title"), checks.text(alt, "alt")
    with styled():
        plan = _Plan(links)
        plan.draw()
    return Figure(plan.drawing, title=title, alt=alt, names=plan.names, smallest=BODY)


LEFT, RIGHT = 124, 316  # the middles of the two columns
LANES = {LEFT: 36, RIGHT: 404}  # where the residual connections run


class _Plan:
    """The drawing: two columns of boxes and the lines between them, in px, y down."""

    HALF = 70  # half a box

    def __init__(self, links):
        self.links, self.names = links, {}
        self.drawing, self.ax = canvas(452, 682)
        self.ax.set(xlim=(-6, 446), ylim=(656, -26))

    def draw(self):
        """Draw all of it, what lies below first."""
        for x, top, middle in ((22, 222, LEFT), (238, 122, RIGHT)):
            draw.outline(
                self.ax,
                x,
                top,
                180,
                468 - top,
                radius=12,
                role="quiet",
                thickness=1,
                alpha=0.55,
            )
            at = 7 if middle == LEFT else 433
            draw.label(self.ax, at, (top + 468) / 2, "N×", role="quiet")
        self.below()
        self.encoder()
        self.decoder()
        self.bridge()
        self.top()
        self.remarks()

    def box(
        self, name, middle, y, height=30, role="ink", where="", text=None, half=HALF
    ):
        """Draw one box and register it as one link."""
        href = self.links.get(name)
        shown = text or BOXES[name]
        spoken = " ".join(BOXES[name].split()).replace("- ", "-")
        key = f"{name}-{len(self.names)}"
        self.names[key] = (href, f"{spoken}, {where}" if where else spoken)
        gid, hue = f"tb-link:{key}", role if href else "quiet"
        place = (self.ax, middle - half, y, 2 * half, height)
        fill = draw.outline(
            *place,
            radius=6,
            facecolor=colour(hue),
            alpha=0.1 if href else 0.04,
            gid=gid,
        )
        fill.set_edgecolor("none")
        draw.outline(
            *place,
            radius=6,
            role=hue,
            thickness=1.25 if href else 1,
            dashed=not href,
            gid=gid,
        )
        lines = shown.split("\n")
        for i, line in enumerate(lines):
            at = y + height / 2 + 17 * (i - (len(lines) - 1) / 2)
            draw.label(self.ax, middle, at, line, role=hue, gid=gid)

    def arrow(self, *corners, role="quiet"):
        """Draw a line through the corners with a head at its end."""
        draw.stroke(self.ax, corners, role=role, thickness=1.5)
        (x0, y0), (x, y) = corners[-2:]
        dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
        head = [
            (x - 6 * dx - 3.5 * dy, y - 6 * dy - 3.5 * dx),
            (x, y),
            (x - 6 * dx + 3.5 * dy, y - 6 * dy + 3.5 * dx),
        ]
        draw.stroke(self.ax, head, role=role, thickness=1.5)

    def residual(self, middle, start, end):
        """Draw the way round a sub-layer: from the middle line out, up, and back in."""
        lane = LANES[middle]
        side = middle - self.HALF if lane < middle else middle + self.HALF
        self.arrow(
            (middle, start), (lane, start), (lane, end), (side, end), role="position"
        )

    def sublayer(self, name, middle, y, height, where, after):
        """Draw a sub-layer, its residual connection, and the addition and norm above it."""
        role = "ink" if name == "feed_forward" else "attention"
        self.residual(middle, y + height + 14, y - 25)
        self.arrow((middle, y), (middle, y - 10))
        self.box(name, middle, y, height, role, where)
        self.box(
            "add_and_norm",
            middle,
            y - 40,
            role="position",
            where=f"{where}, after {after}",
        )

    def below(self):
        """Draw what goes in: words, embeddings, positions."""
        for name, middle, text in (
            ("inputs", LEFT, "Inputs"),
            ("outputs", RIGHT, "Outputs\n(shifted right)"),
        ):
            self.arrow((middle, 602), (middle, 580))
            self.arrow((middle, 536), (middle, 513))
            self.box(name, middle, 602, 44, text=text)
            self.box(f"{name[:-1]}_embedding", middle, 536, 44)
            side = 1 if middle == LEFT else -1
            self.arrow(
                (220 - side * 48, 500), (middle + side * 13, 500), role="position"
            )
            self.plus(middle, name)
            self.arrow((middle, 488), (middle, 442))
        self.box(
            "positional_encoding",
            220,
            478,
            44,
            "position",
            half=48,
            text="Positional\nencoding",
        )

    def plus(self, middle, where):
        """Draw the addition of embedding and position: a circle, and a link like a box."""
        href = self.links.get("addition")
        key, hue = f"addition-{len(self.names)}", "position" if href else "quiet"
        self.names[key] = (href, f"{BOXES['addition']}, {where}")
        look = {
            "facecolor": colour(hue),
            "alpha": 0.1 if href else 0.04,
            "linewidth": 0,
        }
        edge = {
            "facecolor": "none",
            "edgecolor": colour(hue),
            "linewidth": points(1.25),
            "linestyle": "-" if href else (0, (4, 3)),
        }
        for style in (look, edge):
            self.ax.add_patch(Circle((middle, 500), 12, gid=f"tb-link:{key}", **style))
        draw.label(self.ax, middle, 500, "+", role=hue, bold=True, gid=f"tb-link:{key}")

    def encoder(self):
        """Draw one encoder layer."""
        self.arrow((LEFT, 358), (LEFT, 316))
        self.sublayer("self_attention", LEFT, 398, 44, "encoder", "self-attention")
        self.sublayer("feed_forward", LEFT, 286, 30, "encoder", "feed-forward")
        self.tab("encoder", 70, 222)

    def decoder(self):
        """Draw one decoder layer."""
        self.arrow((RIGHT, 358), (RIGHT, 330), role="q")
        self.arrow((RIGHT, 246), (RIGHT, 218))
        self.sublayer(
            "masked_self_attention",
            RIGHT,
            398,
            44,
            "decoder",
            "masked self-attention",
        )
        self.sublayer("cross_attention", RIGHT, 286, 44, "decoder", "cross-attention")
        self.sublayer("feed_forward", RIGHT, 188, 30, "decoder", "feed-forward")
        draw.label(self.ax, RIGHT - 12, 344, "Q", role="q", bold=True)
        self.tab("decoder", 370, 122)

    def tab(self, name, middle, y):
        """Write the name of a stack on its frame; the frame is interrupted there."""
        draw.rectangle(self.ax, middle - 38, y - 2, 76, 4, role="paper")
        self.box(name, middle, y - 14, 28, half=37)

    def bridge(self):
        """Lead the encoder's output to the keys and values of cross-attention."""
        draw.stroke(
            self.ax,
            [(LEFT, 246), (LEFT, 190), (220, 190), (220, 299)],
            thickness=1.5,
        )
        self.arrow((220, 299), (RIGHT - self.HALF, 299), role="k")
        draw.stroke(self.ax, [(220, 299), (220, 319)], thickness=1.5)
        self.arrow((220, 319), (RIGHT - self.HALF, 319), role="v")
        draw.label(self.ax, 231, 290, "K", role="k", bold=True)
        draw.label(self.ax, 231, 329, "V", role="v", bold=True)

    def top(self):
        """Draw what comes out: scores for each word, then probabilities."""
        self.arrow((RIGHT, 148), (RIGHT, 94))
        self.arrow((RIGHT, 64), (RIGHT, 44))
        self.arrow((RIGHT, 14), (RIGHT, -2))
        self.box("linear", RIGHT, 64)
        self.box("softmax", RIGHT, 14)
        draw.label(self.ax, RIGHT, -14, "Output probabilities", role="quiet")

    def remarks(self):
        """Say what the lines cannot, where there is room: above the encoder."""
        for i, line in enumerate(
            ("The last encoder layer", "feeds every decoder layer.")
        ):
            draw.label(self.ax, 22, 146 + 18 * i, line, role="quiet", anchor="left")
        if any(href is None for href, _ in self.names.values()):
            draw.outline(
                self.ax,
                22,
                -22,
                26,
                16,
                radius=4,
                role="quiet",
                thickness=1,
                dashed=True,
            )
            draw.label(self.ax, 56, -14, "chapter to come", role="quiet", anchor="left")
