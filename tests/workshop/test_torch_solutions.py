"""The solutions with PyTorch: they are right, need no other change, and a loop can train them."""

import pytest

from transformer_workshop import training
from transformer_workshop.judge import judge
from transformer_workshop.reader_file import load_reader_file
from transformer_workshop.tasks import tasks_by_name
from transformer_workshop.torch_solutions import (
    TASK_NAMES_TO_REWRITE,
    torch_solution_source,
    write_torch_solutions,
)


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    path = tmp_path_factory.mktemp("solutions") / "my_transformer.py"
    write_torch_solutions(path)
    return path


@pytest.mark.parametrize("name", TASK_NAMES_TO_REWRITE)
def test_a_rewritten_solution_is_right_and_asks_nothing_of_numpy(solutions, name):
    assert "np." not in torch_solution_source(name)
    assert (
        judge(tasks_by_name()[name], getattr(load_reader_file(solutions), name)).state
        == "right"
    )


def test_they_train(solutions):
    result = training.train_file(
        solutions, seconds=60, max_steps=2, test_sentence_count=1
    )
    assert result.steps == 2 and result.losses[1] < result.losses[0]
