"""Sharded data parallel: nobody keeps the complete model. torch's FSDP2, ``fully_shard``."""

from torch.distributed.fsdp import fully_shard

from .data import DataParallel
from .task import TrainingTask, adam_optimiser


class ShardedDataParallel(DataParallel):
    """A layer is gathered before it is used, and forgotten after; so are embedding and output."""

    def __init__(self, task):
        self.model = task.model()
        layers = self.model.layers
        self.layer_parameters = sum(W.numel() for W in layers.parameters())
        self.all_parameters = sum(W.numel() for W in self.model.parameters())
        for layer in layers:
            fully_shard(layer)
        fully_shard(self.model)
        self.adam = adam_optimiser(
            self.model
        )  # after it, so that its moments are shards too

    def forward(self, ids):
        return self.model(ids)[0]

    def gathered_gradients(self) -> dict:
        return {name: W.grad.full_tensor() for name, W in self.model.named_parameters()}

    def stored_weight_count(self) -> int:
        return sum(W.to_local().numel() for W in self.model.parameters())

    def formula_numbers_sent(self, task: TrainingTask, p, rank, scatter_factor=2):
        """As of every way. A ring's reduce-scatter sends half of an all-reduce; gloo's sends it all.

        ``scatter_factor`` is 1 for a ring. What is outside the layers is gathered once: it is used last on
        the way forward and first on the way back, and torch keeps it in between.
        """
        gathered = self.all_parameters + self.layer_parameters
        return (p - 1) / p * (gathered + scatter_factor * self.all_parameters)
