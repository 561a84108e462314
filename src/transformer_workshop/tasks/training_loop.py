"""The loop that trains: for each batch the loss, its gradients, and a step of Adam."""

from collections.abc import Iterator, Set

import numpy as np

from ..task import Property, Slip, Task
from .adam_step import round_to_bfloat16
from .learning_rate import learning_rate

STUB = '''
def training_loop(parameters, loss, batches, d_model, warmup):  # -> a list of numbers
    """Train: take one step of Adam for each batch; return the loss of each batch, before its step.

    parameters: a list of PyTorch tensors that need gradients; change them in place. loss(source, target)
    returns the loss of a batch, a tensor with one number, whose backward() gives each parameter its .grad.
    batches yields pairs (source, target); go through it once. Step 1 is that of the first batch. The rate
    of a step is learning_rate(step, d_model, warmup). Adam has beta_1 = 0.9, beta_2 = 0.98, eps = 1e-9: use
    your adam_step inside torch.no_grad(), or torch.optim.Adam. This function needs `import torch`.
    """
'''

BFLOAT16_SLIP_FIELDS = (
    "kept the parameters in bfloat16, whose eight bits lose a small step",
    "M45",
    "The parameters keep the precision in which they come.",
)
SLIPS = (
    Slip(
        "no zero",
        "did not set the gradients to zero, so every step follows the sum of all gradients so far",
        repair="Before each backward(), set the gradients to zero: backward adds to what is there.",
    ),
    Slip(
        "no step",
        "did not change the parameters, so the model never learns",
        repair="Call backward() first, then take the step, and set the gradients to zero only after it or "
        "before backward(). Change the tensors themselves; a new tensor under the same name is not "
        "the model's.",
    ),
    Slip(
        "default rate",
        "left the learning rate at 0.001, the default of PyTorch's Adam",
        repair='Before each step, set group["lr"] of each of the optimiser\'s param_groups.',
    ),
    Slip(
        "one rate",
        "used the rate of the first step in every step",
        repair="Compute learning_rate(step, d_model, warmup) anew inside the loop.",
    ),
    Slip(
        "next rate",
        "used at each step the rate of the next one",
        repair="The first step has the number 1.",
    ),
    Slip(
        "late rate",
        "set the rate after the step, so that each step has the rate of the one before",
        repair="Set the rate before the step.",
    ),
    Slip(
        "late rate, 1 twice",
        "gave the first two steps the rate of step 1, so that each later step has the rate of the one before",
        repair="The first step has the number 1. PyTorch's LambdaLR counts from 0: add 1 to its number.",
    ),
    Slip(
        "late rate, 0",
        "gave the first step the rate 0, so that each step has the rate of the one before",
        repair="The first step has the number 1. PyTorch's LambdaLR counts from 0: add 1 to its number.",
    ),
    Slip(
        "times 0.001",
        "multiplied each rate by 0.001, the default of PyTorch's Adam",
        repair="LambdaLR multiplies the optimiser's own rate: give the optimiser lr=1.",
    ),
    Slip(
        "first batch",
        "trained on the first batch again and again",
        repair="Each step takes the next batch: for source, target in batches.",
    ),
    Slip(
        "one step",
        "stopped after the first batch",
        repair="Is the return inside the loop? It belongs behind it.",
    ),
    Slip(
        "descent",
        "subtracted the rate times the gradient, without Adam",
        repair="Adam divides an average of the gradients by the root of an average of their squares.",
    ),
    Slip(
        "betas",
        "left beta_2 at 0.999, the default of PyTorch's Adam",
        repair="Give the optimiser betas=(0.9, 0.98) and eps=1e-9.",
    ),
    Slip(
        "eps",
        "left eps at 1e-8, the default of PyTorch's Adam",
        repair="Give the optimiser betas=(0.9, 0.98) and eps=1e-9.",
    ),
    Slip(
        "fresh",
        "began with new averages at every step, so Adam forgets all earlier gradients",
        repair="Make the optimiser, or the averages m and v, once before the loop.",
    ),
    Slip(
        "first parameter",
        "changed the first parameter alone",
        repair="Every tensor in parameters takes its step.",
    ),
    Slip(
        "up",
        "moved the parameters along the gradients instead of against them",
        repair="The step is subtracted: the loss has to fall.",
    ),
    Slip(
        "decay",
        "let the weights decay, as PyTorch's AdamW does",
        repair="This is Adam without a weight decay: torch.optim.Adam.",
    ),
    Slip(
        "decay in the gradient",
        "added 0.01 times the parameter to its gradient, a weight decay",
        "M44",
        "This is Adam without a weight decay: leave weight_decay at 0.",
    ),
    Slip("bfloat16", *BFLOAT16_SLIP_FIELDS),
    Slip("bfloat16 from the start", *BFLOAT16_SLIP_FIELDS),
    Slip(
        "after",
        "returned the loss of each batch after its step",
        repair="Keep the number that you called backward() on.",
    ),
)


