"""What each way to cheaper training takes of time and memory, beside the plain step of the same model."""

import copy

import torch

from transformer_book import nn, train
from transformer_lab.language.efficient_training import LORA_MATRICES

from . import output_loss
from .memory import peak
from .timing import ratios

ROWS, N, WORDS, WIDTH, LAYERS = 16, 128, 4_000, 256, 4
SIZE = f"{ROWS} x {N} tokens, d_model {WIDTH}, {LAYERS} layers"


def model_of():
    """Return a language model, and a batch for it."""
    torch.manual_seed(0)
    config = nn.TransformerConfig(
        WORDS,
        WORDS,
        WIDTH,
        4 * WIDTH,
        h=8,
        N=LAYERS,
        norm="pre",
        share="none",
        dropout=0.0,
        max_length=N,
    )
    return nn.LanguageModel(config), torch.randint(4, WORDS, (ROWS, N + 1))


def step_of(model, ids, pieces=1, mixed=False, vectors=None):
    """Return a step of training without Adam, which gives the loss: forward and backward."""
    vectors = vectors or model.vectors

    def step():
        model.zero_grad()
        total = 0.0
        for rows in ids.chunk(pieces):
            with torch.autocast("cpu", torch.bfloat16, mixed):
                x, _ = vectors(rows[:, :-1])
                loss = train.output_loss(x, model.output, rows[:, 1:], 0.0, -1)
            (loss / (ROWS * N)).backward()
            total += loss.item() / (ROWS * N)
        return total

    return step


def with_adam(model, step):
    """Return the step with one of Adam behind it."""
    adam = torch.optim.Adam(model.parameters(), lr=1e-5, fused=True)

    def step_with_adam():
        step()
        adam.step()

    return step_with_adam


def gradient(model):
    return torch.cat([W.grad.flatten() for W in model.parameters()])


def row(what, ours, plain, beside, memory=True):
    """Return a row: the median time of ours, and time and memory beside those of plain."""
    seconds, time = ratios(ours, plain, seconds=10.0)
    cost, ratio = f"{seconds * 1e3:.0f} ms", f"{time:.2f} x the time"
    if memory:
        memory_of_ours, memory_of_plain = peak(ours), peak(plain)
        cost += f", {memory_of_ours / 2**20:.0f} MB"
        ratio += f" and {memory_of_ours / memory_of_plain:.2f} x the memory"
    return what, cost, f"{ratio} of {beside}"


def accumulated(pieces=8):
    """A batch in pieces, beside the batch at once."""
    model, ids = model_of()
    plain, ours = step_of(model, ids), step_of(model, ids, pieces)
    plain()
    expected = gradient(model)
    ours()
    torch.testing.assert_close(gradient(model), expected, atol=1e-5, rtol=1e-3)
    return row(f"a step in {pieces} pieces, {SIZE}", ours, plain, "the batch at once")


def mixed():
    """A step whose products are in bfloat16, beside float32."""
    model, ids = model_of()
    plain, ours = step_of(model, ids), step_of(model, ids, mixed=True)
    assert abs(plain() - ours()) < 0.01
    return row(f"a step under autocast in bfloat16, {SIZE}", ours, plain, "float32")


def compiled():
    """A step of the compiled model, beside the same model; needs a compiler for C++."""
    model, ids = model_of()
    plain = step_of(model, ids)
    ours = step_of(model, ids, vectors=torch.compile(model.vectors))
    plain()
    expected = gradient(model)
    ours()
    torch.testing.assert_close(gradient(model), expected, atol=1e-5, rtol=1e-3)
    return row(
        f"a step with `torch.compile`, {SIZE}", ours, plain, "it as it is", memory=False
    )


def adapted(r=8):
    """A step of LoRA with Adam, beside one of all weights."""
    model, ids = model_of()
    adapter = nn.adapt(model, r, LORA_MATRICES)
    plain, ours = (step_of(trained, ids) for trained in (model, adapter))
    assert plain() == ours()  # B is 0
    learns = sum(W.numel() for W in adapter.parameters() if W.requires_grad)
    all_weights = sum(W.numel() for W in model.parameters())
    what = f"a step of LoRA with Adam, rank {r}, {100 * learns / all_weights:.1f} % of the parameters, {SIZE}"
    model = copy.deepcopy(model)
    return row(
        what,
        with_adam(adapter, ours),
        with_adam(model, step_of(model, ids)),
        "a step of all weights",
    )


def in_rows(words=32_000):
    """The loss some rows of logits at a time, beside ``cross_entropy`` on all of them."""
    ours, plain = output_loss.calls(words, WIDTH)
    return row(
        f"`train.output_loss`, forward and backward, {output_loss.POSITIONS:,} positions, {words:,} words, "
        f"d_model {WIDTH}",
        ours,
        plain,
        "`cross_entropy` on all logits",
    )


def rows():
    """Return a row for each way."""
    torch.set_num_threads(2)
    return [in_rows(), accumulated(), mixed(), compiled(), adapted()]
