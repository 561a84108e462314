"""Training: the small tasks of the chapters, word vectors, and the runs that the book records."""

from .fit import fit

__all__ = ["fit"]
