"""Training: the loop, what it is made of, the book's translator."""

from .averaging import average
from .book import book_model, keep_book_model
from .fit import fit
from .history import History
from .loop import train
from .loss import output_loss, smoothed_cross_entropy
from .schedule import learning_rate
from .settings import Settings
from .translator import translator

__all__ = [
    "History",
    "Settings",
    "average",
    "book_model",
    "fit",
    "keep_book_model",
    "learning_rate",
    "output_loss",
    "smoothed_cross_entropy",
    "train",
    "translator",
]
