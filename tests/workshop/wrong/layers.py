"""Norms and layers, wrong: by loops over words, or of PyTorch's parts."""

import math

import numpy as np
import torch

from . import wrong
from .heads import heads_with

LAYERS = "encoder_layer", "decoder_layer"
attend = heads_with()


@wrong("M23", "layer_norm")
def as_torch_std(x, gamma, beta, eps=1e-5):
    return (
        gamma * (x - x.mean(-1, True)) / torch.sqrt(x.var(-1, keepdim=True) + eps)
        + beta
    )


@wrong("M23", "layer_norm")
def eps_outside(x, gamma, beta, eps=1e-5):
    return (
        gamma * (x - x.mean(-1, True)) / (x.std(-1, correction=0, keepdim=True) + eps)
        + beta
    )


@wrong("M23", "layer_norm")
def annotated(x, gamma, beta, eps=1e-5):
    return gamma * (x - x.mean(-1, True)) / (x.std(-1, keepdim=True) + eps) + beta


@wrong("M40", "rms_norm")
def root_plus_eps(x, gamma, eps=1e-6):
    length = np.linalg.norm(x, axis=-1) / math.sqrt(x.shape[-1])
    return np.einsum("...d,d,...->...d", x, gamma, 1 / (length + eps))


def norm(x, gamma, beta):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta)


def network(x, W_1, b_1, W_2, b_2):
    return torch.addmm(
        b_2, torch.addmm(b_1, x.flatten(0, -2), W_1).relu(), W_2
    ).view_as(x)


def post(x, part, W, i):
    return norm(x + part(x), **W[f"norm_{i}"])


def pre(x, part, W, i):
    return x + part(norm(x, **W[f"norm_{i}"]))


def without_residual(*which):
    def around(x, part, W, i):
        return norm(part(x) + (0 if i in which else x), **W[f"norm_{i}"])

    return around


def layers_with(
    around=post, self_mask=lambda x: None, other_mask=lambda m: m, end=None
):
    """Return a layer of the encoder and one of the decoder, a part of them exchanged."""
    end = end or (lambda x, W: x)

    def encoder(x, W, h, mask=None):
        mask = other_mask(mask)
        parts = [lambda x: attend(x, x, x, **W["attention"], h=h, mask=mask)[0]]
        parts.append(lambda x: network(x, **W["feed_forward"]))
        for i, part in enumerate(parts, start=1):
            x = around(x, part, W, i)
        return end(x, W["norm_2"])

    def decoder(x, memory, W, h, memory_mask=None):
        m, to = self_mask(x), other_mask(memory_mask)
        parts = [lambda x: attend(x, x, x, **W["self"], h=h, mask=m)[0]]
        parts.append(lambda x: attend(x, memory, memory, **W["cross"], h=h, mask=to)[0])
        parts.append(lambda x: network(x, **W["feed_forward"]))
        for i, part in enumerate(parts, start=1):
            x = around(x, part, W, i)
        return end(x, W["norm_3"])

    return encoder, decoder


def past(x):
    return torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()


def in_both(mistake, **parts):
    for name, layer in zip(LAYERS, layers_with(self_mask=past, **parts)):
        wrong(mistake, name)(layer)


def turned(mask):
    return None if mask is None else mask.logical_not()


in_both("M10", around=without_residual(1))
in_both("M10", around=without_residual(2))
in_both("M10", around=without_residual(1, 2))
wrong("M10", "decoder_layer")(layers_with(without_residual(1, 2, 3), past)[1])
in_both("M22", around=pre)
in_both("M24", end=lambda x, W: norm(x, **W))
in_both("M25", other_mask=turned)
wrong("M26", "decoder_layer")(layers_with(self_mask=lambda x: None)[1])
wrong("M26", "decoder_layer")(layers_with(self_mask=lambda x: past(x) | True)[1])
wrong("M6", "decoder_layer")(layers_with(self_mask=lambda x: past(x).mT)[1])
