"""What a chapter needs to speak to its page: values for prose, source code, Chinese, its own run time."""

from .chinese_lines import chinese
from .clock import ran
from .code import source
from .prose import glue, show

__all__ = ["chinese", "glue", "ran", "show", "source"]
