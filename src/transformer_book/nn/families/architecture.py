"""The choices that tell one family of Transformers from another, in one record."""

from dataclasses import asdict, dataclass, fields, replace

from ...options import (
    check_option,
    check_options,
    choice,
    documented,
    flag,
    number,
    whole,
)

KINDS = ("encoder-only", "decoder-only", "encoder-decoder")
OUTPUTS = ("embedding", "own", "classes", "none")


@documented
@dataclass(frozen=True)
class Architecture:
    """Every choice that BERT, GPT-2, T5, Llama, Qwen3 and ViT make differently."""

    kind: str = choice(
        "who sees whom; encoder-only: all see all; decoder-only: nobody what comes later; "
        "encoder-decoder: the source all of itself, the target no later and all of the source",
        "decoder-only",
        KINDS,
    )
    words: int | None = whole("size of the vocabulary; None where there are none", None)
    d_model: int = whole("width of the vectors between layers", 128)
    d_ff: int = whole("width inside the feed-forward network", 512)
    N: int = whole("layers of a stack", 2)
    N_decoder: int = whole("layers of the decoder, if not as many", None)
    h: int = whole("heads of each attention", 4)
    g: int = whole("heads of keys and values; None: as many as of queries", None)
    d_k: int = whole("width of a head; None: d_model / h", None)
    norm: str = choice("where the norms stand, after or before", "pre", ("post", "pre"))
    normalise: str = choice("how they normalise", "layer", ("layer", "rms"))
    epsilon: float = number(
        "what a norm adds to the variance", 1e-5, lambda e: e > 0, "a number above 0"
    )
    qk_norm: bool = flag("whether queries and keys are normalised", False)
    scaled: bool = flag("whether scores are divided by the root of d_k", True)
    attention_bias: bool = flag("whether projections have a bias", True)
    activation: str = choice(
        "of the feed-forward network", "gelu", ("relu", "gelu", "gelu_tanh", "silu")
    )
    gated: bool = flag("whether a gate multiplies what it makes", False)
    feed_forward_bias: bool = flag("whether its layers have biases", True)
    positions: str = choice(
        "table: a learned row for each; rotary: queries and keys are rotated; buckets: a learned "
        "number for each distance, added to the scores",
        "table",
        ("table", "rotary", "buckets"),
    )
    max_length: int | None = whole("rows in the table of positions", None)
    base: float = number(
        "of the angles of rotary positions", 10_000.0, lambda b: b > 1, "more than 1"
    )
    stretch: float = number(
        "by what the turns of slow pairs of rotary positions are divided, for longer texts; 1: nothing",
        1.0,
        lambda x: x >= 1,
        "a number of at least 1",
    )
    slow: float = number(
        "turns in a text of ``trained`` tokens up to which a pair is slow",
        1.0,
        lambda x: x > 0,
        "a number above 0",
    )
    fast: float = number(
        "turns from which on a pair keeps its own; in between it is divided in part",
        4.0,
        lambda x: x > 0,
        "a number above 0",
    )
    trained: int = whole("tokens of the texts before they became longer", 8192)
    buckets: int = whole("buckets of distances", 32, 2)
    max_distance: int = whole("from where on all distances share a bucket", 128, 2)
    token_types: int | None = whole("kinds of sentence that have a row each", None)
    embedding_norm: bool = flag("whether the embedding is normalised", False)
    image: int | None = whole("pixels of a side of an image; None for no images", None)
    patch: int | None = whole("pixels of a side of a patch", None)
    channels: int = whole("numbers of a pixel", 1)
    output: str = choice(
        "what the output layer multiplies by: the embedding, a matrix of its own, one with a row for "
        "each class of images; none: vectors are the output",
        "embedding",
        OUTPUTS,
    )
    classes: int | None = whole("classes of images", None)
    head: bool = flag("whether a layer and a norm stand before the output layer", False)
    output_bias: bool = flag("whether the output layer has a bias", False)
    output_scaled: bool = flag("whether it divides by the root of d_model", False)

    def __post_init__(self):
        check_options(self, "Architecture")
        # None stands for what follows from the other sizes; from here on it is a number.
        _check(
            self.d_k is not None or self.d_model % self.h == 0,
            "d_model",
            self.d_model,
            f"a multiple of h, which is {self.h}, or a d_k",
        )
        for name, value in (
            ("d_k", self.d_model // self.h),
            ("g", self.h),
            ("N_decoder", self.N),
        ):
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        shared = self.h % self.g == 0
        _check(shared, "g", self.g, f"a number that divides h, which is {self.h}")
        bare = not (self.gated and self.feed_forward_bias)
        _check(
            bare, "feed_forward_bias", True, "False, as a gated network has no biases"
        )
        self._check_inputs()

    def _check_inputs(self):
        images = self.image is not None
        reads = images or self.words is not None
        _check(reads, "words", None, "the size of a vocabulary, or an image")
        if self.image is None or self.patch is None:
            fits = self.image is self.patch
        else:
            fits = self.image % self.patch == 0
        expected = f"a number that divides image, which is {self.image}"
        _check(fits, "patch", self.patch, expected if images else "None, as image is")
        table = self.positions != "table" or self.max_length is not None
        _check(table, "max_length", self.max_length, "the number of rows of the table")
        even = self.positions != "rotary" or self.d_k % 2 == 0
        _check(even, "d_k", self.d_k, "an even number, as pairs of numbers are rotated")
        order = self.slow < self.fast
        _check(order, "fast", self.fast, f"more than slow, which is {self.slow}")
        told = (self.output == "classes") == (self.classes is not None)
        _check(
            told, "classes", self.classes, "a number with output='classes', else None"
        )
        worded = self.words is not None or self.output in ("classes", "none")
        _check(
            worded, "output", self.output, "'classes' or 'none', as there are no words"
        )
        stacks = not images or self.kind != "encoder-decoder"
        _check(stacks, "image", self.image, "None, as an encoder-decoder reads words")

    @property
    def patches(self) -> int:
        """How many patches an image has."""
        if self.image is None or self.patch is None:
            return 0
        return (self.image // self.patch) ** 2

    def changed(self, **changes):
        """Return the same architecture with some choices made differently; d_k and g stay as they are."""
        return replace(self, **changes)

    def as_dict(self):
        """Return the choices by name."""
        return asdict(self)

    def differences(self, other):
        """Return the choices that differ, by name, each with both values."""
        pairs = {
            one.name: (getattr(self, one.name), getattr(other, one.name))
            for one in fields(self)
        }
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _check(right, name, given, expected):
    check_option(right, "Architecture", name, given, expected)
