"""One request: what is asked for, what has been written for it, and when."""

from dataclasses import dataclass, field

import torch

from ..decode.errors import DecodeError
from ..decode.sampling import Sampling, draw_ids
from ..special_ids import EOS


@dataclass
class Request:
    """A prompt to be continued, with the settings of its decoding.

    Parameters
    ----------
    id : int
        What the engine calls it.
    prompt : list of int
    tokens : int
        How many to write at most.
    sampling : decode.Sampling, optional
        As in :func:`decode.generate`.
    seed : int, optional
        Of its generator, so that no other request changes what it draws; without a seed
        each token is the likeliest.
    ends : tuple of int
        The ids that end it.
    arrived : int
        How many steps the engine had made when it came.

    Attributes
    ----------
    written : list of int
        Its tokens so far, without EOS.
    steps : list of int
        The step of the engine that wrote each of them, and EOS.
    ended : bool
        Whether it has all its tokens, or EOS came, or it cannot go on.
    error : DecodeError or None
        Why it cannot go on.
    preempted : int
        How often it had to give its blocks back.
    """

    id: int
    prompt: list[int]
    tokens: int
    sampling: Sampling | None = None
    seed: int | None = None
    ends: tuple[int, ...] = (EOS,)
    arrived: int = 0
    written: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    ended: bool = False
    error: DecodeError | None = None
    preempted: int = 0

    def __post_init__(self):
        self.generator = None
        self._drawn: tuple[int, torch.Tensor] | None = None
        if self.seed is not None:
            self.generator = torch.Generator().manual_seed(int(self.seed))

    @property
    def text(self) -> list[int]:
        """What the model must have read before it writes the next token."""
        return self.prompt + self.written

    def draw(self, logits: torch.Tensor) -> int:
        """Draw the next token, of logits (words,), as :func:`decode.generate` draws it."""
        if self.generator is not None:
            self._drawn = len(self.written), self.generator.get_state()
        logits = (self.sampling or Sampling()).warp_logits(logits[None])
        return int(draw_ids(logits, self.generator))

    def write(self, token: int, step: int) -> None:
        """Take a token that a step of the engine has chosen."""
        self.steps.append(step)
        if token not in self.ends:
            self.written.append(token)
        self.ended = token in self.ends or len(self.written) == self.tokens

    def fail(self, error: DecodeError) -> None:
        """End without a further token."""
        self.error, self.ended = error, True

    def drop_unfinished_step(self) -> None:
        """Be as after the last token written, whatever a step that was interrupted has begun."""
        del self.steps[len(self.written) :]
        self.ended = len(self.written) == self.tokens
        if self.generator and self._drawn and self._drawn[0] == len(self.written):
            self.generator.set_state(self._drawn[1])
