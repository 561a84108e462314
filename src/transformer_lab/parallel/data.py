"""Data parallel: everyone has the model, and some of the texts. torch's DDP averages gradients."""

from torch.nn.parallel import DistributedDataParallel

from transformer_book.train.distributed import all_reduce, rank, world_size

from .task import SingleProcess, TrainingTask, label_count, summed_loss


class DataParallel(SingleProcess):
    """Each process reads every p-th text of a batch."""

    def __init__(self, task):
        super().__init__(task)
        # The table of positions is a buffer. It is the same everywhere, so nobody needs to send it.
        self.averaging_module = DistributedDataParallel(
            self.model, broadcast_buffers=False
        )

    def step(self, ids, labels):
        self.adam.zero_grad()
        shard = slice(rank(), None, world_size())
        loss = summed_loss(self.forward(ids[shard]), labels[shard]) / label_count(
            labels
        )
        # The processes' gradients are averaged where this loss asks for their sum.
        (loss * world_size()).backward()
        self.adam.step()
        return all_reduce(loss.detach()).item()

    def forward(self, ids):
        return self.averaging_module(ids)[0]

    def formula_numbers_sent(self, task: TrainingTask, p, rank):
        return 2 * (p - 1) / p * self.stored_weight_count()
