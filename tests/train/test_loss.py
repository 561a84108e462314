import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.nn.cases import close, tensors
from transformer_book.shapes import ShapeError
from transformer_book.train import loss as module
from transformer_book.train import output_loss, smoothed_cross_entropy

PAD = 0


def labels_of(shape, words, seed=0):
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(1, words, shape, generator=generator)
    labels[..., -1:] = PAD
    return labels


def reference(logits, labels, smoothing):
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, -2),
        labels.flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
        reduction="sum",
    )


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 2, 4)])
def test_smoothed_cross_entropy_equals_torch(shape, smoothing):
    (logits,) = tensors(1, (*shape, 11))
    labels = labels_of(shape, 11)
    values = [f(logits, labels, smoothing) for f in (smoothed_cross_entropy, reference)]
    close(*values, 1e-13)
    close(*(torch.autograd.grad(value, logits)[0] for value in values), 1e-13)


def test_smoothed_cross_entropy_stands_large_logits():
    logits = torch.tensor([[1e4, -1e4, 0.0]])
    assert smoothed_cross_entropy(
        logits, torch.tensor([1]), 0.0
    ).item() == pytest.approx(2e4)


@pytest.mark.parametrize("rows", [1, 3, 100])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_output_loss_and_its_gradients_equal_torch(rows, smoothing, monkeypatch):
    monkeypatch.setattr(module, "MIN_BLOCK_ROWS", rows)
    monkeypatch.setattr(module, "LOGITS_PER_BLOCK", 1)
    x, W = tensors(2, (4, 5, 6), (11, 6))
    labels = labels_of((4, 5), 11)
    values = (
        output_loss(x, W, labels, smoothing, PAD),
        reference(x @ W.T, labels, smoothing),
    )
    close(*values, 1e-13)
    ours, theirs = (
        torch.autograd.grad(2.5 * value.square(), (x, W)) for value in values
    )
    for given, expected in zip(ours, theirs, strict=True):
        close(given, expected, 1e-12)


def test_padding_is_what_pad_id_says():
    x, W = tensors(3, (6, 4), (9, 4))
    labels = torch.tensor([0, 1, 2, 3, 4, 8])
    kept = labels != 8
    expected = torch.nn.functional.cross_entropy(
        (x @ W.T)[kept], labels[kept], label_smoothing=0.1, reduction="sum"
    )
    close(output_loss(x, W, labels, 0.1, 8), expected, 1e-13)
    close(smoothed_cross_entropy(x @ W.T, labels, 0.1, 8), expected, 1e-13)


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (2, 3)])
def test_without_a_word_loss_and_gradients_are_zero(shape):
    x, W = tensors(4, (*shape, 6), (11, 6))
    value = output_loss(x, W, torch.full(shape, PAD))
    assert value.item() == 0.0
    for gradient, of in zip(torch.autograd.grad(value, (x, W)), (x, W), strict=True):
        assert gradient.shape == of.shape and not gradient.any()


class Largest(TorchDispatchMode):
    """Notes the most numbers that any result holds."""

    numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **kwargs or {})
        if isinstance(result, torch.Tensor):
            self.numbers = max(self.numbers, result.numel())
        return result


@pytest.mark.parametrize("words", [40, 9_000])
def test_output_loss_never_holds_all_logits(words):
    positions = 3 * max(module.MIN_BLOCK_ROWS, module.LOGITS_PER_BLOCK // words)
    x, W = tensors(5, (positions, 4), (words, 4), dtype=torch.float32)
    labels = labels_of((positions,), words)
    with Largest() as seen:
        output_loss(x, W, labels).backward()
    assert seen.numbers <= max(module.LOGITS_PER_BLOCK, module.MIN_BLOCK_ROWS * words)
    with Largest() as seen:  # the measure sees them where they are
        reference(x @ W.T, labels, 0.1)
    assert seen.numbers == positions * words


def test_without_gradients_the_value_is_the_same():
    x, W = tensors(6, (20, 6), (11, 6))
    labels = labels_of((20,), 11)
    with torch.no_grad():
        value = output_loss(x, W, labels)
    assert not value.requires_grad
    assert value.item() == output_loss(x, W, labels).item()


def test_a_gradient_taken_twice_is_an_error_and_not_a_wrong_number():
    x, W = tensors(7, (5, 6), (11, 6))
    value = output_loss(x, W, labels_of((5,), 11))
    torch.autograd.grad(3 * value, x, retain_graph=True)
    with pytest.raises(RuntimeError, match="inplace"):
        torch.autograd.grad(value, x)


def test_under_autocast_products_are_rounded_and_sums_are_not():
    x, W = tensors(8, (3_000, 32), (50, 32), dtype=torch.float32)
    labels = labels_of((3_000,), 50)
    exact = output_loss(x, W, labels)
    with torch.autocast("cpu", torch.bfloat16):
        rounded = output_loss(x, W, labels)
        rows = [
            output_loss(x[i : i + 1], W, labels[i : i + 1]).item() for i in range(9)
        ]
    logits = (x.bfloat16() @ W.bfloat16().T).float()
    expected = [
        reference(logits[i : i + 1], labels[i : i + 1], 0.1).item() for i in range(9)
    ]
    assert rows == pytest.approx(expected, rel=1e-5)
    assert rounded.dtype == torch.float32
    assert rounded.item() == pytest.approx(
        reference(logits, labels, 0.1).item(), rel=1e-5
    )
    assert rounded.item() != exact.item()
    for a, b in zip(
        *(torch.autograd.grad(v, (x, W)) for v in (rounded, exact)), strict=True
    ):
        assert a.dtype == torch.float32
        assert (a - b).norm() < 1e-2 * b.norm()


@pytest.mark.parametrize(
    "changed, message",
    [
        (dict(labels=torch.ones(3, 2, dtype=torch.long)), r"labels has shape \(3, 2\)"),
        (dict(labels=torch.ones(3, 5)), "labels holds float32; expected int"),
        (
            dict(output=torch.ones(11, 7)),
            r"output has shape \(11, 7\); expected .*d_model=6\)",
        ),
    ],
)
def test_wrong_shapes_are_named(changed, message):
    given = dict(
        x=torch.ones(3, 5, 6),
        output=torch.ones(11, 6),
        labels=torch.ones(3, 5, dtype=torch.long),
    )
    with pytest.raises(ShapeError, match=f"output_loss: {message}"):
        output_loss(**given | changed)


def test_an_output_layer_that_does_not_learn_has_no_gradient_and_costs_none():
    x, W = tensors(9, (40, 6), (11, 6))
    labels = labels_of((40,), 11)
    expected = torch.autograd.grad(output_loss(x, W, labels), x)[0]
    products = []

    def counted(a, b):
        products.append(tuple(a.shape))
        return a @ b

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "linear", counted)
        (given,) = torch.autograd.grad(output_loss(x, W.detach(), labels), x)
        assert len(products) == 2
        output_loss(x, W, labels)
        assert len(products) == 2 + 3
    assert torch.equal(given, expected)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("pad_id", [-100, -1, 11, 4])
