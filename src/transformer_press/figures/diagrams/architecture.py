"""The paper's Figure 1, in the book's style: every box a link to its chapter."""

from ..kit import checks
from ..kit.canvas import DASH_PATTERN, Canvas
from ..kit.figure import Figure
from ..kit.palette import colour
from ..kit.style import BODY, book_style

BOX_LABELS = {
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


def architecture(links: dict[str, str | None], *, title, alt):
    """Draw the encoder and the decoder of "Attention Is All You Need", every box a link.

    Parameters
    ----------
    links : dict
        Box name -> href, or None for a box whose chapter is still to come. The names are those
        of `BOX_LABELS`; one that is left out is to come as well.

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
        if name not in BOX_LABELS:
            raise ValueError(
                f"links: got {name!r}, expected one of {', '.join(BOX_LABELS)}; "
                "use these names"
            )
        if href is not None and not (isinstance(href, str) and href.strip()):
            raise ValueError(
                f"links[{name!r}]: got {href!r}, expected an address or None; "
                "give None for a chapter still to come"
            )
    title, alt = checks.text(title, "title"), checks.text(alt, "alt")
    with book_style():
        plan = _ArchitectureCanvas(links)
        plan.draw()
    return Figure(
        plan.figure,
        title=title,
        alt=alt,
        links_by_group=plan.links_by_group,
        smallest=BODY,
    )


LEFT, RIGHT = 124, 316  # the middles of the two columns
LANE_X_BY_STACK_X = {LEFT: 36, RIGHT: 404}  # where the residual connections run


class _ArchitectureCanvas(Canvas):
    """Two columns of boxes and the lines between them."""

    HALF_WIDTH = 70  # half a box

    def __init__(self, links):
        super().__init__(452, 682, left=-6, top=-26)
        self.links, self.links_by_group = links, {}

    def draw(self):
        """Draw all of it, what lies below first."""
        for x, top, middle in ((22, 222, LEFT), (238, 122, RIGHT)):
            self.outline(
                x, top, 180, 468 - top, radius=12, role="quiet", thickness=1, alpha=0.55
            )
            at = 7 if middle == LEFT else 433
            self.label(at, (top + 468) / 2, "N×", role="quiet")
        self.draw_inputs()
        self.draw_encoder()
        self.draw_decoder()
        self.draw_memory_arrows()
        self.draw_output_layers()
        self.write_remarks()

    def draw_linked_box(
        self,
        name: str,
        middle_x,
        y,
        height=30,
        role="ink",
        location: str = "",
        text: str | None = None,
        half_width=HALF_WIDTH,
    ):
        """Draw one box and register it as one link."""
        href, gid, hue = self.register_link(name, location, role)
        place = (middle_x - half_width, y, 2 * half_width, height)
        fill = {"facecolor": colour(hue), "alpha": 0.1 if href else 0.04}
        self.outline(*place, radius=6, gid=gid, **fill).set_edgecolor("none")
        edge = {"thickness": 1.25 if href else 1, "dashed": not href}
        self.outline(*place, radius=6, role=hue, gid=gid, **edge)
        name = text or BOX_LABELS[name]
        self.label(middle_x, y + height / 2, name, role=hue, leading=17, gid=gid)

    def register_link(self, name: str, location: str, role: str) -> tuple:
        """Return the href of a box, the mark of its artists, and the role it is drawn in."""
        href = self.links.get(name)
        spoken = " ".join(BOX_LABELS[name].split()).replace("- ", "-")
        key = f"{name}-{len(self.links_by_group)}"
        self.links_by_group[key] = (
            href,
            f"{spoken}, {location}" if location else spoken,
        )
        return href, f"tb-link:{key}", role if href else "quiet"

    def draw_arrow(self, *corners: tuple[float, float], role="quiet"):
        """Draw an arrow through the corners."""
        self.arrow(corners, role, barb=(6, 3.5))

    def draw_residual(self, middle_x, start_y, end_y):
        """Draw the way round a sub-layer: from the middle line out, up, and back in."""
        lane = LANE_X_BY_STACK_X[middle_x]
        side = (
            middle_x - self.HALF_WIDTH
            if lane < middle_x
            else middle_x + self.HALF_WIDTH
        )
        self.draw_arrow(
            (middle_x, start_y),
            (lane, start_y),
            (lane, end_y),
            (side, end_y),
            role="position",
        )

    def draw_sublayer(self, name, middle_x, y, height, location, sublayer_name):
        """Draw a sub-layer, its residual connection, and the addition and norm above it."""
        role = "ink" if name == "feed_forward" else "attention"
        self.draw_residual(middle_x, y + height + 14, y - 25)
        self.draw_arrow((middle_x, y), (middle_x, y - 10))
        self.draw_linked_box(name, middle_x, y, height, role, location)
        self.draw_linked_box(
            "add_and_norm",
            middle_x,
            y - 40,
            role="position",
            location=f"{location}, after {sublayer_name}",
        )

    def draw_inputs(self):
        """Draw what goes in: words, embeddings, positions."""
        for name, middle, text in (
            ("inputs", LEFT, "Inputs"),
            ("outputs", RIGHT, "Outputs\n(shifted right)"),
        ):
            self.draw_arrow((middle, 602), (middle, 580))
            self.draw_arrow((middle, 536), (middle, 513))
            self.draw_linked_box(name, middle, 602, 44, text=text)
            self.draw_linked_box(f"{name[:-1]}_embedding", middle, 536, 44)
            side = 1 if middle == LEFT else -1
            self.draw_arrow(
                (220 - side * 48, 500), (middle + side * 13, 500), role="position"
            )
            self.draw_addition(middle, name)
            self.draw_arrow((middle, 488), (middle, 442))
        self.draw_linked_box(
            "positional_encoding",
            220,
            478,
            44,
            "position",
            half_width=48,
            text="Positional\nencoding",
        )

    def draw_addition(self, middle_x, location: str):
        """Draw the addition of embedding and position: a circle, and a link like a box."""
        href, gid, hue = self.register_link("addition", location, "position")
        place, fill = (middle_x, 500, 12), 0.1 if href else 0.04
        self.circle(*place, thickness=0, fill=hue, alpha=fill, gid=gid)
        edge = {"thickness": 1.25, "linestyle": "-" if href else DASH_PATTERN}
        self.circle(*place, role=hue, gid=gid, **edge)
        self.label(middle_x, 500, "+", role=hue, bold=True, gid=gid)

    def draw_encoder(self):
        """Draw one encoder layer."""
        self.draw_arrow((LEFT, 358), (LEFT, 316))
        self.draw_sublayer("self_attention", LEFT, 398, 44, "encoder", "self-attention")
        self.draw_sublayer("feed_forward", LEFT, 286, 30, "encoder", "feed-forward")
        self.draw_stack_name("encoder", 70, 222)

    def draw_decoder(self):
        """Draw one decoder layer."""
        self.draw_arrow((RIGHT, 358), (RIGHT, 330), role="q")
        self.draw_arrow((RIGHT, 246), (RIGHT, 218))
        self.draw_sublayer(
            "masked_self_attention", RIGHT, 398, 44, "decoder", "masked self-attention"
        )
        self.draw_sublayer(
            "cross_attention", RIGHT, 286, 44, "decoder", "cross-attention"
        )
        self.draw_sublayer("feed_forward", RIGHT, 188, 30, "decoder", "feed-forward")
        self.label(RIGHT - 12, 344, "Q", role="q", bold=True)
        self.draw_stack_name("decoder", 370, 122)

    def draw_stack_name(self, name, middle_x, y):
        """Write the name of a stack on its frame; the frame is interrupted there."""
        self.rectangle(middle_x - 38, y - 2, 76, 4, role="paper")
        self.draw_linked_box(name, middle_x, y - 14, 28, half_width=37)

    def draw_memory_arrows(self):
        """Lead the encoder's output to the keys and values of cross-attention."""
        self.stroke([(LEFT, 246), (LEFT, 190), (220, 190), (220, 299)], thickness=1.5)
        self.draw_arrow((220, 299), (RIGHT - self.HALF_WIDTH, 299), role="k")
        self.stroke([(220, 299), (220, 319)], thickness=1.5)
        self.draw_arrow((220, 319), (RIGHT - self.HALF_WIDTH, 319), role="v")
        self.label(231, 290, "K", role="k", bold=True)
        self.label(231, 329, "V", role="v", bold=True)

    def draw_output_layers(self):
        """Draw what comes out: scores for each word, then probabilities."""
        self.draw_arrow((RIGHT, 148), (RIGHT, 94))
        self.draw_arrow((RIGHT, 64), (RIGHT, 44))
        self.draw_arrow((RIGHT, 14), (RIGHT, -2))
        self.draw_linked_box("linear", RIGHT, 64)
        self.draw_linked_box("softmax", RIGHT, 14)
        self.label(RIGHT, -14, "Output probabilities", role="quiet")

    def write_remarks(self):
        """Say what the lines cannot, where there is room: above the encoder."""
        remark = "The last encoder layer\nfeeds every decoder layer."
        self.label(22, 155, remark, role="quiet", anchor="left", leading=18)
        if any(href is None for href, _ in self.links_by_group.values()):
            self.outline(
                22, -22, 26, 16, radius=4, role="quiet", thickness=1, dashed=True
            )
            self.label(56, -14, "chapter to come", role="quiet", anchor="left")
