"""Exercises in a published notebook: the question, a cell to answer in, and a solution that is folded."""

import re
import textwrap
from dataclasses import dataclass

import nbformat

from transformer_workshop.answers import answers_by_label
from transformer_workshop.tasks import tasks_by_name

from .plain_markdown import DIRECTIVE, DIRECTIVE_OPTIONS

WORKSHOP_LABEL_PREFIX = (
    "ex-workshop-"  # how labels of exercises begin whose answer is a task
)
EXERCISE_DIRECTIVES = {"exercise", "solution-start", "solution-end"}
LABEL_OPTION = re.compile(r"^:label:[ \t]*(\S+)", re.MULTILINE)
LINE_WIDTH = 88


@dataclass(frozen=True)
class MarkdownPart:
    """A piece of a page's Markdown that becomes a cell of its own.

    Parameters
    ----------
    kind : str
        "prose", "question" or "solution".
    text : str
    title, label : str
        Of the exercise; empty for prose.
    """

    kind: str
    text: str
    title: str = ""
    label: str = ""


class ExerciseReader:
    """Divides the Markdown cells of one page, in their order, into parts.

    A solution begins in one cell and ends in another, so the reader remembers which is open.
    """

    def __init__(self):
        self.titles = {}  # of the exercises, by label
        self.open_solution = None  # the label of its exercise

    def split_into_parts(self, cell_source: str) -> list:
        """Return the parts of the next Markdown cell that are not empty."""
        parts, end = [], 0
        for match in DIRECTIVE.finditer(cell_source):
            if match["name"] not in EXERCISE_DIRECTIVES:
                continue
            parts.append(self._prose_or_solution_part(cell_source[end : match.start()]))
            end = match.end()
            argument = match["argument"].strip()
            if match["name"] == "exercise":
                parts.append(self._question_part(argument, match["body"]))
            else:
                begins = match["name"] == "solution-start"
                self.open_solution = argument if begins else None
        parts.append(self._prose_or_solution_part(cell_source[end:]))
        return [part for part in parts if part.text or part.kind == "question"]

    def _prose_or_solution_part(self, text: str):
        label = self.open_solution
        if label is None:
            return MarkdownPart("prose", text.strip())
        return MarkdownPart(
            "solution", text.strip(), self.titles.get(label, label), label
        )

    def _question_part(self, title: str, body: str):
        found = LABEL_OPTION.search(body)
        label = found[1] if found else title
        self.titles[label] = title
        options = DIRECTIVE_OPTIONS.match(body)
        text = body[options.end() if options else 0 :].strip()
        return MarkdownPart("question", text, title, label)


def notebook_cells_of_part(part: MarkdownPart, to_plain_markdown) -> list:
    """Return the cells of a part; ``to_plain_markdown`` turns MyST into plain Markdown."""
    plain = to_plain_markdown(part.text)
    if part.kind == "question":
        title = to_plain_markdown(part.title)
        question = nbformat.v4.new_markdown_cell(f"**Exercise: {title}**\n\n{plain}")
        return [question, *map(nbformat.v4.new_code_cell, answer_cell_sources(part))]
    if not plain:
        return []
    if part.kind == "solution":
        # Markdown is not read between the tags of a summary, and not without a blank line after it.
        title = re.sub(r"`([^`]+)`", r"<code>\1</code>", to_plain_markdown(part.title))
        summary = f"<summary>Solution: {title}</summary>"
        plain = f"<details>{summary}\n\n{plain}\n\n</details>"
    return [nbformat.v4.new_markdown_cell(plain)]


def answer_cell_sources(question) -> list:
    """Return the code of the cells below a question: one for the answer, and its check if there is one.

    What stands in them can be run as it is; the check then says that there is no answer yet.
    """
    if name := workshop_task_name(question):
        stub = tasks_by_name()[name].stub.strip("\n")
        check = f"from transformer_workshop import check\n\ncheck({name})"
        return [f"# Your answer\n{stub}\n    ...", check]
    known = answers_by_label().get(question.label)
    if known is None:
        return ["# Your answer"]
    lines = textwrap.wrap(
        f"Store in `answer`: {known.asks}.",
        LINE_WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
    )
    check = (
        "from transformer_workshop import check_answer\n\n"
        f'check_answer("{question.label}", answer)'
    )
    return ["\n".join(["# Your answer", *lines, "answer = None"]), check]


def workshop_task_name(question):
    """Return the name of the workshop's task that a question sets, as its label has it, or None."""
    name = question.label.removeprefix(WORKSHOP_LABEL_PREFIX).replace("-", "_")
    return (
        name
        if question.label.startswith(WORKSHOP_LABEL_PREFIX) and name in tasks_by_name()
        else None
    )
