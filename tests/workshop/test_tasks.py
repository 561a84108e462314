"""Every task: its solution is right, each of its slips is refused by its name, and what it says stands."""

import ast
import inspect
import random
from itertools import combinations

import numpy as np
import pytest

from tests.conftest import ROOT
from transformer_workshop.compare import as_arrays, first_difference
from transformer_workshop.judge import judge
from transformer_workshop.reader_file import is_stub
from transformer_workshop.tasks import tasks_by_name
from transformer_workshop.trial import to_arrays, to_tensors

TASKS = tasks_by_name()
SLIPS = [(name, slip) for name, task in TASKS.items() for slip in task.slips]
MISTAKES = {
    word
    for page in ("mistakes", "mistakes_beyond")
    for line in (ROOT / f"book/reference/{page}.md").read_text("utf-8").splitlines()
    if line.startswith("## M")
    for word in line.split()[1:2]
}


def slipped(task, *slips):
    names = frozenset(slip.name for slip in slips)
    return lambda *arguments: task.reference(*arguments, slips=names)


def results(task, function):
    inputs = task.trial_arguments(np.random.default_rng(5))
    with np.errstate(all="ignore"):
        return [as_arrays(function(*arguments)) for arguments in inputs]


def alike(task, one, other):
    pairs = zip(one, other, strict=True)
    return all(first_difference(a, b, task.tolerance) is None for a, b in pairs)


@pytest.mark.parametrize("name", tasks_by_name())
def test_the_solution_is_right(name):
    verdict = judge(TASKS[name], TASKS[name].solution)
    assert verdict.state == "right", verdict


@pytest.mark.parametrize(
    "name, slip", SLIPS, ids=[f"{name}-{slip.name}" for name, slip in SLIPS]
)
def test_a_slip_is_recognised_by_what_it_computes(name, slip):
    verdict = judge(TASKS[name], slipped(TASKS[name], slip))
    assert verdict.state == "wrong" and verdict.slips == [slip]
    assert verdict.trial and (verdict.trial.difference or verdict.trial.raised)


@pytest.mark.parametrize("name", tasks_by_name())
def test_two_slips_at_once_are_refused_and_called_by_nothing_else(name):
    task = TASKS[name]
    pairs = [*combinations(task.slips, 2)]
    for pair in random.Random(name).sample(pairs, min(len(pairs), 25)):
        try:
            wrong = results(task, slipped(task, *pair))
        except (ValueError, IndexError, TypeError, ZeroDivisionError):
            continue  # no such function
        verdict = judge(task, slipped(task, *pair))
        assert verdict.state == "wrong" or alike(
            task, wrong, results(task, task.reference)
        )
        named = verdict.slips
        if named and {slip.name for slip in named} != {slip.name for slip in pair}:
            assert alike(task, wrong, results(task, slipped(task, *named)))


@pytest.mark.parametrize("name", tasks_by_name())
def test_a_function_of_tensors_may_be_right(name):
    torch = pytest.importorskip("torch")
    task = TASKS[name]

    def on_tensors(*arguments):
        assert not any(isinstance(a, np.ndarray) for a in arguments)
        return to_tensors(task.solution(*to_arrays(list(arguments))), torch)

    takes_arrays = any(
        isinstance(a, np.ndarray)
        for arguments in task.trial_arguments(np.random.default_rng(0))
        for a in arguments
    )
    verdict = judge(task, on_tensors)
    if takes_arrays and task.differentiable:
        assert "no gradient" in verdict.says[0]  # it is lost on the way through NumPy
    elif takes_arrays:
        assert verdict.state == "right", verdict


@pytest.mark.parametrize("name", tasks_by_name())
def test_the_stub_is_the_head_of_the_solution_and_does_nothing(name):
    task, space = TASKS[name], {}
    exec(task.stub, space)
    assert is_stub(space[name]) and not is_stub(task.solution)
    heads = [inspect.signature(f) for f in (space[name], task.solution)]
    assert heads[0] == heads[1]
    assert task.solution.__name__ == name
    assert judge(task, task.solution).task == name


@pytest.mark.parametrize("name", tasks_by_name())
def test_a_task_has_three_hints_and_a_lesson(name):
    task = TASKS[name]
    assert len(task.hints) == 3 and all(
        hint.endswith((".", ")")) for hint in task.hints
    )
    page = ROOT / "book" / f"{task.lesson.partition('#')[0]}.md"
    assert page.is_file()


@pytest.mark.parametrize(
    "name, slip", SLIPS, ids=[f"{name}-{slip.name}" for name, slip in SLIPS]
)
def test_a_slip_says_a_sentence_and_a_mistake_that_is_in_the_book(name, slip):
    assert slip.says[0].islower() and slip.says[-1] != "."
    assert slip.repair.endswith((".", "?", ")"))
    assert not slip.mistake or slip.mistake in MISTAKES


@pytest.mark.parametrize("name", tasks_by_name())
def test_the_smallest_input_is_small(name):
    first = next(iter(TASKS[name].trial_arguments(np.random.default_rng(0))))
    sizes = [np.size(a) for a in first if isinstance(a, np.ndarray)]
    assert sum(sizes) <= 40


@pytest.mark.parametrize("name", tasks_by_name())
def test_the_reference_is_not_the_solution(name):
    source = inspect.getsource(TASKS[name].reference)
    called = {
        node.func.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert name not in called
