"""The peer of tensor parallel: torch's ``parallelize_module`` on torch's ``Linear``."""

import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

from transformer_book import nn
from transformer_book.train.distributed import world_size

from .task import SingleProcess, TrainingTask, adam_optimiser
from .tensor import TensorParallel

PARALLEL_STYLE_BY_MODULE = {
    "self_attention.Q": ColwiseParallel(),
    "self_attention.K": ColwiseParallel(),
    "self_attention.V": ColwiseParallel(),
    "self_attention.O": RowwiseParallel(),
    "feed_forward.first": ColwiseParallel(),
    "feed_forward.second": RowwiseParallel(),
}


def torch_linear(W: torch.Tensor, b: torch.Tensor | None = None) -> torch.nn.Linear:
    """Return torch's module for ``x @ W + b``, with these weights."""
    module = torch.nn.Linear(len(W), W.shape[1], b is not None, dtype=W.dtype)
    module.weight.data.copy_(W.T)
    if b is not None:
        module.bias.data.copy_(b)
    return module


class FeedForwardOfTorchLinears(torch.nn.Module):
    """``nn.FeedForward`` of torch's modules."""

    def __init__(self, book_feed_forward):
        super().__init__()
        self.first = torch_linear(book_feed_forward.W_1, book_feed_forward.b_1)
        self.second = torch_linear(book_feed_forward.W_2, book_feed_forward.b_2)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class AttentionOfTorchLinears(torch.nn.Module):
    """``nn.MultiHeadAttention`` of torch's modules, for self-attention, with the heads of this process."""

    def __init__(self, attention):
        super().__init__()
        self.d_k = attention.W_O.shape[0] // attention.h
        self.Q, self.K, self.V, self.O = map(
            torch_linear, (attention.W_Q, attention.W_K, attention.W_V, attention.W_O)
        )

    def forward(self, x, mask=None, *, causal, **options) -> tuple:
        heads = [
            nn.split_heads(vectors, vectors.shape[-1] // self.d_k)
            for vectors in (self.Q(x), self.K(x), self.V(x))
        ]
        Z, _ = nn.scaled_dot_product_attention(
            *heads, mask, causal=causal, need_weights=False
        )
        return self.O(nn.merge_heads(Z)), None


class TorchTensorParallel(TensorParallel):
    """As ``TensorParallel``, with torch's split of torch's modules."""

    def __init__(self, task):
        self.model = task.model()
        mesh = init_device_mesh("cpu", (world_size(),))
        for layer in self.model.layers:
            layer.self_attention = AttentionOfTorchLinears(layer.self_attention)
            layer.feed_forward = FeedForwardOfTorchLinears(layer.feed_forward)
            parallelize_module(layer, mesh, PARALLEL_STYLE_BY_MODULE)
        self.adam = adam_optimiser(self.model)

    def gathered_gradients(self) -> dict[str, torch.Tensor]:
        gradients = SingleProcess.gathered_gradients(self)
        gradients = {
            name: G.full_tensor() if isinstance(G, DTensor) else G
            for name, G in gradients.items()
        }
        for i in range(len(self.model.layers)):
            attention, network = (
                f"layers.{i}.{part}" for part in ("self_attention", "feed_forward")
            )
            pop_transposed = lambda name: gradients.pop(name).T  # noqa: E731
            QKV = [pop_transposed(f"{attention}.{name}.weight") for name in "QKV"]
            gradients[f"{attention}.W_QKV"] = torch.cat(QKV, 1)
            gradients[f"{attention}.W_O"] = pop_transposed(f"{attention}.O.weight")
            for number, name in (("1", "first"), ("2", "second")):
                gradients[f"{network}.W_{number}"] = pop_transposed(
                    f"{network}.{name}.weight"
                )
                gradients[f"{network}.b_{number}"] = pop_transposed(
                    f"{network}.{name}.bias"
                )
        return gradients

    def formula_numbers_sent(self, task: TrainingTask, p, rank):
        """As of every way. The input enters Q, K and V one by one, so three gradients are summed."""
        return super().formula_numbers_sent(task, p, rank) * (4 + 2) / 4

    def stored_weight_count(self) -> int:
        weights = [
            W.to_local() if isinstance(W, DTensor) else W
            for W in self.model.parameters()
        ]
        return sum(W.numel() for W in weights)
