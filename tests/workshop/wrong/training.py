"""Losses and steps of Adam, wrong: of PyTorch's parts, or number by number."""

import torch
from torch.nn.functional import cross_entropy

from transformer_workshop.tasks.learning_rate import learning_rate

from . import wrong


@wrong("M42", "smoothed_loss")
def a_loss_for_each_sentence(logits, labels, smoothing, pad_id):
    losses = [
        cross_entropy(one, label, label_smoothing=smoothing, ignore_index=pad_id)
        for one, label in zip(logits, labels)
    ]
    return sum(losses) / len(losses)


def step_of_pytorch(kind, change=lambda q: q, **choice):
    """Return a step of one of PyTorch's optimisers, with averages that have begun already."""

    def adam_step(p, g, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9):
        q = torch.nn.Parameter(p.clone())
        adam = kind([q], lr=rate, betas=(beta_1, beta_2), eps=eps, **choice)
        q.grad, at = g.clone(), torch.tensor(step - 1.0)
        adam.state[q] = {"step": at, "exp_avg": m.clone(), "exp_avg_sq": v.clone()}
        adam.step()
        state = adam.state[q]
        return tuple(map(change, (q.detach(), state["exp_avg"], state["exp_avg_sq"])))

    return adam_step


def of_numbers(p, g, m, v, step, rate, beta_1=0.9, beta_2=0.98, eps=1e-9):
    g = g + 0.01 * p
    m, v = torch.lerp(g, m, beta_1), torch.lerp(g.square(), v, beta_2)
    m_hat, v_hat = m / (1 - beta_1**step), v / (1 - beta_2**step)
    return torch.addcdiv(p, m_hat, v_hat.sqrt() + eps, value=-rate), m, v


def weights_in_bfloat16(*arguments):
    """Keep the averages as they are."""
    p, m, v = step_of_pytorch(torch.optim.Adam)(*arguments)
    return p.to(torch.bfloat16), m, v


wrong("M44", "adam_step")(step_of_pytorch(torch.optim.Adam, weight_decay=0.01))
wrong("M44", "adam_step")(of_numbers)
wrong("M45", "adam_step")(weights_in_bfloat16)
wrong("M45", "adam_step")(step_of_pytorch(torch.optim.Adam, lambda x: x.bfloat16()))


def loop_of_pytorch(
    after=lambda parameters: None, before=lambda parameters: None, **choice
):
    """Return a loop around Adam, with something before the first step and after each."""

    def training_loop(parameters, loss, batches, d_model, warmup):
        adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, **choice)
        rate = torch.optim.lr_scheduler.LambdaLR(
            adam, lambda i: learning_rate(i + 1, d_model, warmup) / 1e-3
        )
        losses = []
        before(parameters)
        for batch in batches:
            found = loss(*batch)
            losses.append(found.item())
            adam.zero_grad(), found.backward(), adam.step(), rate.step()
            after(parameters)
        return losses

    return training_loop


@torch.no_grad()
def rounded(parameters):
    for each in parameters:
        each.copy_(each.bfloat16())


wrong("M44", "training_loop")(loop_of_pytorch(weight_decay=0.01))
wrong("M45", "training_loop")(loop_of_pytorch(rounded))
wrong("M45", "training_loop")(loop_of_pytorch(rounded, rounded))
