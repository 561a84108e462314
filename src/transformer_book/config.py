"""The sizes of a Transformer and the choices that a paper makes, in one record."""

from dataclasses import asdict, dataclass, fields, replace

from .config_rules import check_settings_fit
from .options import (
    ConfigError,
    check_and_convert_options,
    choice,
    document_settings,
    flag,
    integer,
    integers,
    nested_settings,
    number,
)
from .rotation import Rotation
from .special_ids import BOS, EOS, UNK

__all__ = ["ConfigError", "Rotation", "TransformerConfig"]

KINDS = ("encoder-decoder", "decoder-only", "encoder-only")
NORMS = ("post", "pre", "output", "both")
SHARES = ("all", "target", "embeddings", "none")
NORMALISES = ("layer", "rms")
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu")
POSITIONS = ("sinusoidal", "learned", "none", "shaw", "t5", "alibi", "rope")
ATTENTION_BIASES = ("none", "inputs", "all")
POSITIVE_CHECK = (lambda x: x > 0), "a number above 0"
OUTPUTS = ("words", "classes", "vectors")


@document_settings
@dataclass(frozen=True)
class TransformerConfig:
    """Everything that settles the shapes and the wiring of a Transformer."""

    source_words: int = integer(
        "size of the source vocabulary, in tokens; 0 where images are read alone",
        least=0,
    )
    target_words: int = integer(
        "size of the target vocabulary, in tokens; of a model that tells classes, how many"
    )
    d_model: int = integer("width of the vectors between layers", 512)
    d_ff: int = integer("width inside the feed-forward network", 2048)
    h: int = integer("heads of each attention", 8, option="heads")
    N: int = integer("layers of each of the two stacks", 6, option="layers")
    dropout: float = number(
        "probability with which a number is set to 0 while training",
        0.1,
        lambda p: 0 <= p < 1,
        "a probability from 0 to below 1",
    )
    norm: str = choice(
        "post: Post-LN, as in the paper, normalises after each addition; pre: Pre-LN "
        "normalises the input of each sub-layer, and the output of each stack; output: "
        "the output of each instead of its input; both: input and output",
        "post",
        NORMS,
    )
    share: str = choice(
        "which matrices are one; all: both embeddings and the output layer, as in the "
        "paper; target: the target embedding and the output layer; embeddings: both "
        "embeddings; or none",
        "all",
        SHARES,
    )
    max_length: int = integer("tokens of the longest sentence", 512)
    pad_id: int = integer("the id that fills up the shorter sentences of a batch", 0, 0)
    g: int | None = integer(
        "heads of keys and values in each self-attention, shared by the h heads of "
        "queries; None: as many as these",
        None,
    )
    normalise: str = choice(
        "how vectors are normalised; layer: LayerNorm; rms: RMSNorm",
        "layer",
        NORMALISES,
    )
    activation: str = choice(
        "what bends inside the feed-forward network", "relu", ACTIVATIONS
    )
    gated: bool = flag(
        "whether the feed-forward network has a gate, and so three matrices and no biases",
        False,
    )
    bias: bool = flag("whether the feed-forward network and LayerNorm add biases", True)
    qk_norm: bool = flag(
        "whether queries and keys are normalised, each head by itself", False
    )
    positions: str = choice(
        "how the model knows where a word stands; sinusoidal, learned: by vectors "
        "added below the first layer; shaw, t5, alibi, rope: in every self-attention, by "
        "the distance of two words; none: not at all",
        "sinusoidal",
        POSITIONS,
    )
    experts: int | None = integer(
        "experts in the place of each feed-forward network, each d_ff wide; None: one "
        "network for all words",
        None,
    )
    active: int | None = integer(
        "experts that each word passes, of those there are; None where there are none",
        None,
    )
    kind: str = choice(
        "who sees whom; encoder-decoder: the source all of itself, the target no later "
        "word and all of the source; decoder-only: nobody what comes later; encoder-only: "
        "all see all",
        "encoder-decoder",
        KINDS,
    )
    N_decoder: int | None = integer("layers of the decoder, if not N", None)
    d_k: int | None = integer("width of a head; None: d_model / h", None)
    attention_bias: str = choice(
        "which products of attention add a bias; inputs: those of queries, keys and "
        "values; all: that of the output too",
        "none",
        ATTENTION_BIASES,
    )
    qk_norm_of_all: bool = flag(
        "whether the norm of queries and of keys is over all heads of a word at once",
        False,
    )
    score_scale: float | None = number(
        "what products of queries and keys are multiplied by; None: 1 / sqrt(d_k)",
        None,
        *POSITIVE_CHECK,
    )
    score_cap: float | None = number(
        "a bound c of the scores of attention, which become c tanh(score / c)",
        None,
        *POSITIVE_CHECK,
    )
    logit_cap: float | None = number("the same of the logits", None, *POSITIVE_CHECK)
    epsilon: float | None = number(
        "what a norm adds to the variance; None: 1e-5 for LayerNorm, 1e-6 for RMSNorm",
        None,
        *POSITIVE_CHECK,
    )
    parallel: bool = flag(
        "whether attention and feed-forward network read the same input, and both are "
        "added to it",
        False,
    )
    window: int | None = integer(
        "words that each word sees, itself and those just before, but for layers of "
        "``global_layers``; None: all",
        None,
    )
    global_layers: tuple[int, ...] = integers(
        "numbers of the layers, from 0, that the window does not limit", ()
    )
    rotation: Rotation = nested_settings("how rotary positions turn", Rotation)
    window_rotation: Rotation | None = nested_settings(
        "how they turn in the layers that a window limits, if otherwise", Rotation, None
    )
    buckets: int = integer("buckets of distances that t5's positions have", 32, 2)
    farthest: int = integer("the distance from where on all share a bucket", 128, 2)
    embedding_scaled: bool = flag(
        "whether embeddings are multiplied by the root of d_model", True
    )
    embedding_norm: bool = flag(
        "whether what the first layer reads is normalised", False
    )
    token_types: int | None = integer(
        "kinds of sentence that have a row each, added to their words", None
    )
    image: int | None = integer(
        "pixels of a side of an image; None for no images", None
    )
    patch: int | None = integer("pixels of a side of a patch", None)
    channels: int = integer("numbers of a pixel", 1)
    output: str = choice(
        "what is asked for; words: a logit for each word at each place; classes: one for "
        "each class, at the first place; vectors: what the last layer makes",
        "words",
        OUTPUTS,
    )
    output_layer: bool = flag(
        "whether a layer, an activation and a norm stand before the output layer", False
    )
    output_bias: bool = flag("whether the output layer has a bias", False)
    output_scaled: bool = flag("whether it divides by the root of d_model", False)
    first_position: int = integer(
        "the row of learned positions that the first word has", 0, 0
    )
    begin_id: int = integer("the id that a translation begins with", BOS, 0)
    end_ids: tuple[int, ...] = integers(
        "the ids that end a text, the first of them the one that is learned", (EOS,)
    )
    never_ids: tuple[int, ...] | None = integers(
        "the ids that decoding never writes; None: padding, the first mark and, in a "
        "language model, the mark of unknown words",
        None,
    )

    def __post_init__(self):
        check_and_convert_options(self, "TransformerConfig")
        check_settings_fit(self)

    @property
    def head_width(self) -> int:
        """The width of a head, d_k or else d_model / h."""
        return self.d_model // self.h if self.d_k is None else self.d_k

    @property
    def never_written_ids(self) -> tuple[int, ...]:
        """The ids that decoding never writes."""
        if self.never_ids is not None:
            return self.never_ids
        marks = (self.pad_id, self.begin_id)
        return (*marks, UNK) if self.kind == "decoder-only" else marks

    @property
    def patch_count(self) -> int:
        """How many patches an image has."""
        if self.image is None or self.patch is None:
            return 0
        return (self.image // self.patch) ** 2

    def differing_settings(self, other: "TransformerConfig") -> dict[str, tuple]:
        """Return the settings that differ, by name, each with both values."""
        pairs = {
            setting.name: (getattr(self, setting.name), getattr(other, setting.name))
            for setting in fields(self)
        }
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    @classmethod
    def tiny(
        cls, source_words: int = 10_000, target_words: int | None = None, **changes
    ) -> "TransformerConfig":
        """A model for small corpora: d_model 128, d_ff 256, 4 heads, 4 layers."""
        sizes = dict(d_model=128, d_ff=256, h=4, N=4)
        return cls(source_words, target_words or source_words, **{**sizes, **changes})

    @classmethod
    def base(
        cls, source_words: int = 37_000, target_words: int | None = None, **changes
    ) -> "TransformerConfig":
        """The paper's base model: d_model 512, d_ff 2048, 8 heads, 6 layers."""
        return cls(source_words, target_words or source_words, **changes)

    @classmethod
    def big(
        cls, source_words: int = 37_000, target_words: int | None = None, **changes
    ) -> "TransformerConfig":
        """The paper's big model: d_model 1024, d_ff 4096, 16 heads, 6 layers, dropout 0.3."""
        sizes = dict(d_model=1024, d_ff=4096, h=16, dropout=0.3)
        return cls(source_words, target_words or source_words, **{**sizes, **changes})

    def changed(self, **changes) -> "TransformerConfig":
        """Return the same configuration with some settings changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict:
        """Return the settings as a dictionary, as JSON has it, to be saved beside the weights."""
        settings = asdict(self).items()
        return {name: [*x] if isinstance(x, tuple) else x for name, x in settings}
