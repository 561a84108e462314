"""In a notebook to work in, each question has a cell for the answer, and no solution stands open."""

import re
from collections import defaultdict

import nbformat
import pytest

from tools import ROOT
from tools.pages import book_pages, notebooks
from tools.pages.exercises import (
    ExerciseReader,
    MarkdownPart,
    answer_cell_sources,
    notebook_cells_of_part,
)
from tools.pages.plain_markdown import MarkdownConverter, read_bibliography
from transformer_workshop.answers import answers_by_label
from transformer_workshop.tasks import tasks_by_name

ADDRESSES = notebooks.Addresses("git+there", "https://site/", "https://models/")
WORKS = read_bibliography(ROOT / "book" / "references.bib")
PAGES = [
    path
    for path in sorted((ROOT / "book").rglob("*.md"))
    if "\n```{exercise}" in path.read_text("utf-8")
]


class AnyValue(int):
    """Stands for what a page's cells would glue, whatever format a sentence asks for."""

    def __format__(self, specification):
        return "0"


@pytest.fixture
def converted(monkeypatch):
    monkeypatch.setattr(
        "tools.pages.plain_markdown.ast.literal_eval", lambda text: AnyValue()
    )

    to_plain = MarkdownConverter(defaultdict(str), WORKS, {"Q": "Q"})
    return lambda path: notebooks.make_plain_notebook(
        book_pages.read_notebook(path), ADDRESSES, to_plain
    )


def is_folded(cell):
    if cell.cell_type == "markdown":
        return cell.source.startswith("<details><summary>") and cell.source.endswith(
            "\n\n</details>"
        )
    jupyter = cell.metadata.get("jupyter", {})
    return (
        jupyter.get("source_hidden")
        and jupyter.get("outputs_hidden")
        and cell.metadata.get("collapsed")
        and cell.metadata.get("cellView") == "form"
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_solution_stands_open(path, converted):
    text = path.read_text("utf-8")
    cells = converted(path).cells
    in_solution = re.findall(
        r"^```\{solution-start\}.*?^```\n(.*?)^```\{solution-end\}", text, re.M | re.S
    )
    assert len(in_solution) == text.count("\n```{exercise}")
    code = {
        source.strip()
        for solution in in_solution
        for source in re.findall(
            r"^```\{code-cell\}[^\n]*\n(?:(?::[^\n]*\n)+\n)?(.*?)^```",
            solution,
            re.M | re.S,
        )
    }
    folded = [cell for cell in cells if is_folded(cell)]
    assert code == {c.source.strip() for c in folded if c.cell_type == "code"}
    open_prose = "\n".join(
        c.source for c in cells if c.cell_type == "markdown" and not is_folded(c)
    )
    assert "**Solution" not in open_prose and "{solution" not in open_prose
    for solution in in_solution:
        prose = re.sub(r"^```\{.*?^```$", "", solution, flags=re.M | re.S)
        for line in prose.splitlines():
            if len(line) > 40 and not re.search(r"[{(\\%]", line):
                assert line not in open_prose
                assert any(line in c.source for c in folded), line


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_each_question_has_its_cells(path, converted):
    cells = converted(path).cells
    questions = [
        i
        for i, cell in enumerate(cells)
        if cell.cell_type == "markdown" and cell.source.startswith("**Exercise: ")
    ]
    assert len(questions) == path.read_text("utf-8").count("\n```{exercise}")
    for i in questions:
        assert cells[i + 1].cell_type == "code"
        assert cells[i + 1].source.startswith("# Your answer")
        assert not cells[i + 1].outputs and not cells[i + 1].metadata
        if "answer = None" in cells[i + 1].source:
            assert "check_answer(" in cells[i + 2].source and not cells[i + 2].metadata


def test_each_answer_belongs_to_a_question():
    labels = {
        match
        for path in PAGES
        for match in re.findall(r"^:label: (\S+)", path.read_text("utf-8"), re.M)
    }
    assert answers_by_label().keys() <= labels


def test_an_answer_that_was_not_written_is_told(capsys):
    label = "ex-masks-count"
    answer, check = answer_cell_sources(MarkdownPart("question", "", "", label))
    assert answer.splitlines()[0] == "# Your answer" and answers_by_label()[
        label
    ].asks in (answer.replace("\n# ", " "))
    exec(f"{answer}\n{check}", {})
    assert "ot answered yet" in capsys.readouterr().out
    assert answer_cell_sources(MarkdownPart("question", "", "", "ex-of-no-check")) == [
        "# Your answer"
    ]


@pytest.mark.parametrize("name", tasks_by_name())
def test_a_task_begins_with_its_stub(name, capsys):
    label = f"ex-workshop-{name.replace('_', '-')}"
    question = MarkdownPart("question", "", f"Write {name}", label)
    answer, check = answer_cell_sources(question)
    exec(f"{answer}\n{check}", {})
    assert f"{name} is not written yet" in capsys.readouterr().out


def test_every_task_is_set_on_one_page_of_the_workshop():
    labels = re.findall(
        r"^:label: ex-workshop-(\S+)$",
        "\n".join(path.read_text("utf-8") for path in WORKSHOP),
        re.M,
    )
    assert sorted(label.replace("-", "_") for label in labels) == sorted(
        tasks_by_name()
    )


WORKSHOP = [path for path in PAGES if path.parent.name == "workshop"]


@pytest.mark.parametrize("path", WORKSHOP, ids=lambda path: path.stem)
def test_a_solution_defines_what_a_stub_has_hidden(path):
    text = path.read_text("utf-8")
    for label, solution in re.findall(
        r"^:label: ex-workshop-(\S+)\n.*?\{solution-start\}(.*?)\{solution-end\}",
        text,
        re.S | re.M,
    ):
        name = label.replace("-", "_")
        assert re.search(rf"^(def {name}\(|{name} = |from .* {name}\b)", solution, re.M)


def test_a_cell_is_divided():
    reader = ExerciseReader()
    source = (
        "Before.\n\n```{exercise} Of `x`\n:label: ex-a\n\nWhy?\n```\n\n"
        "```{solution-start} ex-a\n:class: dropdown\n```\n\nTherefore."
    )
    assert reader.split_into_parts(source) == [
        MarkdownPart("prose", "Before."),
        MarkdownPart("question", "Why?", "Of `x`", "ex-a"),
        MarkdownPart("solution", "Therefore.", "Of `x`", "ex-a"),
    ]
    assert reader.open_solution == "ex-a"
    assert reader.split_into_parts("More.\n\n```{solution-end}\n```\n\nAfter.") == [
        MarkdownPart("solution", "More.", "Of `x`", "ex-a"),
        MarkdownPart("prose", "After."),
    ]
    assert reader.open_solution is None


def test_a_title_is_read_in_a_summary():
    (cell,) = notebook_cells_of_part(
        MarkdownPart("solution", "It is *so*.", "Of `x`", "ex-a"), str
    )
    assert cell == nbformat.v4.new_markdown_cell(
        "<details><summary>Solution: Of <code>x</code></summary>\n\nIt is *so*.\n\n</details>",
        id=cell.id,
    )
