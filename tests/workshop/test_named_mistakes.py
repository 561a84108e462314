"""Every mistake of the book's lists is called by its number, also where it is made in another way."""

import pytest

from transformer_workshop.judge import judge
from transformer_workshop.tasks import tasks_by_name

from .wrong import WRONG, attention, beyond, heads, layers, training, words  # noqa: F401

TASKS = tasks_by_name()
CASES = [
    pytest.param(*case, id=f"{case[0]}-{case[1]}-{i}") for i, case in enumerate(WRONG)
]


@pytest.mark.parametrize("mistake, name, function", CASES)
def test_a_mistake_is_named_however_it_is_written(mistake, name, function):
    verdict = judge(TASKS[name], function)
    assert verdict.state == "wrong" and verdict.slips, verdict.says
    assert verdict.slips[0].mistake == mistake, verdict.slips


def test_every_mistake_that_a_task_names_is_made_here_by_hand():
    named = {(s.mistake, name) for name, task in TASKS.items() for s in task.slips}
    made = {(mistake, name) for mistake, name, _ in WRONG}
    assert {pair for pair in named if pair[0]} == made
