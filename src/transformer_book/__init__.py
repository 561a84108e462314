"""The code of The Executable Transformer."""

__version__ = "0.1.0"