def test_padding_may_be_any_number_as_for_torch(pad_id, smoothing):
    x, W = tensors(10, (6, 4), (11, 4))
    labels = torch.tensor([1, 2, pad_id, 3, pad_id, 10])
    expected = torch.nn.functional.cross_entropy(
        x @ W.T,
        labels,
        ignore_index=pad_id,
        label_smoothing=smoothing,
        reduction="sum",
    )
    theirs = torch.autograd.grad(expected, (x, W), retain_graph=True)
    for value in (
        smoothed_cross_entropy(x @ W.T, labels, smoothing, pad_id),
        output_loss(x, W, labels, smoothing, pad_id),
    ):
        close(value, expected, 1e-13)
        for given, other in zip(torch.autograd.grad(value, (x, W)), theirs):
            close(given, other, 1e-12)


@pytest.mark.parametrize("label", [-100, -1, 11])
def test_a_label_that_is_no_word_is_one_clear_error(label):
    x, W = tensors(11, (3, 4), (11, 4))
    labels = torch.tensor([2, label, 0])
    said = "labels hold ids from .* expected 0 to 10, or pad_id"
    with pytest.raises(ShapeError, match=f"output_loss: {said}"):
        output_loss(x, W, labels)
    with pytest.raises(ShapeError, match=f"smoothed_cross_entropy: {said}"):
        smoothed_cross_entropy(x @ W.T, labels)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_a_word_that_is_ruled_out_costs_what_it_costs_torch(smoothing):
    x, W = tensors(12, (5, 4), (11, 4))
    x = x.detach().abs_().requires_grad_()
    with torch.no_grad():
        W[6] = -torch.finfo(W.dtype).max  # the product overflows to -inf
    labels = labels_of((5,), 6)
    logits = x @ W.T
    assert (logits[:, 6] == -torch.inf).any()
    expected = reference(logits, labels, smoothing)
    assert expected.isinf() if smoothing else expected.isfinite()
    ours = smoothed_cross_entropy(logits, labels, smoothing)
    close(ours, expected, 1e-12) if not smoothing else None
    assert ours.item() == pytest.approx(expected.item())
    blocks = output_loss(x, W, labels, smoothing)
    assert blocks.item() == pytest.approx(expected.item())
    if not smoothing:
        (theirs,) = torch.autograd.grad(expected, logits, retain_graph=True)
        (given,) = torch.autograd.grad(ours, logits)
        close(given, theirs, 1e-13)
        (dx,) = torch.autograd.grad(blocks, x)
        close(dx, theirs @ W.detach(), 1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_halves_are_summed_in_float32(dtype, monkeypatch):
    monkeypatch.setattr(module, "LOGITS_PER_BLOCK", 1)
    x, W = tensors(13, (40_000, 8), (11, 8), dtype=dtype)
    labels = labels_of((40_000,), 11)
    double = [t.detach().double().requires_grad_() for t in (x, W)]
    exact = reference(double[0] @ double[1].T, labels, 0.1)
    assert exact > torch.finfo(torch.float16).max  # in halves the sum would be inf
    theirs = torch.autograd.grad(exact, double)
    logits = x @ W.T
    for value in (output_loss(x, W, labels), smoothed_cross_entropy(logits, labels)):
        assert value.dtype == torch.float32
        assert value.item() == pytest.approx(exact.item(), rel=1e-3)
        for given, other in zip(torch.autograd.grad(value, (x, W)), theirs):
            assert given.dtype == dtype
            assert (given - other).norm() < 0.01 * other.norm()


def test_a_gradient_of_the_gradient_is_refused_also_where_it_comes_in_as_a_constant():
    x, W = tensors(14, (5, 6), (11, 6))
    for scale in (1.0, x.sum()):
        value = scale * output_loss(x, W, labels_of((5,), 11))
        dx, dW = torch.autograd.grad(value, (x, W), create_graph=True)
        for gradient in (dx, dW):
            with pytest.raises(RuntimeError, match="once_differentiable"):
                gradient.sum().backward(retain_graph=True)