class LineLoss:
    """A loss with two parameters, w and b, and the gradients by hand."""

    def __init__(self, parameters, offset=0):
        self.parameters, self.offset = parameters, offset

    def __call__(self, source, target):
        import torch

        w, b = self.parameters
        source, target = map(torch.as_tensor, (source, target))
        return ((source @ w + b - target) ** 2).mean() - self.offset

    def __repr__(self):
        minus = f" - {self.offset}" if self.offset else ""
        loss = f"((source @ w + b - target) ** 2).mean(){minus}"
        return f"a function that returns {loss}, with [w, b] = parameters"


class SinglePassBatches:
    """Batches that can be gone through a single time."""

    def __init__(self, pairs):
        self.pairs, self.left = pairs, list(pairs)

    def __iter__(self):
        return self

    def __next__(self):
        import torch

        if not self.left:
            raise StopIteration
        return tuple(map(torch.from_numpy, self.left.pop(0)))

    def __repr__(self):
        pairs = (f"({x.tolist()}, {y.tolist()})" for x, y in self.pairs)
        return f"pairs (source, target) of tensors: {', '.join(pairs)}"


def mean_squared_error(w, b, source, target) -> float:
    return np.square(source @ w + b - target).mean()


def mean_squared_error_gradients(w, b, source, target) -> list[np.ndarray]:
    off = 2 * (source @ w + b - target) / len(source)
    return [off @ source, off.sum(keepdims=True)]


def reference(
    parameters, loss, batches, d_model, warmup, slips: Set[str] = frozenset()
):
    p = [each.detach().numpy().astype(float) for each in parameters]
    p = list(map(round_to_bfloat16, p)) if "bfloat16 from the start" in slips else p
    pairs, losses = batches.pairs, []
    eps = 1e-8 if "eps" in slips else 1e-9
    m, v, summed = ([np.zeros_like(each) for each in p] for _ in range(3))
    for step, batch in enumerate(pairs[: 1 if "one step" in slips else None], start=1):
        batch = pairs[0] if "first batch" in slips else batch
        before, g = (
            mean_squared_error(*p, *batch),
            mean_squared_error_gradients(*p, *batch),
        )
        if "no zero" in slips:
            g = summed = [s + each for s, each in zip(summed, g)]
        if "decay in the gradient" in slips:
            g = [each + 0.01 * of for each, of in zip(g, p)]
        rate = learning_rate_with_slips(step, d_model, warmup, slips)
        b2, t = 0.999 if "betas" in slips else 0.98, step
        if "fresh" in slips:
            m, v, t = [0 * each for each in m], [0 * each for each in v], 1
        m = [0.9 * a + 0.1 * each for a, each in zip(m, g)]
        v = [b2 * a + (1 - b2) * each**2 for a, each in zip(v, g)]
        moves = [
            (a / (1 - 0.9**t)) / (np.sqrt(c / (1 - b2**t)) + eps) for a, c in zip(m, v)
        ]
        moves = g if "descent" in slips else moves
        if "decay" in slips:
            moves = [move + 0.01 * each for move, each in zip(moves, p)]
        if "first parameter" in slips:
            moves[1] = 0 * moves[1]
        sign = 0 if "no step" in slips else 1 if "up" in slips else -1
        p = [each + sign * rate * move for each, move in zip(p, moves)]
        if slips & {"bfloat16", "bfloat16 from the start"}:
            p = list(map(round_to_bfloat16, p))
        losses.append(mean_squared_error(*p, *batch) if "after" in slips else before)
    return np.array(losses) - loss.offset


