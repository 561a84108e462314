"""What a decoder keeps from step to step, so that no key or value is computed twice."""

import torch
from jaxtyping import Float
from torch import Tensor

from .masks import causal_mask


class KeyValueCache:
    """Keys and values of one attention, (batch, n, d_model) each, before the split into heads."""

    def __init__(self):
        self.K: Float[Tensor, "batch n d_model"] | None = None
        self.V: Float[Tensor, "batch n d_model"] | None = None

    def __len__(self):
        return 0 if self.K is None else self.K.shape[-2]

    def extend(self, K, V):
        """Put new rows after those already kept, and return all of them."""
        if self.K is not None and self.V is not None:
            K, V = torch.cat([self.K, K], dim=-2), torch.cat([self.V, V], dim=-2)
        self.K, self.V = K, V
        return K, V

    def visible(self, m):
        """Return what the m newest rows may attend to: all before them and themselves.

        Returns
        -------
        mask : boolean tensor, (m, n) or (batch, m, n) with n rows in all, or None
        causal : bool
            Whether each row sees itself and those before it, which needs no mask.
        """
        if self.K is None or m in (1, len(self)):
            return None, m > 1
        return causal_mask(len(self), device=self.K.device)[-m:], False

    def select(self, rows):
        """Keep only these sentences of the batch, in this order; a row may be taken twice."""
        if self.K is not None and self.V is not None:
            self.K, self.V = self.K[rows], self.V[rows]

    def crop(self, n):
        """Keep only the first n rows: what came after them is taken back."""
        if self.K is not None and self.V is not None:
            self.K, self.V = self.K[..., :n, :], self.V[..., :n, :]


class DecoderCache:
    """A cache for the self-attention and one for the cross-attention of each of N layers.

    Its length is the number of target tokens that have gone through the decoder.
    """

    def __init__(self, N: int):
        self.layers = [(KeyValueCache(), KeyValueCache()) for _ in range(N)]

    def __len__(self):
        return len(self.layers[0][0])

    def select(self, rows):
        """Keep only these sentences of the batch, in this order, as a beam search needs."""
        for caches in self.layers:
            for cache in caches:
                cache.select(rows)


class LanguageModelCache:
    """A cache for the self-attention of each of N layers.

    Its length is the number of tokens that have gone through the model. A layer's cache may be
    any object with the methods of :class:`KeyValueCache`.
    """

    def __init__(self, N: int):
        self.layers = [KeyValueCache() for _ in range(N)]

    def __len__(self):
        return len(self.layers[0])

    @property
    def start(self):
        """The position of the next token: a number, or where texts differ in it (batch,) numbers."""
        return len(self)

    def select(self, rows):
        """Keep only these texts of the batch, in this order; a row may be taken twice."""
        for cache in self.layers:
            cache.select(rows)

    def crop(self, n):
        """Keep only the first n tokens, as if the others had not gone through."""
        for cache in self.layers:
            cache.crop(n)
