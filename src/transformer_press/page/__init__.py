"""What a chapter needs to speak to its page: values for prose, source code, Chinese, times."""

from ..chinese import characters, labels
from ..times import measured
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
    "measured",
    "ran",
    "show",
    "source",
]
