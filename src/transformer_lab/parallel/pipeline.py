"""Pipeline parallel: each process has some layers, and passes their output on."""

import time
from collections.abc import Callable

import torch
from torch import distributed as dist
from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

from transformer_book.by_hand.parallel import check_split
from transformer_book.train.distributed import rank, world_size

from .task import SingleProcess, TrainingTask, adam_optimiser, label_count, summed_loss


class Stage(torch.nn.Module):
    """Some layers in a row; the first stage also embeds, the last one also computes the logits."""

    PE: torch.Tensor
    embedding: torch.Tensor

    def __init__(self, model):
        super().__init__()
        p, i = world_size(), rank()
        check_split("Stage", "the number of layers", len(model.layers), p)
        each = len(model.layers) // p
        self.is_first, self.is_last = i == 0, i == p - 1
        self.layers = torch.nn.ModuleDict(
            {str(k): model.layers[k] for k in range(i * each, (i + 1) * each)}
        )
        if self.is_first:
            self.embedding, self.scale = model.embedding, model.config.d_model**0.5
            self.register_buffer("PE", model.PE, persistent=False)
        if self.is_last:
            self.norm, self.output = model.norm, model.output

    def forward(self, x):
        if self.is_first:
            x = self.embedding[x] * self.scale + self.PE[: x.shape[1]]
        for layer in self.layers.values():
            x, _ = layer(x, causal=True)
        return self.norm(x) @ self.output.T if self.is_last else x


class Pipeline(SingleProcess):
    """A batch goes through in parts: all forward, then all back (GPipe)."""

    schedule: type = ScheduleGPipe

    def __init__(self, task):
        check_split("Pipeline", "the batch", task.batch, task.parts)
        self.model = Stage(task.model())
        self.adam = adam_optimiser(self.model)
        self.labels = 1  # of the batch; set at each step
        self.pipe = pipeline_schedule(self.model, task.parts, self.loss, self.schedule)

    def loss(self, logits, labels):
        """Return the loss of a part, so that the mean over all parts is that of the batch."""
        return summed_loss(logits, labels) / self.labels * self.pipe._n_microbatches

    def step(self, ids, labels):
        self.adam.zero_grad()
        self.labels, losses = label_count(labels), []
        inputs = (ids,) if self.model.is_first else ()
        target = labels if self.model.is_last else None
        self.pipe.step(*inputs, target=target, losses=losses)
        self.adam.step()
        loss = torch.stack(losses).mean().detach() if losses else torch.zeros(())
        dist.broadcast(loss := loss.double(), world_size() - 1)
        return loss.item()

    def gathered_gradients(self) -> dict[str, torch.Tensor]:
        of_stage = super().gathered_gradients()
        of_stages: list = [None] * world_size()
        dist.all_gather_object(of_stages, of_stage)
        return {name: G for gradients in of_stages for name, G in gradients.items()}

    def formula_numbers_sent(self, task: TrainingTask, p, rank):
        neighbours = (rank > 0) + (rank < p - 1)
        return neighbours * task.batch * task.length * task.d_model


class Pipeline1F1B(Pipeline):
    """As ``Pipeline``, in the order "one forward, one backward" (1F1B)."""

    schedule = Schedule1F1B


def pipeline_schedule(
    module, part_count: int, loss: Callable, schedule_class=ScheduleGPipe
):
    """Return torch's schedule of one module for each process."""
    stage = PipelineStage(module, rank(), world_size(), torch.device("cpu"))
    return schedule_class(stage, part_count, loss_fn=loss)


class _SleepFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, seconds: float, passes_run: list[str]):
        ctx.seconds, ctx.passes_run = seconds, passes_run
        passes_run.append("F")
        time.sleep(seconds)
        return x.clone()

    @staticmethod
    def backward(ctx, gradient) -> tuple:
        ctx.passes_run.append("B")
        time.sleep(ctx.seconds)
        return gradient, None, None


class SleepingStage(torch.nn.Module):
    """A stage that takes its time and computes nothing, so that cores need not be shared."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds, self.passes_run = seconds, []
        self.W = torch.nn.Parameter(torch.ones(()))

    def forward(self, x):
        return _SleepFunction.apply(x * self.W, self.seconds, self.passes_run)


def time_pipeline_step(
    part_count: int, schedule_class=ScheduleGPipe, pass_seconds=0.03, repeats=3
) -> tuple[float, str]:
    """Time a step of a pipeline whose stages rest: a pass of one part takes ``pass_seconds``.

    Returns
    -------
    pass_seconds : float
        The fastest of some steps, as this process has measured it.
    order : str
        The passes of this process in the last of them, F forward and B back.
    """
    stage = SleepingStage(pass_seconds)
    pipe = pipeline_schedule(
        stage, part_count, lambda y, labels: y.sum(), schedule_class
    )
    x, step_seconds = torch.ones(part_count, 1), []
    for _ in range(1 + repeats):  # the first also finds out shapes
        dist.barrier()
        start = time.perf_counter()
        pipe.step(*([x] if rank() == 0 else []), target=x, losses=[])
        dist.barrier()
        step_seconds.append(time.perf_counter() - start)
    return min(step_seconds[1:]), "".join(stage.passes_run[-2 * part_count :])
