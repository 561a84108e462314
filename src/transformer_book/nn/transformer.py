"""The Transformer: embeddings, positions, the two stacks, the output layer."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..config import ConfigError, TransformerConfig
from ..shapes import checked
from .cache import DecoderCache, restores_cache_on_error
from .embedding import embed, fresh_embedding
from .layers import DecoderLayer, EncoderLayer
from .masks import padding_mask
from .positions import add_position_table
from .variants import final_norm, logits_of, make_layers

SUPPORTED_POSITIONS = ("sinusoidal", "none", "t5", "rope")


class Transformer(torch.nn.Module):
    """The Transformer of Vaswani et al. (2017), section 3, from ids to logits.

    An attention's weights carry the name of its module, such as ``encoder.0.self_attention`` or
    ``decoder.5.cross_attention``; so do its parameters.

    Parameters
    ----------
    config : TransformerConfig

    Raises
    ------
    ConfigError
        If the configuration is of another kind, or of positions that an encoder cannot have.
    """

    PE: Tensor | None  # (max_length, d_model)

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = c = config
        _check_kind_and_positions(c)
        self.source_embedding = fresh_embedding(c.source_words, c.d_model)
        self.target_embedding = self.source_embedding
        if c.share not in ("all", "embeddings"):
            self.target_embedding = fresh_embedding(c.target_words, c.d_model)
        self.output = self.target_embedding
        if c.share in ("embeddings", "none"):
            self.output = fresh_embedding(c.target_words, c.d_model)
        self.b_output = None
        if c.output_bias:
            self.b_output = torch.nn.Parameter(torch.zeros(c.target_words))
        add_position_table(self, c)
        self.dropout = torch.nn.Dropout(c.dropout)
        self.encoder = make_layers(c, c.N, EncoderLayer, bidirectional=True)
        self.decoder = make_layers(c, c.N_decoder or c.N, DecoderLayer)
        # In Pre-LN nothing has normalised the sum that leaves the last layer.
        self.encoder_norm, self.decoder_norm = final_norm(c), final_norm(c)

    @checked
    def forward(
        self,
        source: Int[Tensor, "batch n"],
        target: Int[Tensor, "batch m"],
        *,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch m target_words"], dict]:
        """As ``by_hand.transformer``, with this model's weights.

        Parameters
        ----------
        need_weights : bool
            Whether to hold every attention's weights; the dict is empty if not.

        Raises
        ------
        ShapeError
            Also for ids beyond the vocabulary and sentences beyond ``config.max_length``.
        """
        memory, weights = self.encode(source, need_weights=need_weights)
        mask = padding_mask(source, self.config.pad_id)
        x, more_weights = self.decode(target, memory, mask, need_weights=need_weights)
        return self.logits(x), weights | more_weights

    @checked
    def encode(
        self, source: Int[Tensor, "batch n"], *, need_weights: bool = False
    ) -> tuple[Float[Tensor, "batch n d_model"], dict]:
        """Return the memory, (batch, n, d_model), and the encoder's weights by name."""
        mask = padding_mask(source, self.config.pad_id)
        x, weights = self._embed("source", source, self.source_embedding), {}
        for i, layer in enumerate(self.encoder):
            x, attentions = layer(x, mask, need_weights=need_weights)
            weights |= _named_attentions(f"encoder.{i}", attentions)
        return self.encoder_norm(x), weights

    @checked
    @restores_cache_on_error
    def decode(
        self,
        target: Int[Tensor, "batch m"],
        memory: Float[Tensor, "batch n d_model"],
        memory_mask: Bool[Tensor, "#batch #m #n"] | None = None,
        *,
        cache: DecoderCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch m d_model"], dict]:
        """Return the decoder's vectors, (batch, m, d_model), and its weights by name.

        With a cache, ``target`` holds only the tokens that have not gone through yet.
        """
        start = len(cache) if cache else 0
        x = self._embed("target", target, self.target_embedding, start)
        weights = {}
        for i, layer in enumerate(self.decoder):
            x, attentions = layer(
                x,
                memory,
                memory_mask,
                need_weights=need_weights,
                cache=None if cache is None else cache.layers[i],
            )
            weights |= _named_attentions(f"decoder.{i}", attentions)
        return self.decoder_norm(x), weights

    def logits(self, x):
        """Return the output layer's logits, (..., target_words), of vectors (..., d_model)."""
        return logits_of(x, self.output, self.b_output, self.config)

    def _embed(
        self, ids_name: str, ids, E, start: int = 0
    ) -> Float[Tensor, "batch length d_model"]:
        scaled = self.config.embedding_scaled
        x = embed("Transformer", ids_name, ids, E, self.PE, start, scaled=scaled)
        return self.dropout(x)  # (batch, length, d_model)


def _named_attentions(layer_name: str, attentions: dict) -> dict[str, Tensor]:
    return {
        f"{layer_name}.{name}": A for name, A in attentions.items() if A is not None
    }


def _check_kind_and_positions(config: TransformerConfig) -> None:
    c = config
    if c.kind != "encoder-decoder":
        raise ConfigError(
            f"Transformer: kind is {c.kind!r}; expected 'encoder-decoder'. Make a "
            "LanguageModel or an Encoder, or change the configuration's kind."
        )
    if c.positions not in SUPPORTED_POSITIONS:
        raise ConfigError(
            f"Transformer: positions is {c.positions!r}; expected one of {SUPPORTED_POSITIONS}. The others "
            "are of language models, where no word sees a later one."
        )
