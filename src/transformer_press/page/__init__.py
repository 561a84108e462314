"""What a chapter needs to speak to its page: values for prose, source code, Chinese, its own run time."""

from ..chinese import characters, labels
from .chinese_lines import chinese, english
from .clock import ran
from .code import source
from .prose import glue, show

__all__ = [
    "characters",
    "chinese",
    "english",
    "glue",
    "labels",
    "ran",
    "show",
    "source",
]
