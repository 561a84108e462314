"""Whatever the load, no block is lost and no row is another text's."""

from collections import Counter

import torch
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from transformer_book.serve import OutOfBlocks, PagedCache


def row(ids):
    """Stand in for a key: a row that depends on all tokens up to its own."""
    return [float(hash(tuple(ids)) % 2**20), float(len(ids))]


class Loads(RuleBasedStateMachine):
    """Any order of requests that come, grow, fork and end."""

    def __init__(self):
        super().__init__()
        self.cache = PagedCache(2, 8, 3)
        self.texts, self.unread, self.names = {}, set(), 0

    def name(self):
        self.names += 1
        return self.names

    def attempt(self, change):
        """Return whether it went; if no block was left, nothing may have changed."""
        before = [*self.cache.allocator.counts]
        try:
            change()
        except OutOfBlocks:
            assert self.cache.allocator.counts == before
            return False
        return True

    @rule(ids=st.lists(st.integers(0, 1), min_size=1, max_size=10))
    def add(self, ids):
        name = self.name()
        if self.attempt(lambda: self.cache.add(name, ids)):
            self.texts[name] = ids
            self.unread.add(name)
        else:
            assert name not in self.cache

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), token=st.integers(0, 1))
    def append(self, data, token):
        name = data.draw(st.sampled_from([*self.texts]))
        if self.attempt(lambda: self.cache.append(name, token)):
            self.texts[name] = [*self.texts[name], token]
            self.unread.add(name)
        assert self.cache.ids(name) == self.texts[name]
        assert self.cache.length(name) == len(self.texts[name])

    @precondition(lambda self: set(self.texts) - self.unread)
    @rule(data=st.data())
    def fork(self, data):
        name = data.draw(st.sampled_from(sorted(set(self.texts) - self.unread)))
        new = self.name()
        self.cache.fork(name, new)
        self.texts[new] = self.texts[name]

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def free(self, data):
        name = data.draw(st.sampled_from([*self.texts]))
        self.cache.free(name)
        self.texts.pop(name)
        self.unread.discard(name)

    @precondition(lambda self: self.unread)
    @rule(data=st.data())
    def read(self, data):
        several = st.lists(
            st.sampled_from(sorted(self.unread)), min_size=1, unique=True
        )
        names = data.draw(several)
        view = self.cache.view(names)
        K = torch.zeros(len(names), 2, view.m, 1)  # two heads, a number each
        for k, start, new, name in zip(K, view.next_position, view.new, names):
            for j in range(new):
                k[:, j, 0] = torch.tensor(row(self.texts[name][: start + j + 1]))
        for layer in view.layers:
            for rows in layer.extend(K, K):
                for name, its in zip(names, rows):
                    n = len(self.texts[name])
                    wanted = [row(self.texts[name][: i + 1]) for i in range(n)]
                    assert its[:, :n, 0].T.tolist() == wanted
        self.unread -= set(names)

    @invariant()
    def every_block_is_counted(self):
        blocks = self.cache.allocator
        tables = [self.cache.table(name) for name in self.texts]
        held = Counter(block for table in tables for block in table)
        assert blocks.counts == [held[block] for block in range(blocks.blocks)]
        assert blocks.used_count == len(held) == blocks.blocks - blocks.free_count
        for name, table in zip(self.texts, tables):
            assert len(table) == -(-len(self.texts[name]) // 3)

    def teardown(self):
        for name in self.texts:
            self.cache.free(name)
        assert self.cache.allocator.free_count == 8 and len(self.cache) == 0


FEW = settings(max_examples=100, stateful_step_count=40, deadline=None)
Loads.TestCase.settings = FEW
TestWhateverTheLoadNoBlockIsLostAndNoRowIsForeign = Loads.TestCase
