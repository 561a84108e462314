"""torch's stacks on the weights of this book's models, to compare the two."""

import math
import warnings

import torch
from jaxtyping import Float, Int
from torch import Tensor

from transformer_book.nn.language_model import LanguageModel
from transformer_book.nn.transformer import Transformer


class TorchTransformer(torch.nn.Module):
    """torch's stacks, with copies of a model's weights, between its embeddings and output.

    torch's attention has biases, which the paper's has not; they are 0 here. torch ends a Post-LN
    stack with one more normalisation, which the paper does not have; it is taken out.

    Parameters
    ----------
    model : Transformer
        Gives configuration and weights; is not changed.
    """

    source_embedding: torch.nn.Parameter
    target_embedding: torch.nn.Parameter
    output: torch.nn.Parameter
    PE: Tensor

    def __init__(self, model: Transformer):
        super().__init__()
        self.config = c = model.config
        names = ("source_embedding", "target_embedding", "output")
        copies = {
            id(W): torch.nn.Parameter(W.detach().clone())
            for W in (getattr(model, name) for name in names)
        }
        for name in names:
            setattr(self, name, copies[id(getattr(model, name))])
        self.register_buffer("PE", model.PE, persistent=False)
        self.dropout = torch.nn.Dropout(c.dropout)
        with (
            warnings.catch_warnings()
        ):  # torch remarks on Pre-LN that one fast path is not for it
            warnings.simplefilter("ignore", UserWarning)
            self.stacks = torch.nn.Transformer(
                c.d_model,
                c.h,
                c.N,
                c.N,
                c.d_ff,
                c.dropout,
                batch_first=True,
                norm_first=c.norm == "pre",
                dtype=model.output.dtype,
            )
        if c.norm == "post":
            self.stacks.encoder.norm = self.stacks.decoder.norm = None
        with torch.no_grad():
            copy_weights_into_torch_stacks(model, self.stacks)

    def forward(
        self, source: Int[Tensor, "batch n"], target: Int[Tensor, "batch m"]
    ) -> Float[Tensor, "batch m target_words"]:
        """Return logits as :class:`Transformer` does; no weights."""
        hidden = source == self.config.pad_id  # torch's True hides
        x = self.stacks(
            self._embed(source, self.source_embedding),
            self._embed(target, self.target_embedding),
            tgt_mask=torch.nn.Transformer.generate_square_subsequent_mask(
                target.shape[1], target.device, self.output.dtype
            ),
            tgt_is_causal=True,
            src_key_padding_mask=hidden,
            memory_key_padding_mask=hidden,
        )
        return x @ self.output.T

    def _embed(self, ids: Tensor, embedding: Tensor) -> Tensor:
        E = torch.nn.functional.embedding(ids, embedding)
        PE = self.PE[: ids.shape[1]].to(E.dtype)
        return self.dropout(E * math.sqrt(self.config.d_model) + PE)


class TorchLanguageModel(torch.nn.Module):
    """``torch.nn.TransformerEncoder`` with a causal mask, with copies of a model's weights.

    Parameters
    ----------
    model : LanguageModel
        Gives configuration, weights and embeddings; is not changed. With LayerNorm, a network
        without gates, and attention without norms, as torch's has no other.
    """

    def __init__(self, model: LanguageModel):
        super().__init__()
        c, self.model = model.config, model
        layer = torch.nn.TransformerEncoderLayer(
            c.d_model,
            c.h,
            c.d_ff,
            c.dropout,
            getattr(torch.nn.functional, c.activation),
            batch_first=True,
            norm_first=c.norm == "pre",
            bias=c.bias,
            dtype=model.output.dtype,
        )
        norm = None
        if c.norm == "pre":
            norm = torch.nn.LayerNorm(c.d_model, bias=c.bias, dtype=model.output.dtype)
        self.stack = torch.nn.TransformerEncoder(
            layer, c.N, norm, enable_nested_tensor=False
        )
        with torch.no_grad():
            for ours, theirs in zip(model.layers, self.stack.layers):
                _copy_attention(ours.self_attention, theirs.self_attn)
                _copy_norms_and_network(ours, theirs, (theirs.norm1, theirs.norm2))
            if norm is not None:
                _copy_norm(model.norm, self.stack.norm)

    def forward(self, ids: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n words"]:
        """Return logits as :class:`LanguageModel` does; no weights."""
        model, n = self.model, ids.shape[1]
        E = torch.nn.functional.embedding(ids, model.embedding)
        x = E * math.sqrt(E.shape[-1]) + model.PE[:n].to(E.dtype)  # type: ignore[index]
        past = torch.nn.Transformer.generate_square_subsequent_mask(
            n, ids.device, x.dtype
        )
        return self.stack(x, mask=past, is_causal=True) @ model.output.T


def copy_weights_into_torch_stacks(book_model, torch_stacks):
    """Copy the layers' weights into torch's; torch keeps each matrix transposed."""
    for ours, theirs in zip(book_model.encoder, torch_stacks.encoder.layers):
        _copy_attention(ours.self_attention, theirs.self_attn)
        _copy_norms_and_network(ours, theirs, (theirs.norm1, theirs.norm2))
    for ours, theirs in zip(book_model.decoder, torch_stacks.decoder.layers):
        _copy_attention(ours.self_attention, theirs.self_attn)
        _copy_attention(ours.cross_attention, theirs.multihead_attn)
        _copy_norms_and_network(
            ours, theirs, (theirs.norm1, theirs.norm2, theirs.norm3)
        )
    if book_model.config.norm == "pre":
        _copy_norm(book_model.encoder_norm, torch_stacks.encoder.norm)
        _copy_norm(book_model.decoder_norm, torch_stacks.decoder.norm)


def _copy_attention(book_attention, torch_attention):
    torch_attention.in_proj_weight.copy_(book_attention.W_QKV.T)
    torch_attention.out_proj.weight.copy_(book_attention.W_O.T)
    if torch_attention.in_proj_bias is not None:
        torch_attention.in_proj_bias.zero_()
        torch_attention.out_proj.bias.zero_()


def _copy_norms_and_network(book_layer, torch_layer, torch_norms):
    for i, torch_norm in enumerate(torch_norms, start=1):
        _copy_norm(getattr(book_layer, f"add_and_norm_{i}").layer_norm, torch_norm)
    ffn = book_layer.feed_forward
    for linear, W, b in (
        (torch_layer.linear1, ffn.W_1, ffn.b_1),
        (torch_layer.linear2, ffn.W_2, ffn.b_2),
    ):
        linear.weight.copy_(W.T)
        if b is not None:
            linear.bias.copy_(b)


def _copy_norm(book_norm, torch_norm):
    torch_norm.weight.copy_(book_norm.gamma)
    if book_norm.beta is not None:
        torch_norm.bias.copy_(book_norm.beta)
