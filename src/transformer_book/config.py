"""The sizes of a Transformer and the choices that a paper makes, in one record."""

from dataclasses import asdict, dataclass, replace
from numbers import Integral, Real

NORMS = ("post", "pre")
SHARES = ("all", "target", "none")


class ConfigError(ValueError):
    """A setting that no Transformer can have; the message says which and what is expected."""


@dataclass(frozen=True)
class TransformerConfig:
    """Everything that settles the shapes and the wiring of a Transformer.

    Parameters
    ----------
    source_words, target_words : int
        Sizes of the two vocabularies, in tokens.
    d_model, d_ff, h, N : int
        Width of the vectors between layers, width inside the feed-forward network, number of heads,
        number of layers in each of the two stacks.
    dropout : float
        Probability with which a number is set to 0 while training.
    norm : "post" or "pre"
        Post-LN, as in the paper, normalises after each addition; Pre-LN normalises the input of
        each sub-layer, and the output of each stack.
    share : "all", "target" or "none"
        Which matrices are one: both embeddings and the output layer, as in the paper; the target
        embedding and the output layer; or none.
    max_length : int
        The longest sentence, in tokens: how many positions are encoded.
    pad_id : int
        The id that fills up the shorter sentences of a batch.

    Raises
    ------
    ConfigError
        Naming the setting, what was given and what is expected.
    """

    source_words: int
    target_words: int
    d_model: int = 512
    d_ff: int = 2048
    h: int = 8
    N: int = 6
    dropout: float = 0.1
    norm: str = "post"
    share: str = "all"
    max_length: int = 512
    pad_id: int = 0

    def __post_init__(self):
        for name in (
            "source_words",
            "target_words",
            "d_model",
            "d_ff",
            "h",
            "N",
            "max_length",
        ):
            value = getattr(self, name)
            whole = isinstance(value, Integral) and value >= 1
            _check(whole, name, value, "a whole number of at least 1")
        odd = self.d_model % self.h or self.d_model % 2
        _check(
            not odd,
            "d_model",
            self.d_model,
            f"an even multiple of h, which is {self.h}",
        )
        fits = isinstance(self.dropout, Real) and 0 <= self.dropout < 1
        _check(fits, "dropout", self.dropout, "a probability from 0 to below 1")
        _check(self.norm in NORMS, "norm", self.norm, f"one of {NORMS}")
        _check(self.share in SHARES, "share", self.share, f"one of {SHARES}")
        one = self.share != "all" or self.source_words == self.target_words
        words = (self.source_words, self.target_words)
        _check(
            one, "share", "all", f"one vocabulary, or share='target' for {words} words"
        )

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
    if not right:
        raise ConfigError(
            f"TransformerConfig: {name} is {given!r}; expected {expected}."
        )
