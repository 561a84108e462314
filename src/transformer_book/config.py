"""The sizes of a Transformer and the choices that a paper makes, in one record."""

from dataclasses import asdict, dataclass, replace

from .options import (
    ConfigError,
    check_option,
    check_options,
    choice,
    documented,
    flag,
    number,
    whole,
)

__all__ = ["ConfigError", "TransformerConfig"]

NORMS = ("post", "pre")
SHARES = ("all", "target", "none")
NORMALISES = ("layer", "rms")
ACTIVATIONS = ("relu", "gelu", "silu")
POSITIONS = ("sinusoidal", "learned", "none", "shaw", "t5", "alibi", "rope")


@documented
@dataclass(frozen=True)
class TransformerConfig:
    """Everything that settles the shapes and the wiring of a Transformer."""

    source_words: int = whole("size of the source vocabulary, in tokens", option=None)
    target_words: int = whole("size of the target vocabulary, in tokens", option=None)
    d_model: int = whole("width of the vectors between layers", 512)
    d_ff: int = whole("width inside the feed-forward network", 2048)
    h: int = whole("heads of each attention", 8, option="heads")
    N: int = whole("layers of each of the two stacks", 6, option="layers")
    dropout: float = number(
        "probability with which a number is set to 0 while training",
        0.1,
        lambda p: 0 <= p < 1,
        "a probability from 0 to below 1",
    )
    norm: str = choice(
        "post: Post-LN, as in the paper, normalises after each addition; pre: Pre-LN "
        "normalises the input of each sub-layer, and the output of each stack",
        "post",
        NORMS,
    )
    share: str = choice(
        "which matrices are one; all: both embeddings and the output layer, as in the "
        "paper; target: the target embedding and the output layer; or none",
        "all",
        SHARES,
    )
    max_length: int = whole("tokens of the longest sentence", 512)
    pad_id: int = whole(
        "the id that fills up the shorter sentences of a batch", 0, 0, option=None
    )
    g: int | None = whole(
        "heads of keys and values in each attention of a language model, shared by the h "
        "heads of queries; None: as many as these",
        None,
        option=None,
    )
    normalise: str = choice(
        "how a language model normalises; layer: LayerNorm; rms: RMSNorm",
        "layer",
        NORMALISES,
        option=None,
    )
    activation: str = choice(
        "what bends inside the feed-forward network of a language model",
        "relu",
        ACTIVATIONS,
        option=None,
    )
    gated: bool = flag(
        "whether the feed-forward network of a language model has a gate, and so three "
        "matrices and no biases",
        False,
        option=None,
    )
    bias: bool = flag(
        "whether the feed-forward network and the LayerNorm of a language model add biases",
        True,
        option=None,
    )
    qk_norm: bool = flag(
        "whether a language model normalises each head's queries and keys by RMSNorm",
        False,
        option=None,
    )
    positions: str = choice(
        "how a language model knows where a word stands; sinusoidal, learned: by vectors "
        "added below the first layer; shaw, t5, alibi, rope: in every attention, by the "
        "distance of two words; none: not at all",
        "sinusoidal",
        POSITIONS,
        option=None,
    )
    experts: int | None = whole(
        "experts in the place of each feed-forward network of a language model, each "
        "d_ff wide; None: one network for all words",
        None,
        option=None,
    )
    active: int | None = whole(
        "experts that each word passes, of those there are; None where there are none",
        None,
        option=None,
    )

    def __post_init__(self):
        check_options(self, "TransformerConfig")
        odd = self.d_model % self.h or self.d_model % 2
        expected = f"an even multiple of h, which is {self.h}"
        _check(not odd, "d_model", self.d_model, expected)
        fewer = min(self.source_words, self.target_words)
        within = self.pad_id < fewer
        _check(within, "pad_id", self.pad_id, f"an id of the vocabulary, below {fewer}")
        shared = self.g is None or self.h % self.g == 0
        _check(shared, "g", self.g, f"a number that divides h, which is {self.h}")
        turns = self.positions != "rope" or self.d_model // self.h % 2 == 0
        expected = (
            f"an even multiple of h, which is {self.h}, as dimensions turn in pairs"
        )
        _check(turns, "d_model", self.d_model, expected)
        _check_experts(self.experts, self.active)
        one = self.share != "all" or self.source_words == self.target_words
        words = (self.source_words, self.target_words)
        expected = f"one vocabulary, or share='target' for {words} words"
        _check(one, "share", "all", expected)

    @classmethod
    def tiny(cls, source_words=10_000, target_words=None, **changes):
        """A model for small corpora: d_model 128, d_ff 256, 4 heads, 4 layers."""
        sizes = dict(d_model=128, d_ff=256, h=4, N=4)
        return cls(source_words, target_words or source_words, **{**sizes, **changes})

    @classmethod
    def base(cls, source_words=37_000, target_words=None, **changes):
        """The paper's base model: d_model 512, d_ff 2048, 8 heads, 6 layers."""
        return cls(source_words, target_words or source_words, **changes)

    @classmethod
    def big(cls, source_words=37_000, target_words=None, **changes):
        """The paper's big model: d_model 1024, d_ff 4096, 16 heads, 6 layers, dropout 0.3."""
        sizes = dict(d_model=1024, d_ff=4096, h=16, dropout=0.3)
        return cls(source_words, target_words or source_words, **{**sizes, **changes})

    def changed(self, **changes):
        """Return the same configuration with some settings changed."""
        return replace(self, **changes)

    def as_dict(self):
        """Return the settings as a dictionary, for example to be saved beside the weights."""
        return asdict(self)


def _check(right, name, given, expected):
    check_option(right, "TransformerConfig", name, given, expected)


def _check_experts(experts, active):
    fits = active is None if experts is None else active in range(1, experts + 1)
    expected = "None, as experts is None" if experts is None else f"1 to {experts}"
    _check(fits, "active", active, expected)
