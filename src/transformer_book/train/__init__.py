"""Training: the loop, its parts, and models whose weights are drawn."""

from .averaging import average_weights
from .consistency import consistent_loss, symmetric_divergence
from .fit import fit
from .fresh_language_model import fresh_language_model
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
    "average_weights",
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
