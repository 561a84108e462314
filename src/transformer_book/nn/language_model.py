"""A decoder-only Transformer: a causal mask, and neither encoder nor cross-attention."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..config import ConfigError, TransformerConfig
from ..shapes import checked
from .cache import LanguageModelCache, restores_cache_on_error
from .embedding import embed, fresh_embedding
from .positions import add_position_table
from .variants import check_attention_has_settings, final_norm, logits_of, make_layers


class LanguageModel(torch.nn.Module):
    """A Transformer that continues a text, from its ids to the logits of the token after each.

    Its layers are those of an encoder, each with a causal mask: what a decoder's layer is without
    its cross-attention. Liu et al. (2018); Radford et al. (2018).

    Parameters
    ----------
    config : TransformerConfig
        ``N`` is the number of layers, whatever ``kind`` says. There is one vocabulary, so
        ``source_words`` and ``target_words`` are the same number; embedding and output layer are one
        matrix unless ``share`` is "none".

    Raises
    ------
    ConfigError
        If the configuration has two vocabularies.
    """

    PE: Tensor | None  # (max_length, d_model)

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = c = config.changed(kind="decoder-only")
        if c.source_words != c.target_words:
            raise ConfigError(
                f"LanguageModel: source_words is {c.source_words} and target_words is "
                f"{c.target_words}; expected the same number, as there is only one text."
            )
        self.embedding = fresh_embedding(c.target_words, c.d_model)
        self.output = self.embedding
        if c.share == "none":
            self.output = fresh_embedding(c.target_words, c.d_model)
        self.b_output = None
        if c.output_bias:
            self.b_output = torch.nn.Parameter(torch.zeros(c.target_words))
        add_position_table(self, c)
        self.dropout = torch.nn.Dropout(c.dropout)
        self.layers = make_layers(c, c.N)
        self.norm = final_norm(c)

    @checked
    @restores_cache_on_error
    def forward(
        self,
        ids: Int[Tensor, "batch n"],
        *,
        cache: LanguageModelCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n words"], dict]:
        """Return the logits of the token after each position, and the attention weights by name.

        Parameters
        ----------
        ids : integer tensor, (batch, n)
            The text; with a cache only the tokens that have not gone through yet.
        cache : LanguageModelCache, optional
            It is extended.
        need_weights : bool
            Whether to hold every attention's weights, (batch, h, n, all so far), such as
            ``layers.0.self_attention``; the dict is empty if not.

        Returns
        -------
        logits : tensor, (batch, n, words)
        weights : dict of str to tensor

        Raises
        ------
        ShapeError
            Also for ids beyond the vocabulary, and texts beyond ``config.max_length`` where positions
            are a table: "sinusoidal" or "learned".
        """
        x, weights = self.vectors(ids, cache=cache, need_weights=need_weights)
        return self.logits(x), weights

    @checked
    @restores_cache_on_error
    def vectors(
        self,
        ids: Int[Tensor, "batch n"],
        *,
        cache: LanguageModelCache | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "batch n d_model"], dict]:
        """Return what the last layer makes of the ids, (batch, n, d_model), and the weights."""
        check_attention_has_settings(self.layers, self.config)
        c, m = self.config, ids.shape[1]
        start, end = (
            (0, m)
            if cache is None
            else (cache.next_position, cache.longest_length_after(m))
        )
        PE = self.PE
        if PE is not None and c.positions == "learned":
            PE = PE[c.first_position :]
        x = embed(
            "LanguageModel",
            "text",
            ids,
            self.embedding,
            PE,
            start,
            end,
            scaled=c.embedding_scaled,
        )
        x, weights = self.dropout(x), {}
        for i, layer in enumerate(self.layers):
            layer_cache = None if cache is None else cache.layers[i]
            x, attentions = layer(
                x, causal=True, cache=layer_cache, need_weights=need_weights
            )
            if need_weights:
                weights[f"layers.{i}.self_attention"] = attentions["self_attention"]
        return self.norm(x), weights

    def logits(self, x):
        """Return the output layer's logits, (..., words), of vectors (..., d_model)."""
        return logits_of(x, self.output, self.b_output, self.config)
