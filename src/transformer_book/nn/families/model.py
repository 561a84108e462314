"""One module for all of them: what BERT, GPT-2, T5, Llama, Qwen3 and ViT compute."""

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ...shapes import ShapeError, checked
from ..embedding import embedding
from ..linear import linear
from .architecture import Architecture
from .parts import ACTIVATIONS, norm_of
from .stack import Stack


class Model(torch.nn.Module):
    """A Transformer of any family, from ids or images to logits.

    It holds only what its architecture asks for. There is no dropout: it reads, and is trained, as it is.

    Parameters
    ----------
    architecture : Architecture
    """

    # None where the architecture does not ask for it.
    embedding: Any  # (words, d_model)
    positions: Any  # (max_length, d_model)
    types: Any  # (token_types, d_model)
    first: Any  # (d_model,): of images, before their patches
    W_patch: Any  # (channels * patch * patch, d_model)
    b_patch: Any
    W_head: Any  # (d_model, d_model)
    b_head: Any
    norm_head: Any
    output: Any  # (words or classes, d_model)
    b_output: Any

    def __init__(self, architecture: Architecture):
        super().__init__()
        self.architecture = a = architecture
        rows = {"embedding": a.words, "types": a.token_types}
        rows["positions"] = a.max_length if a.positions == "table" else None
        for name, count in rows.items():
            table = None if count is None else embedding(count, a.d_model)
            self.register_parameter(name, table)
        self.first = self.W_patch = self.b_patch = None
        if a.patch is not None:
            self.first = _normal(a.d_model)
            self.W_patch = _normal(a.channels * a.patch**2, a.d_model)
            self.b_patch = torch.nn.Parameter(torch.zeros(a.d_model))
        self.norm = norm_of(a) if a.embedding_norm else torch.nn.Identity()
        both = a.kind == "encoder-decoder"
        reads, writes = a.kind != "decoder-only", a.kind != "encoder-only"
        self.encoder = Stack(a, a.N, causal=False) if reads else None
        layers = a.N_decoder if both else a.N
        self.decoder = Stack(a, layers, causal=True, crosses=both) if writes else None
        self._add_output(a)

    def _add_output(self, a):
        self.W_head = self.b_head = self.norm_head = self.b_output = None
        if a.head:
            self.W_head = _normal(a.d_model, a.d_model)
            self.b_head = torch.nn.Parameter(torch.zeros(a.d_model))
            self.norm_head = norm_of(a)
        count = a.classes if a.output == "classes" else a.words
        if a.output == "embedding":
            self.output = self.embedding
        else:
            own = None if a.output == "none" else embedding(count, a.d_model)
            self.register_parameter("output", own)
        if a.output_bias:
            self.b_output = torch.nn.Parameter(torch.zeros(count))

    @checked
    def forward(
        self,
        ids: Int[Tensor, "batch n"] | None = None,
        target: Int[Tensor, "batch m"] | None = None,
        *,
        images: Float[Tensor, "batch channels height width"] | None = None,
        types: Int[Tensor, "batch n"] | None = None,
        mask: Bool[Tensor, "#batch #m #length"] | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, dict]:
        """Return the logits, and the attention weights by name.

        Parameters
        ----------
        ids : integer tensor, (batch, n)
            The text; of an encoder-decoder the source. Not for images alone.
        target : integer tensor, (batch, m)
            What an encoder-decoder has written so far, with its first mark.
        images : tensor, (batch, channels, height, width)
            Their patches, and the one vector before them, come before the text, in one sequence.
        types : integer tensor, (batch, n)
            Which kind of sentence each token is of, where the architecture has such kinds; 0 if not told.
        mask : boolean tensor, (batch, 1, length)
            Where all may look; of an encoder-decoder in the source. Every architecture adds its own.
        need_weights : bool
            Whether to hold every attention's weights, such as ``decoder.0.self_attention``; the dict is
            empty if not.

        Returns
        -------
        logits : tensor, (batch, length, words)
            Of each position of the sequence, or the target; (batch, classes) for classes of images, and
            vectors (batch, length, d_model) without an output layer.
        weights : dict of str to tensor

        Raises
        ------
        ShapeError
            Also for what the architecture does not read, ids beyond the vocabulary, positions beyond the
            last, and images of another size.
        """
        a = self.architecture
        self._check_inputs(ids, target, images, types)
        x, seen = self.embed(ids, images, types), {}
        if self.encoder is not None:
            x, seen = self.encoder(x, mask, need_weights=need_weights)
            seen = _named("encoder", seen)
        if self.decoder is not None:
            memory = None
            if target is not None:
                x, memory = self.embed(target), x
            own, other = (mask, None) if memory is None else (None, mask)
            x, more = self.decoder(x, own, memory, other, need_weights=need_weights)
            seen |= _named("decoder", more)
        return self.logits(x[:, 0] if a.output == "classes" else x), seen

    def embed(self, ids=None, images=None, types=None):
        """Return what the first layer reads, (batch, length, d_model): patches, then words."""
        parts = [] if images is None else [self._patches(images)]
        if ids is not None:
            parts.append(self._rows("ids", ids, self.embedding))
        x = torch.cat(parts, dim=1)  # (batch, length, d_model)
        n = x.shape[1]
        if self.positions is not None:
            self._check_length(n)
            x = x + self.positions[:n]
        if self.types is not None:
            kinds = torch.zeros_like(x[..., 0], dtype=torch.long)
            if types is not None:
                kinds[:, n - types.shape[1] :] = types  # patches are of kind 0
            x = x + self._rows("types", kinds, self.types)
        return self.norm(x)

    def logits(self, x):
        """Return the output layer's logits, (..., words), of vectors (..., d_model)."""
        a = self.architecture
        if self.output is None:
            return x
        if self.norm_head is not None:
            activation: Any = ACTIVATIONS[a.activation]
            x = self.norm_head(activation(linear(x, self.W_head, self.b_head)))
        if a.output_scaled:
            x = x * a.d_model**-0.5
        return linear(x, self.output.T, self.b_output)

    def _patches(self, images):
        a = self.architecture
        p = a.patch
        # (batch, channels, rows, p, columns, p): a patch is a square of all channels.
        squares = images.unflatten(2, (-1, p)).unflatten(4, (-1, p))
        squares = squares.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)
        x = linear(squares, self.W_patch, self.b_patch)  # (batch, patches, d_model)
        return torch.cat([self.first.expand(len(x), 1, -1), x], dim=1)

    def _rows(self, name, ids, table):
        try:
            return torch.nn.functional.embedding(ids.long(), table)
        except IndexError:
            raise ShapeError(
                f"Model: {name} are from {int(ids.min())} to {int(ids.max())}; expected 0 to "
                f"{len(table) - 1}. Use the vocabulary of this model."
            ) from None

    def _check_length(self, n):
        if n > len(self.positions):
            raise ShapeError(
                f"Model: a sequence of {n} vectors; expected at most {len(self.positions)}, the rows "
                "of the table of positions. Cut it."
            )

    def _check_inputs(self, ids, target, images, types):
        a = self.architecture
        _check_given("ids", ids, a.words is not None, a.image is None)
        _check_given("target", target, a.kind == "encoder-decoder", True)
        _check_given("images", images, a.image is not None, a.words is None)
        _check_given("types", types, a.token_types is not None, False)
        if ids is None and images is None:
            raise ShapeError(
                "Model: neither ids nor images are given; expected one of them, or both."
            )
        expected = (a.channels, a.image, a.image)
        if images is not None and images.shape[1:] != expected:
            raise ShapeError(
                f"Model: images has shape {tuple(images.shape)}; expected (batch, "
                f"{', '.join(map(str, expected))}). Scale or cut the images."
            )


def _check_given(name, value, may, must):
    """Raise ShapeError for an input that the architecture cannot read, or cannot do without."""
    if value is not None and not may:
        raise ShapeError(
            f"Model: {name} of shape {tuple(value.shape)} is given; expected none, as this "
            "architecture does not read it. Leave it out, or choose another architecture."
        )
    if value is None and may and must:
        raise ShapeError(
            f"Model: {name} is not given; expected a tensor, as this architecture reads it."
        )


def _named(stack, seen):
    return {f"{stack}.{name}": A for name, A in seen.items()}


def _normal(*shape):
    return torch.nn.Parameter(torch.randn(shape) * 0.02)
