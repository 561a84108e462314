"""Training: the loop, what it is made of, the book's translator, word vectors, recorded runs."""

from .averaging import average
from .book import book_model, keep_book_model
from .fit import fit
from .history import History
from .loop import train
from .loss import output_loss, smoothed_cross_entropy
from .recipes import RECIPES, Recipe
from .schedule import learning_rate
from .settings import Settings
from .translator import translator

__all__ = [
    "RECIPES",
    "History",
    "Recipe",
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
