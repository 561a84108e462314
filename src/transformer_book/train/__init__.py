"""Training: the loop, what it is made of, the book's translator and its language model."""

from .averaging import average
from .book import book_model, book_training
from .book_language import (
    book_language_model,
    book_language_training,
    book_text,
    fresh_language_model,
)
from .consistency import consistent_loss, symmetric_divergence
from .fit import fit
from .history import History
from .language_model import token_losses, train_language_model
from .loop import train
from .loss import output_loss, smoothed_cross_entropy
from .recomputing import recomputing
from .schedule import learning_rate
from .settings import Settings
from .translator import translator

__all__ = [
    "History",
    "Settings",
    "average",
    "book_language_model",
    "book_language_training",
    "book_model",
    "book_text",
    "book_training",
    "consistent_loss",
    "fit",
    "fresh_language_model",
    "learning_rate",
    "output_loss",
    "recomputing",
    "smoothed_cross_entropy",
    "symmetric_divergence",
    "token_losses",
    "train",
    "train_language_model",
    "translator",
]
