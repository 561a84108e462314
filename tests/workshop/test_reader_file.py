"""The reader's file is written once, never overwritten, and its faults are told with their lines."""

import pytest

from transformer_workshop.checking import judge_file
from transformer_workshop.reader_file import (
    FILE_HEAD,
    ReaderError,
    is_stub,
    judge_function_in_file,
    load_reader_file,
    write_reader_file,
)
from transformer_workshop.tasks import tasks_by_name


def test_the_file_has_every_function_and_none_is_written(tmp_path):
    path = tmp_path / "my_transformer.py"
    write_reader_file(path)
    module = load_reader_file(path)
    assert [name for name in vars(module) if name in tasks_by_name()] == list(
        tasks_by_name()
    )
    assert all(
        judge_function_in_file(path, name).state == "todo"
        for name in list(tasks_by_name())[:3]
    )


def test_what_a_reader_wrote_stays(tmp_path):
    path = tmp_path / "my_transformer.py"
    path.write_text("mine", "utf-8")
    with pytest.raises(ReaderError, match="is there already"):
        write_reader_file(path)
    assert path.read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    "text, says",
    [
        ("x = (", "line 1, `x = \\(`: Python does not understand"),
        (
            "import nothing_of_that_name",
            "line 1, `import nothing_of_that_name`: ModuleNotFoundError",
        ),
        ("a = 1\nb = a / 0\n", "line 2, `b = a / 0`: ZeroDivisionError"),
    ],
)
def test_a_file_that_does_not_run_is_told_with_its_line(tmp_path, text, says):
    path = tmp_path / "mine.py"
    path.write_text(text, "utf-8")
    with pytest.raises(ReaderError, match=says):
        load_reader_file(path)


def test_no_file_says_how_to_begin(tmp_path):
    with pytest.raises(ReaderError, match="transformer_workshop start"):
        load_reader_file(tmp_path / "none.py")


def test_a_wrong_function_of_the_file_can_be_replaced(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import numpy as np\n"
        "def softmax(x):\n    return x\n"
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    scores = Q @ K.swapaxes(-1, -2) / Q.shape[-1] ** 0.5\n"
        "    if mask is not None:\n        scores = np.where(mask, scores, -np.inf)\n"
        "    weights = softmax(scores)\n    return weights @ V, weights\n",
        "utf-8",
    )
    name = "scaled_dot_product_attention"
    assert judge_function_in_file(path, name).state == "wrong"
    assert judge_function_in_file(path, name, ["softmax"]).state == "right"


@pytest.mark.parametrize(
    "text, stub",
    [
        ("def f(x):\n    '''Words.'''", True),
        ("def f(x):\n    ...", True),
        ("def f(x):\n    pass", True),
        ("def f(x):\n    return x", False),
    ],
)
def test_a_function_without_a_line_is_a_stub(text, stub):
    space = {}
    exec(text, space)
    assert is_stub(space["f"]) == stub


def test_the_head_says_once_what_pytorch_asks_for():
    assert FILE_HEAD.count("must carry gradients") == FILE_HEAD.count("do not mix") == 1


def test_a_file_that_imports_torch_for_one_function_is_judged_like_others(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "import torch\nimport numpy as np\n"
        "def softmax(x):\n    return np.exp(x)\n"
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    scores = Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5\n"
        "    if mask is not None:\n        scores = scores.masked_fill(~mask, -torch.inf)\n"
        "    weights = softmax(scores)\n    return weights @ V, weights\n"
        "def grouped_query_attention(x, W_Q, W_K, W_V, W_O, h, g, mask=None):\n"
        "    return softmax(x), x\n",
        "utf-8",
    )
    states = {v.task: v.state for v in judge_file(path)}
    assert states["softmax"] == states["grouped_query_attention"] == "wrong"
    assert states["scaled_dot_product_attention"] == "right"
