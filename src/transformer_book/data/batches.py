"""Sentences of similar length, padded to one length and stacked."""

import random
from dataclasses import dataclass, replace

import torch
from jaxtyping import Int
from torch import Tensor

from ..expect import refusal
from ..ids import ids_or_none
from ..special_ids import BOS, EOS, PAD
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
    pad_id : int
        The id of the padding.
    """

    source: Int[Tensor, "b n"]
    target: Int[Tensor, "b m+1"]
    pad_id: int = PAD

    @property
    def decoder_input(self) -> Int[Tensor, "b m"]:
        """The target without its last column, which the decoder reads."""
        return self.target[:, :-1]

    @property
    def labels(self) -> Int[Tensor, "b m"]:
        """The target one word on, which the decoder must say."""
        return self.target[:, 1:]

    @property
    def word_count(self) -> int:
        """How many labels are not padding."""
        return int((self.labels != self.pad_id).sum())

    def to(self, device):
        """Return the same batch on another device."""
        return replace(
            self, source=self.source.to(device), target=self.target.to(device)
        )


def collate(pairs_of_ids, pad_id=PAD):
    """Stack pairs of sentences: add BOS and EOS, and pad each side to its longest.

    Parameters
    ----------
    pairs_of_ids : sequence of (sequence of int, sequence of int)
        Source and target, without marks. A translation not yet begun is empty.
    pad_id : int
        The id of the padding: the ``pad_id`` of the model's configuration.

    Returns
    -------
    Batch

    Raises
    ------
    DataError
        If there is no pair, or one has numbers that are no ids of words.
    """
    if not pairs_of_ids:
        raise refusal(
            DataError, "collate", "no pairs", "at least one", "Leave such a batch out."
        )
    pairs = [[_checked_word_ids(ids, pad_id) for ids in pair] for pair in pairs_of_ids]
    return Batch(
        source=_pad_rows([[*source, EOS] for source, _ in pairs], pad_id),
        target=_pad_rows([[BOS, *target, EOS] for _, target in pairs], pad_id),
        pad_id=pad_id,
    )


def bucketed_batches(pairs_of_ids, max_tokens, seed, pad_id=PAD) -> list:
    """Cut a corpus into batches of sentences of similar length: little padding.

    Every pair is in exactly one batch. The seed decides which sentences of one
    length meet, and the order of the batches.

    Parameters
    ----------
    pairs_of_ids : sequence of (sequence of int, sequence of int)
        Source and target, without marks.
    max_tokens : int
        The most positions a batch may have on either side, padding counted: rows
        times the length of the longest sentence with its EOS.
    seed : int
        One for each epoch.
    pad_id : int
        As in :func:`collate`.

    Returns
    -------
    list of Batch

    Raises
    ------
    DataError
        If a pair alone is longer than ``max_tokens``, or has numbers that are no ids of words.
    """
    shuffler = random.Random(seed)
    pairs = shuffler.sample(pairs_of_ids, len(pairs_of_ids))
    pairs.sort(key=_longer_and_shorter_length)  # keeps the order among equals
    groups, group = [], []
    for pair in pairs:
        longest = _longer_and_shorter_length(pair)[0]
        if longest > max_tokens:
            raise refusal(
                DataError,
                "bucketed_batches",
                f"a pair is {longest} tokens long with its EOS",
                f"at most max_tokens={max_tokens}",
                "Leave it out, or allow more in a batch.",
            )
        if (len(group) + 1) * longest > max_tokens:
            groups.append(group)
            group = []
        group.append(pair)
    if group:
        groups.append(group)
    shuffler.shuffle(groups)
    return [collate(group, pad_id) for group in groups]


def _longer_and_shorter_length(pair) -> tuple:
    shorter, longer = sorted(len(ids) + 1 for ids in pair)
    return longer, shorter


def _checked_word_ids(ids, pad_id):
    """Return a sentence's ids as a list of int; marks are not among them."""
    marks, words = {pad_id, BOS, EOS}, ids_or_none(ids)
    if words is None or not marks.isdisjoint(words):
        raise refusal(
            DataError,
            "collate",
            f"the sentence is {str(ids)[:60]}",
            f"ids, whole numbers, none of them one of the marks {sorted(marks)}",
            "Leave out padding, BOS and EOS: collate adds them itself.",
        )
    return words


def _pad_rows(rows, pad_id):
    return torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=pad_id
    )
