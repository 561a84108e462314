"""Families of published Transformers: each is a configuration, and a map of names.

A checkpoint that others published is read by :func:`load`. Names of weights and fields are those of
``transformers``, which most are published in.
"""

from .families import FAMILIES, Family, config_of, family_of
from .load import load
from .maps import family_weights, set_weights, used_weights_without_prefix
from .save import save

__all__ = [
    "FAMILIES",
    "Family",
    "config_of",
    "family_of",
    "family_weights",
    "load",
    "save",
    "set_weights",
    "used_weights_without_prefix",
]
