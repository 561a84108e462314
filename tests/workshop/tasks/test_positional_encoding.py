"""Encodings as published programs write them, right and wrong, in single precision too."""

import math

import numpy as np
import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks.positional_encoding import TASK


def with_exp(sign):
    """As in the Annotated Transformer, in single precision."""

    def encode(n, d_model):
        table = torch.zeros(n, d_model)
        rate = torch.exp(sign * torch.arange(0, d_model, 2) * math.log(1e4) / d_model)
        table[:, 0::2] = torch.sin(torch.arange(n)[:, None] * rate)
        table[:, 1::2] = torch.cos(torch.arange(n)[:, None] * rate)
        return table

    return encode


def with_halved_columns(n, d_model):
    """As in TensorFlow's tutorial."""
    columns = np.arange(d_model)
    angle = np.arange(n)[:, None] / np.power(1e4, 2 * (columns // 2) / d_model)
    return np.where(columns % 2, np.cos(angle), np.sin(angle))


def in_a_loop(n, d_model):
    """With both the exponent doubled and another one for the cosine."""
    table = np.zeros((n, d_model))
    for pos in range(n):
        for i in range(0, d_model, 2):
            table[pos, i] = math.sin(pos / 10000 ** (2 * i / d_model))
            table[pos, i + 1] = math.cos(pos / 10000 ** (2 * (i + 1) / d_model))
    return table


def without_brackets(n, d_model):
    angle = np.arange(n)[:, None] / 1e4 ** np.arange(0, d_model, 2) / d_model
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d_model)


def sines_then_cosines(n, d_model):
    """As in the first program of the paper's authors, and in many since: not as in the paper."""
    pairs = d_model // 2
    fall = math.log(1e4) / (pairs - 1)
    rate = torch.exp(-torch.arange(pairs) * fall)
    angle = torch.arange(n)[:, None] * rate
    return torch.cat([angle.sin(), angle.cos()], dim=1)


@pytest.mark.parametrize("encode", [with_exp(-1), with_halved_columns])
def test_published_encodings_are_right(encode):
    assert judge(TASK, encode).state == "right"


@pytest.mark.parametrize(
    "encode, names",
    [
        (with_exp(1), ["times"]),
        (in_a_loop, ["doubled", "own frequency"]),
        (without_brackets, ["no brackets"]),
        (sines_then_cosines, ["fairseq"]),
        (lambda n, d: with_exp(-1)(n, d)[None], ["batch"]),
        (lambda n, d: with_exp(-1)(n + 1, d)[1:], ["from 1"]),
    ],
)
def test_hurried_encodings_are_recognised(encode, names):
    assert [slip.name for slip in judge(TASK, encode).slips] == names


@pytest.mark.parametrize("base", [9_999, 10_001])
def test_a_base_that_is_off_by_one_shows_far_away(base):
    def encode(n, d_model):
        angle = np.arange(n)[:, None] / base ** (np.arange(0, d_model, 2) / d_model)
        return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(n, d_model)

    verdict = judge(TASK, encode)
    assert verdict.state == "wrong" and "is the base 10,000?" in verdict.says[0]
