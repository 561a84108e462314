import numpy as np
import pytest
import torch

from transformer_book.options import ConfigError
from transformer_book.train import fit


def test_it_takes_the_adam_steps_of_torch():
    start, target = torch.tensor([0.0, 5.0]), torch.tensor([1.0, -1.0])
    ours, reference = (start.clone().requires_grad_() for _ in range(2))
    adam, expected = torch.optim.Adam([reference], lr=0.1), []
    for step in range(5):
        loss = ((reference - target * step) ** 2).sum()
        expected.append(loss.item())
        adam.zero_grad()
        loss.backward()
        adam.step()
    losses = fit(
        [ours], lambda step: ((ours - target * step) ** 2).sum(), steps=5, lr=0.1
    )
    np.testing.assert_array_equal(losses, expected)
    assert torch.equal(ours, reference)


def test_a_loss_that_is_not_a_number_stops_it_and_spoils_nothing():
    x = torch.ones(1, requires_grad=True)
    with pytest.raises(
        FloatingPointError, match="loss of step 2 is nan; .*step size below 0.5"
    ):
        fit(
            [x],
            lambda step: x.sum() * (float("nan") if step == 2 else 1.0),
            steps=5,
            lr=0.5,
        )
    assert x.isfinite().all()


@pytest.mark.parametrize("steps", [0, -1, 2.5])
def test_steps_are_counted(steps):
    with pytest.raises(
        ConfigError, match=f"steps is {steps}; expected a number of steps"
    ):
        fit([torch.ones(1, requires_grad=True)], lambda step: None, steps)
