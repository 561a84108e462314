"""Tensor parallel: each process has some heads, and some columns of each feed-forward network."""

import torch
from torch import distributed as dist

from transformer_book import nn
from transformer_book.by_hand.parallel import check_split
from transformer_book.nn.linear import linear
from transformer_book.train.distributed import all_reduce, rank, world_size

from .task import SingleProcess, TrainingTask, adam_optimiser


class SumOnBackward(torch.autograd.Function):
    """Nothing on the way forward; on the way back the sum of what all processes send back."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        return all_reduce(gradient.clone())


class SumOnForward(torch.autograd.Function):
    """The sum of what all processes have; nothing on the way back, as each needs all of it."""

    @staticmethod
    def forward(ctx, x):
        return all_reduce(x.clone())

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def shard(W: torch.Tensor, axis: int, equal_part_count=1) -> torch.nn.Parameter:
    """Return this process's share of each of some equal parts of a matrix, side by side."""
    shares = [
        part.chunk(world_size(), axis)[rank()]
        for part in W.chunk(equal_part_count, axis)
    ]
    return torch.nn.Parameter(torch.cat(shares, axis).detach().clone())


class SplitFeedForward(torch.nn.Module):
    """Some columns of W_1 and the rows of W_2 that read them; b_2 is added once, after the sum."""

    def __init__(self, feed_forward):
        super().__init__()
        check_split("SplitFeedForward", "d_ff", feed_forward.W_1.shape[1], world_size())
        self.W_1, self.b_1 = shard(feed_forward.W_1, 1), shard(feed_forward.b_1, 0)
        self.W_2, self.b_2 = shard(feed_forward.W_2, 0), feed_forward.b_2

    def forward(self, x):
        x = SumOnBackward.apply(x)
        y = linear(torch.relu(linear(x, self.W_1, self.b_1)), self.W_2)
        return SumOnForward.apply(y) + self.b_2


class SplitAttention(torch.nn.Module):
    """Some of the heads: their columns of W_Q, W_K and W_V, and their rows of W_O."""

    def __init__(self, attention):
        super().__init__()
        check_split("SplitAttention", "h", attention.h, world_size())
        self.W_QKV, self.W_O = shard(attention.W_QKV, 1, 3), shard(attention.W_O, 0)
        self.h = attention.h // world_size()

    def forward(self, x, mask=None, *, causal, **options) -> tuple:
        x = SumOnBackward.apply(x)
        Q, K, V = linear(x, self.W_QKV).chunk(3, dim=-1)
        heads = [nn.split_heads(vectors, self.h) for vectors in (Q, K, V)]
        Z, _ = nn.scaled_dot_product_attention(
            *heads, mask, causal=causal, need_weights=False
        )
        return SumOnForward.apply(linear(nn.merge_heads(Z), self.W_O)), None


class TensorParallel(SingleProcess):
    """Every process reads every text; norms, embedding and output layer are everyone's."""

    def __init__(self, task):
        self.model = task.model()
        for layer in self.model.layers:
            layer.self_attention = SplitAttention(layer.self_attention)
            layer.feed_forward = SplitFeedForward(layer.feed_forward)
        self.adam = adam_optimiser(self.model)

    def gathered_gradients(self) -> dict[str, torch.Tensor]:
        gradients = {}
        for name, W in self.model.named_parameters():
            axis = {"W_QKV": 1, "W_1": 1, "b_1": 0, "W_O": 0, "W_2": 0}
            parameter = name.split(".")[-1]
            gradient = (
                all_gather(W.grad, axis[parameter]) if parameter in axis else W.grad
            )
            if parameter == "W_QKV":  # Q, K, V of each process, to those of all
                shares = [
                    share.chunk(3, 1) for share in gradient.chunk(world_size(), 1)
                ]
                gradient = torch.cat(
                    [share[i] for i in range(3) for share in shares], 1
                )
            gradients[name] = gradient
        return gradients

    def formula_numbers_sent(self, task: TrainingTask, p, rank):
        passes = 4 * task.layers  # two sub-layers, forward and back
        return passes * 2 * (p - 1) / p * task.batch * task.length * task.d_model


def all_gather(x: torch.Tensor, axis: int) -> torch.Tensor:
    """Return what all processes have, side by side."""
    shards = [torch.empty_like(x) for _ in range(world_size())]
    dist.all_gather(shards, x.contiguous())
    return torch.cat(shards, axis)
