"""An encoder alone: BERT reads words with it, ViT images, and both can stand in one sequence."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..config import ConfigError, TransformerConfig
from ..shapes import ShapeError, checked
from .embedding import embed, fresh_embedding
from .linear import linear
from .positions import add_position_table
from .variants import ACTIVATIONS, final_norm, logits_of, make_layers, make_norm


class Encoder(torch.nn.Module):
    """A Transformer whose words all see each other, from ids or images to logits.

    Devlin et al. (2019); Dosovitskiy et al. (2021).

    Parameters
    ----------
    config : TransformerConfig
        Its ``kind`` is "encoder-only". ``source_words`` is the vocabulary that is read, ``target_words``
        counts what the output layer scores: words or classes.

    Raises
    ------
    ConfigError
        If the configuration is of another kind.
    """

    # None where the configuration does not ask for it.
    embedding: Any  # (source_words, d_model)
    PE: Any  # (max_length, d_model)
    types: Any  # (token_types, d_model)
    first: Any  # (d_model,): of images, before their patches
    W_patch: Any  # (channels * patch * patch, d_model)
    b_patch: Any
    W_before: Any  # (d_model, d_model): of the layer before the output layer
    b_before: Any
    norm_before: Any
    output: Any  # (target_words, d_model)
    b_output: Any

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = c = config
        if c.kind != "encoder-only":
            raise ConfigError(
                f"Encoder: kind is {c.kind!r}; expected 'encoder-only'. Make a "
                "LanguageModel or a Transformer, or change the configuration's kind."
            )
        for name, count in (("embedding", c.source_words), ("types", c.token_types)):
            table = fresh_embedding(count, c.d_model) if count else None
            self.register_parameter(name, table)
        add_position_table(self, c)
        self.first = self.W_patch = self.b_patch = None
        if c.patch is not None:
            self.first = _normal_parameter(c.d_model)
            self.W_patch = _normal_parameter(c.channels * c.patch**2, c.d_model)
            self.b_patch = torch.nn.Parameter(torch.zeros(c.d_model))
        self.embedding_norm = make_norm(c) if c.embedding_norm else torch.nn.Identity()
        self.dropout = torch.nn.Dropout(c.dropout)
        self.layers = make_layers(c, c.N, bidirectional=True)
        self.norm = final_norm(c)
        self._add_output_layers(c)

    def _add_output_layers(self, c: TransformerConfig) -> None:
        self.W_before = self.b_before = self.norm_before = self.b_output = None
        if c.output_layer:
            self.W_before = _normal_parameter(c.d_model, c.d_model)
            self.b_before = torch.nn.Parameter(torch.zeros(c.d_model))
            self.norm_before = make_norm(c)
        if c.output == "words" and c.share != "none":
            self.output = self.embedding
        else:
            words = None if c.output == "vectors" else c.target_words
            table = fresh_embedding(words, c.d_model) if words else None
            self.register_parameter("output", table)
        if c.output_bias:
            self.b_output = torch.nn.Parameter(torch.zeros(c.target_words))

    @checked
    def forward(
        self,
        ids: Int[Tensor, "batch n"] | None = None,
        *,
        images: Float[Tensor, "batch channels height width"] | None = None,
        types: Int[Tensor, "batch n"] | None = None,
        mask: Bool[Tensor, "#batch #length #length"] | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, dict]:
        """Return the logits, and the attention weights by name.

        Parameters
        ----------
        ids : integer tensor, (batch, n)
            The text. Not for images alone.
        images : tensor, (batch, channels, height, width)
            Their patches, and the one vector before them, come before the text, in one sequence.
        types : integer tensor, (batch, n)
            Which kind of sentence each token is of, where there are such kinds; by default 0.
        mask : boolean tensor, (batch, 1, length)
            Where all may look.
        need_weights : bool
            Whether to hold every attention's weights, such as ``layers.0.self_attention``; the dict is
            empty if not.

        Returns
        -------
        logits : tensor, (batch, length, words)
            Of each position of the sequence; (batch, classes) for classes, and vectors (batch, length,
            d_model) without an output layer.
        weights : dict of str to tensor

        Raises
        ------
        ShapeError
            Also for what the configuration does not read, ids beyond the vocabulary, positions beyond
            the last, and images of another size.
        """
        self._check_inputs(ids, images, types)
        x, weights = self.embed(ids, images, types), {}
        for i, layer in enumerate(self.layers):
            x, attentions = layer(x, mask, need_weights=need_weights)
            if need_weights:
                weights[f"layers.{i}.self_attention"] = attentions["self_attention"]
        x = self.norm(x)
        return self.logits(x[:, 0] if self.config.output == "classes" else x), weights

    def embed(
        self,
        ids: Int[Tensor, "batch n"] | None = None,
        images: Float[Tensor, "batch channels height width"] | None = None,
        types: Int[Tensor, "batch n"] | None = None,
    ) -> Float[Tensor, "batch length d_model"]:
        """Return what the first layer reads, (batch, length, d_model): patches, then words."""
        c, vectors = (
            self.config,
            [] if images is None else [self._embed_first_and_patches(images)],
        )
        if ids is not None:
            words = embed(
                "Encoder", "text", ids, self.embedding, None, scaled=c.embedding_scaled
            )
            vectors.append(words)
        x = torch.cat(vectors, dim=1)  # (batch, length, d_model)
        n = x.shape[1]
        if self.PE is not None:
            self._check_length(n)
            x = x + self._position_rows(ids, n).to(x.dtype)
        if self.types is not None:
            kinds = torch.zeros_like(x[..., 0], dtype=torch.long)
            if types is not None:
                kinds[:, n - types.shape[1] :] = types  # patches are of kind 0
            x = x + embed("Encoder", "text", kinds, self.types, None, scaled=False)
        return self.dropout(self.embedding_norm(x))

    def logits(self, x):
        """Return the output layer's logits, (..., target_words), of vectors (..., d_model)."""
        if self.output is None:
            return x
        if self.norm_before is not None:
            activation = ACTIVATIONS[self.config.activation]
            x = self.norm_before(activation(linear(x, self.W_before, self.b_before)))
        return logits_of(x, self.output, self.b_output, self.config)

    def _position_rows(
        self, ids: Int[Tensor, "batch n"] | None, n: int
    ) -> Float[Tensor, "*batch n d_model"]:
        """Return the rows of the table that are added, (n, d_model) or (batch, n, d_model)."""
        first = self.config.first_position
        if not first or ids is None:
            return self.PE[first:][:n]
        words = ids != self.config.pad_id  # RoBERTa counts them alone
        return self.PE[words.cumsum(-1) * words + first - 1]

    def _embed_first_and_patches(
        self, images: Float[Tensor, "batch channels height width"]
    ) -> Float[Tensor, "batch first_and_patches d_model"]:
        patch = self.config.patch
        # (batch, channels, rows, patch, columns, patch): a patch is a square of all channels.
        squares = images.unflatten(2, (-1, patch)).unflatten(4, (-1, patch))
        squares = squares.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
        x = linear(squares, self.W_patch, self.b_patch)  # (batch, patches, d_model)
        return torch.cat([self.first.expand(len(x), 1, -1), x], dim=1)

    def _check_length(self, n: int) -> None:
        longest = self.config.max_length
        if n > longest:
            raise ShapeError(
                f"Encoder: a sequence of {n} vectors; expected at most {longest}, the rows "
                "of the table of positions. Cut it."
            )

    def _check_inputs(self, ids, images, types) -> None:
        c = self.config
        _check_presence("ids", ids, c.source_words > 0, c.image is None)
        _check_presence("images", images, c.image is not None, not c.source_words)
        _check_presence("types", types, c.token_types is not None, False)
        if ids is None and images is None:
            raise ShapeError(
                "Encoder: neither ids nor images are given; expected one of them, or both."
            )
        expected = (c.channels, c.image, c.image)
        if images is not None and images.shape[1:] != expected:
            raise ShapeError(
                f"Encoder: images has shape {tuple(images.shape)}; expected (batch, "
                f"{', '.join(map(str, expected))}). Scale or cut the images."
            )


def _check_presence(
    name: str, tensor: Tensor | None, is_allowed: bool, is_required: bool
) -> None:
    """Raise ShapeError for an input that the model cannot read, or cannot do without."""
    if tensor is not None and not is_allowed:
        raise ShapeError(
            f"Encoder: {name} of shape {tuple(tensor.shape)} is given; expected none, as this "
            "model does not read it. Leave it out, or choose another configuration."
        )
    if tensor is None and is_allowed and is_required:
        raise ShapeError(
            f"Encoder: {name} is not given; expected a tensor, as this model reads it."
        )


def _normal_parameter(*shape: int) -> torch.nn.Parameter:
    return torch.nn.Parameter(torch.randn(shape) * 0.02)
