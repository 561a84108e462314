"""From a trained model to translations: greedy, beam search, sampling; and to a text continued.

Every function that translates takes an ``nn.Transformer`` and ids, (batch, n), each sentence with EOS
and padded at the end. It runs in evaluation mode, and leaves the model as it was.
"""

from .beam import Hypothesis, beam_search, length_divisor
from .errors import DecodeError
from .generate import generate
from .greedy import greedy
from .sampling import Sampling, keep_top_k, keep_top_p, sample, with_temperature
from .speculative import speculative
from .steps import Step, log_probability, steps
from .translate import translate

__all__ = [
    "DecodeError",
    "Hypothesis",
    "Sampling",
    "Step",
    "beam_search",
    "generate",
    "greedy",
    "keep_top_k",
    "keep_top_p",
    "length_divisor",
    "log_probability",
    "sample",
    "speculative",
    "steps",
    "translate",
    "with_temperature",
]
