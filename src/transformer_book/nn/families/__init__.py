"""Families of published Transformers: each is a configuration, and a map of names.

A checkpoint that others published is read by :func:`load`. Where no name is said, weights are those
of ``transformers``, which most are published in.
"""

from .families import FAMILIES, Family, config_of, family_of
from .load import load
from .maps import as_theirs, set_weights, used
from .save import save

__all__ = [
    "FAMILIES",
    "Family",
    "as_theirs",
    "config_of",
    "family_of",
    "load",
    "save",
    "set_weights",
    "used",
]
