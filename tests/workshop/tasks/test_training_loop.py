"""Loops with PyTorch's optimiser and its schedule, which counts from 0, right and wrong."""

import pytest
import torch

from transformer_workshop.judge import judge
from transformer_workshop.tasks.learning_rate import learning_rate
from transformer_workshop.tasks.training_loop import TASK


def with_schedule(
    number=lambda i: i + 1, own=1.0, scheduled_first=False, keep=torch.Tensor.item
):
    """Return a loop with LambdaLR, a part of it exchanged."""

    def train(parameters, loss, batches, d_model, warmup):
        def rate(i):
            return learning_rate(number(i), d_model, warmup) if number(i) else 0.0

        adam = torch.optim.Adam(parameters, lr=own, betas=(0.9, 0.98), eps=1e-9)
        schedule = torch.optim.lr_scheduler.LambdaLR(adam, rate)
        steps = [schedule, adam] if scheduled_first else [adam, schedule]
        losses = []
        for source, target in batches:
            adam.zero_grad()
            value = loss(source, target)
            value.backward()
            for each in steps:
                each.step()
            losses.append(keep(value))
        return losses

    return train


@pytest.mark.parametrize(
    "keep", [torch.Tensor.item, torch.Tensor.detach, lambda value: value]
)
def test_a_loop_with_a_schedule_is_right(keep):
    assert judge(TASK, with_schedule(keep=keep)).state == "right"


@pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step")
@pytest.mark.parametrize(
    "loop, name",
    [
        (with_schedule(lambda i: i), "late rate, 0"),
        (with_schedule(lambda i: max(i, 1)), "late rate, 1 twice"),
        (with_schedule(own=1e-3), "times 0.001"),
        (with_schedule(scheduled_first=True), "next rate"),
    ],
)
def test_a_schedule_that_is_one_step_off_is_named(loop, name):
    assert [slip.name for slip in judge(TASK, loop).slips] == [name]


@pytest.mark.parametrize(
    "betas, eps, names",
    [
        ((0.9, 0.98), 1e-8, ["eps"]),
        ((0.9, 0.999), 1e-8, ["betas", "eps"]),
        ((0.9, 0.98), 2e-9, []),
        ((0.9, 0.98), 0.0, []),
    ],
)
def test_another_eps_shows_where_gradients_are_small(betas, eps, names):
    def train(parameters, loss, batches, d_model, warmup):
        adam, losses = torch.optim.Adam(parameters, betas=betas, eps=eps), []
        for step, batch in enumerate(batches, start=1):
            adam.param_groups[0]["lr"] = learning_rate(step, d_model, warmup)
            adam.zero_grad()
            losses.append(loss(*batch))
            losses[-1].backward()
            adam.step()
        return losses

    verdict = judge(TASK, train)
    assert verdict.state == "wrong"
    assert [slip.name for slip in verdict.slips] == names


def test_a_loss_may_be_negative():
    verdict = judge(TASK, lambda *x: [abs(loss) for loss in TASK.solution(*x)])
    assert verdict.state == "wrong"