def learning_rate_with_slips(step, d_model, warmup, slips: Set[str]) -> float:
    if "default rate" in slips or ("late rate" in slips and step == 1):
        return 1e-3
    step = 1 if "one rate" in slips else step
    if slips & {"late rate, 1 twice", "late rate, 0"}:
        step = step - 1 if step > 1 or "late rate, 0" in slips else step
    if step == 0:
        return 0.0
    step += ("next rate" in slips) - ("late rate" in slips)
    rate = min(1 / np.sqrt(step), step / warmup**1.5) / np.sqrt(d_model)
    return 0.001 * rate if "times 0.001" in slips else rate


def training_loop(parameters, loss, batches, d_model, warmup):
    import torch

    adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step, (source, target) in enumerate(batches, start=1):
        adam.param_groups[0]["lr"] = learning_rate(step, d_model, warmup)
        adam.zero_grad()
        value = loss(source, target)
        value.backward()
        adam.step()
        losses.append(value.item())
    return losses


def trial_arguments(rng) -> Iterator[tuple]:
    import torch

    def loop_arguments(
        w: np.ndarray, b: np.ndarray, pairs, d_model, warmup, loss_offset=0
    ) -> tuple:
        parameters = [torch.tensor(each, requires_grad=True) for each in (w, b)]
        return (
            parameters,
            LineLoss(parameters, loss_offset),
            SinglePassBatches(pairs),
            d_model,
            warmup,
        )

    one, other = np.array([[1.0, 0.0]]), np.array([[1.0, 2.0]])
    batches = [(one, np.array([5.0])), (other, np.array([-3.0]))]
    batches += [(one, np.array([0.0])), (other, np.array([4.0]))]
    w, b = np.array([2.0, -1.0]), np.array([1.0])
    yield loop_arguments(w, b, batches[:2], 4, 1)
    yield loop_arguments(w, b, batches, 4, 4)
    for steps, d_model, warmup in ((5, 1, 3), (6, 4, 2), (8, 2, 16)):
        pairs = [
            (rng.normal(size=(3, 2)), 4 * rng.normal(size=3)) for _ in range(steps)
        ]
        start = 3 * rng.normal(size=2), rng.normal(size=1)
        yield loop_arguments(*start, pairs, d_model, warmup)
    # The first gradients are 2e-9, so that eps counts; and the first loss is below 0.
    almost = (one, np.array([-1e-9])), batches[0]
    yield loop_arguments(np.zeros(2), np.zeros(1), almost, 4, 1, loss_offset=1)


TASK = Task(
    "training_loop",
    "transformer/training#each-step-uses-one-batch-to-correct-the-parameters",
    STUB,
    reference,
    training_loop,
    trial_arguments,
    SLIPS,
    properties=(
        Property(
            "there is not one loss for each batch",
            lambda function, x, returned_arrays: (
                returned_arrays[0].shape == (len(x[2].pairs),)
            ),
        ),
    ),
    hints=(
        "Each step does the same five things: set the rate, set the gradients to zero, compute the loss, "
        "call its backward(), and let Adam take its step.",
        "adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9) before the loop; count the steps "
        "with enumerate(batches, start=1).",
        'Inside the loop: adam.param_groups[0]["lr"] = learning_rate(step, d_model, warmup); '
        "adam.zero_grad(); value = loss(source, target); value.backward(); adam.step(); "
        "losses.append(value.item()).",
    ),
    may_change=("parameters", "batches"),
)
