"""Sentences of similar length, padded to one length and stacked."""

import random
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from ..marks import BOS, EOS, PAD
from .errors import DataError


@dataclass(frozen=True)
class Batch:
    """Sentences with their translations, as ids.

    Parameters
    ----------
    source : integer tensor, (b, n)
        Each row ends in EOS, then padding.
    target : integer tensor, (b, m + 1)
        Each row starts with BOS and ends in EOS, then padding.
    """

    source: Int[Tensor, "b n"]
    target: Int[Tensor, "b m+1"]

    @property
    def decoder_input(self) -> Int[Tensor, "b m"]:
        """The target without its last column, which the decoder reads."""
        return self.target[:, :-1]

    @property
    def labels(self) -> Int[Tensor, "b m"]:
        """The target one word on, which the decoder must say."""
        return self.target[:, 1:]

    @property
    def words(self) -> int:
        """How many labels are not padding."""
        return int((self.labels != PAD).sum())

    def to(self, device):
        """Return the same batch on another device."""
        return Batch(self.source.to(device), self.target.to(device))


def collate(pairs_of_ids):
    """Stack pairs of sentences: add BOS and EOS, and pad each side to its longest.

    Parameters
    ----------
    pairs_of_ids : sequence of (sequence of int, sequence of int)
        Source and target, without marks. A translation not yet begun is empty.

    Returns
    -------
    Batch

    Raises
    ------
    DataError
        If there is no pair.
    """
    if not pairs_of_ids:
        raise DataError(
            "collate was given no pairs; expected at least one. Leave such a batch out."
        )
    return Batch(
        source=_padded([[*source, EOS] for source, _ in pairs_of_ids]),
        target=_padded([[BOS, *target, EOS] for _, target in pairs_of_ids]),
    )


def bucketed(pairs_of_ids, tokens, seed):
    """Cut a corpus into batches of sentences of similar length: little padding.

    Every pair is in exactly one batch. The seed decides which sentences of one
    length meet, and the order of the batches.

    Parameters
    ----------
    pairs_of_ids : sequence of (sequence of int, sequence of int)
        Source and target, without marks.
    tokens : int
        The most positions a batch may have on either side, padding counted: rows
        times the length of the longest sentence with its EOS.
    seed : int
        One for each epoch.

    Returns
    -------
    list of Batch

    Raises
    ------
    DataError
        If a pair alone is longer than ``tokens``.
    """
    shuffler = random.Random(seed)
    pairs = shuffler.sample(pairs_of_ids, len(pairs_of_ids))
    pairs.sort(key=_lengths)  # keeps the order among equals
    groups, group = [], []
    for pair in pairs:
        longest = _lengths(pair)[0]
        if longest > tokens:
            raise DataError(
                f"bucketed: a pair is {longest} tokens long with its EOS; expected "
                f"at most tokens={tokens}. Leave it out, or allow more in a batch."
            )
        if (len(group) + 1) * longest > tokens:
            groups.append(group)
            group = []
        group.append(pair)
    if group:
        groups.append(group)
    shuffler.shuffle(groups)
    return [collate(group) for group in groups]


def _lengths(pair):
    shorter, longer = sorted(len(ids) + 1 for ids in pair)
    return longer, shorter


def _padded(rows):
    return torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=PAD
    )
