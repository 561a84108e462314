"""Translations under way: what every way of decoding does between two choices of a word."""

from contextlib import contextmanager
from itertools import takewhile

import torch

from ..expect import expect_integer
from ..nn import DecoderCache, padding_mask
from .errors import DecodeError, check_ids, check_source, expect_choosable

# Tokens beyond those of the source, as in section 6.1 of the paper.
TOKENS_BEYOND_SOURCE = 50


class Sequences:
    """The translations so far of a batch of sentences.

    Parameters
    ----------
    function_name : str
        The function that decodes, for errors.
    model : nn.Transformer
    source : integer tensor, (batch, n)
        Ids, padded at the end.
    max_length : int, optional
        The most tokens a translation may have, EOS counted. By default 50 more than its source,
        but no more than the model has positions.
    use_cache : bool
        Whether the decoder keeps its keys and values, or reads the whole sequence at each step.
    copied_ids : sequence of int
        Ids with one meaning in both languages, ``ParallelCorpus.copied_ids``: a translation has each
        that its source has, once, and no other of them.
    copies : int
        How many sequences of each sentence, next to each other.
    need_weights : bool
        Whether to keep the attention weights of the last step.

    Attributes
    ----------
    target : integer tensor, (batch * copies, 1 + tokens so far)
        The sequences, BOS first.
    limits : integer tensor, (batch,)
        The most tokens that each sentence's translation may have.
    ended : boolean tensor, (batch * copies,)
        Which sequences go on no more; what the model says of them is not looked at.
    weights : dict
        The decoder's attention weights at the last step, by name.
    """

    def __init__(
        self,
        function_name,
        model,
        source,
        max_length,
        use_cache,
        copied_ids=(),
        *,
        copies=1,
        need_weights=False,
    ):
        check_source(function_name, model, source)
        source = source.to(model.output.device)
        self.function, self.copies = function_name, copies
        self.model, self.need_weights = model, need_weights
        self.limits = _length_limits(function_name, model.config, source, max_length)
        c = model.config
        self.never_written_ids = torch.tensor(
            c.never_written_ids, dtype=torch.long, device=source.device
        )
        self.ends = torch.tensor(c.end_ids, dtype=torch.long, device=source.device)
        if len(copied_ids):
            words = min(c.source_words, c.target_words)
            check_ids(
                function_name, "copied_ids", min(copied_ids), max(copied_ids), words
            )
        self.copied_ids = torch.tensor(
            copied_ids, dtype=torch.long, device=source.device
        )
        # (batch * copies, copied ids): which of them the source has.
        in_source = (source[:, :, None] == self.copied_ids).any(dim=1)
        self.in_source = in_source.repeat_interleave(copies, dim=0)
        mask = padding_mask(source, model.config.pad_id)
        memory, _ = model.encode(source)
        self.memory = memory.repeat_interleave(copies, dim=0)
        # A mask that hides nothing would only slow each step down.
        self.mask = None if mask.all() else mask.repeat_interleave(copies, dim=0)
        self.cache = DecoderCache(len(model.decoder)) if use_cache else None
        self.target = source.new_full((len(self.memory), 1), c.begin_id)
        self.ended = torch.zeros(
            len(self.memory), dtype=torch.bool, device=source.device
        )

    def next_logits(self):
        """Return the logits of the word that follows each sequence, (batch * copies, words)."""
        new = self.target if self.cache is None else self.target[:, -1:]
        x, self.weights = self.model.decode(
            new,
            self.memory,
            self.mask,
            cache=self.cache,
            need_weights=self.need_weights,
        )
        return self.model.logits(x[:, -1])

    def candidate_logits(self, logits):
        """Rule out what :meth:`rule_out_forbidden` does; see that a word can be chosen."""
        return self.check_choosable(self.rule_out_forbidden(logits))

    def rule_out_forbidden(self, values):
        """Rule out padding and BOS, which no sentence contains, and what copying forbids.

        Parameters
        ----------
        values : tensor, (batch * copies, words)
            Logits or log-probabilities.

        Returns
        -------
        tensor, (batch * copies, words)
            Minus infinity for a mark that is not due, and for the end while one is due. Where the
            model would end, or the room runs out, minus infinity for all but the marks that are due.
        """
        values = values.index_fill(-1, self.never_written_ids, -torch.inf)
        if not len(self.copied_ids):
            return values
        in_target = (self.target[:, :, None] == self.copied_ids).any(dim=1)
        is_due = self.in_source & ~in_target  # (batch * copies, copied ids)
        lacks_mark = is_due.any(dim=1)  # (batch * copies,)
        would_end = torch.isin(values.argmax(dim=1), self.ends)
        room = self.limits.repeat_interleave(self.copies) + 1 - self.target.shape[1]
        must_write_mark = lacks_mark & (would_end | (is_due.sum(dim=1) >= room))
        allowed = ~must_write_mark[:, None].expand_as(values).clone()
        allowed[:, self.ends] &= ~lacks_mark[:, None]
        allowed[:, self.copied_ids] = is_due
        return values.masked_fill(~allowed, -torch.inf)

    def check_choosable(self, logits):
        """Return the logits, if a word can be chosen by them for each sequence that goes on."""
        return expect_choosable(self.function, logits, self.ended, self.copies)

    def append(self, tokens):
        """Put one token, (batch * copies,), at the end of each sequence."""
        self.target = torch.cat([self.target, tokens[:, None]], dim=1)

    def select(self, rows):
        """Keep only these rows, in this order; one may be taken twice, for its own sentence."""
        self.target = self.target[rows]
        if self.cache is not None:
            self.cache.select(rows)

    def write_until_end(self, choose) -> list:
        """Append to each sequence what ``choose`` makes of the logits, until all have ended.

        Returns
        -------
        list of list of int
            Each translation up to its EOS.
        """
        for length in range(1, int(self.limits.max()) + 1):
            tokens = choose(self.next_logits())
            self.append(tokens)
            # Every sentence stays in the batch: what follows a sentence's end is never read.
            self.ended |= torch.isin(tokens, self.ends) | (length >= self.limits)
            if self.ended.all():
                break
        rows = zip(self.target[:, 1:].tolist(), self.limits.tolist())
        ends = self.model.config.end_ids
        return [tokens_until_end(tokens[:limit], ends) for tokens, limit in rows]


@contextmanager
def evaluation_mode(model):
    """Without dropout and without gradients; afterwards each module is in the mode it was in."""
    learning = [module for module in model.modules() if module.training]
    try:
        if learning:
            model.eval()
        with torch.inference_mode():  # a tenth faster here than no_grad
            yield
    finally:
        for module in learning:
            module.training = True


def tokens_until_end(tokens, end_ids) -> list:
    """Return what stands before the first id that ends a text, or all if there is none."""
    return list(takewhile(lambda token: token not in end_ids, tokens))


def _length_limits(function_name, config, source, max_length):
    if max_length is None:
        n = (source != config.pad_id).sum(dim=1)
        return (n + TOKENS_BEYOND_SOURCE).clamp(max=config.max_length)
    most = config.max_length
    remedy = f"The model has {most} positions: give no more, or None."
    name = "max_length"
    expect_integer(
        DecodeError, function_name, name, max_length, maximum=most, remedy=remedy
    )
    return source.new_full((len(source),), max_length)
