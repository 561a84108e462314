"""BERT, GPT-2, T5, Llama, Qwen3 and ViT: six choices of one module, and their checkpoints.

A checkpoint that others published is read by :func:`load`. Where no name is said, weights are those
of ``transformers``, which most are published in.
"""

from .architecture import Architecture
from .families import FAMILIES, Family, architecture_of, family_of
from .load import as_theirs, load, set_weights, used
from .model import Model
from .save import save
from .stack import Attention, Layer, Stack

__all__ = [
    "FAMILIES",
    "Architecture",
    "Attention",
    "Family",
    "Layer",
    "Model",
    "Stack",
    "architecture_of",
    "as_theirs",
    "family_of",
    "load",
    "save",
    "set_weights",
    "used",
]
