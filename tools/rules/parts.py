"""The parts of a lesson and a laboratory, and their order."""

import itertools
import posixpath
import re
from dataclasses import dataclass

from tools.pages import book_pages

from .page import SourceBook, SourcePage

MIN_EXERCISES, MAX_EXERCISES = 3, 5  # exercises of a lesson
MAX_REMEMBERED_LINES = 5  # lines to remember, at most


@dataclass(frozen=True)
class LessonPartRule:
    """How a part of a lesson begins, and what to write where it is missing."""

    pattern: str
    name: str
    remedy: str


LESSON_PART_RULES = [  # in this order
    LessonPartRule(r"^# .+\?$", "a title that asks a question", "Write `# ...?`"),
    LessonPartRule(r"\*\*You need\*\*", "**You need**", "Say what a reader needs"),
    LessonPartRule(
        r"\*\*You will be able to\*\*",
        "**You will be able to**",
        "Say what a reader will be able to do",
    ),
    LessonPartRule(
        r"^## (?!What to remember$|Exercises$|Now write it$|Where to read on$)",
        "a section",
        "Write one",
    ),
    LessonPartRule(r"^## What to remember$", "## What to remember", "Write it"),
    LessonPartRule(r"^`{3,}\{exercise\}", "an exercise", "Ask three to five"),
    LessonPartRule(
        r"^## Where to read on$", "## Where to read on", "Name the works to read"
    ),
]


def check_lesson_part_order(page: SourcePage):
    """A lesson has its parts, in their order."""
    if page.kind != "lesson":
        return
    at, before = 0, ""
    for part in LESSON_PART_RULES:
        pattern = re.compile(part.pattern, re.MULTILINE)
        match = pattern.search(page.markdown, at)
        if match:
            at = match.start() if part.name == "a section" else match.end()
            before = f" behind {part.name}"
            continue
        early = pattern.search(page.markdown)
        after = page.line_number(at) if at else page.title_line_number
        line = page.line_number(early.start()) if early else after
        yield (
            line,
            f"{part.name} comes too early; expected it{before}. Move it there."
            if early
            else f"the lesson lacks {part.name}{before}. {part.remedy}.",
        )


def check_what_to_remember(page: SourcePage):
    if page.kind != "lesson" or not (
        section := _find_section(page, "What to remember")
    ):
        return
    begin, text = section
    lines = [line for line in text.splitlines() if re.match(r"[-\d*]", line)]
    if not 1 <= len(lines) <= MAX_REMEMBERED_LINES:
        yield (
            page.line_number(begin),
            f"“What to remember” lists {len(lines)} points; expected 1 to {MAX_REMEMBERED_LINES}, each "
            "behind a dash. Keep what a reader takes away.",
        )


def check_further_reading(page: SourcePage):
    if page.kind != "lesson" or not (
        section := _find_section(page, "Where to read on")
    ):
        return
    begin, text = section
    if "{cite" not in text:
        yield (
            page.line_number(begin),
            "“Where to read on” cites no work. Cite one with {cite:t}.",
        )


def check_now_write_it(page: SourcePage):
    """A lesson says behind its exercises what to write in the workshop, and leads there."""
    if not (section := _find_section(page, "Now write it")):
        return
    begin, text = section[0], " ".join(section[1].split())
    line = page.line_number(begin)
    after = re.search(r"^## (.+)$", page.markdown[begin + 1 :], re.MULTILINE)
    if page.kind != "lesson":
        yield line, "only a lesson has “Now write it”. Move it to the lesson."
    elif not after or after[1] != "Where to read on":
        yield (
            line,
            "“Now write it” is out of place; expected it before “Where to read on”. Move it there.",
        )
    if "](../workshop/" not in text or "python -m transformer_workshop" not in text:
        yield (
            line,
            "“Now write it” lacks the link or the command. Link to the workshop's page, and "
            "write `python -m transformer_workshop check NAME`.",
        )


def _find_section(page: SourcePage, title: str):
    """Where a section begins, and its text; nothing where there is none."""
    pattern = rf"^## {title}\n(.*?)(?=^## |\Z)"
    match = re.search(pattern, page.markdown, re.MULTILINE | re.DOTALL)
    return (match.start(), match[1]) if match else None


def check_exercises(page: SourcePage):
    """Each exercise has a label, and right behind it its folded solution."""
    questions = [block for block in page.directives if block.name == "exercise"]
    if (
        page.kind == "lesson"
        and questions
        and not MIN_EXERCISES <= len(questions) <= MAX_EXERCISES
    ):
        yield (
            questions[0].line,
            f"the lesson has {len(questions)} exercises; expected {MIN_EXERCISES} to {MAX_EXERCISES}. "
            f"{'Ask more' if len(questions) < MIN_EXERCISES else 'Move some to the laboratory'}.",
        )
    blocks = [
        block
        for block in page.directives
        if block.name in ("exercise", "solution-start", "solution-end")
    ]
    for block, after in itertools.pairwise([*blocks, None]):
        yield from _check_exercise_and_next(block, after)


def _check_exercise_and_next(exercise_block, next_block):
    """What is wrong with an exercise or a half of a solution, and the next of them."""
    name = next_block.name if next_block else "nothing"
    label = exercise_block.options.get("label", "")
    if exercise_block.name == "exercise":
        if not label:
            yield (
                exercise_block.line,
                "the exercise has no label. Write `:label: ex-...` under it.",
            )
        elif (name, next_block and next_block.argument) != ("solution-start", label):
            yield (
                exercise_block.line,
                f"the exercise {label} has no solution behind it. Write "
                f"```{{solution-start}} {label}.",
            )
    elif exercise_block.name == "solution-start":
        if exercise_block.options.get("class") != "dropdown":
            yield (
                exercise_block.line,
                f"the solution of {exercise_block.argument} is not folded. Write `:class: dropdown` "
                "under it.",
            )
        if name != "solution-end":
            yield (
                exercise_block.line,
                f"the solution of {exercise_block.argument} does not end. Write ```{{solution-end}} "
                "behind it.",
            )
    elif name == "solution-end":
        yield (
            next_block.line,
            "a solution ends that does not begin. Write ```{solution-start}.",
        )


def check_labels_are_unique(page: SourcePage, book: SourceBook):
    """A label names one exercise or place of the book."""
    for label, line in page.labels:
        others = [place for place in book.labels[label] if place != (page.path, line)]
        if others:
            path, at = others[0]
            yield (
                line,
                f"the label {label!r} is also at {path}:{at}. Rename one of them.",
            )


def check_prerequisites(page: SourcePage, book: SourceBook):
    """A lesson needs what comes before it."""
    section = re.search(r"\*\*You need\*\*(.*?)\n\s*\n", page.markdown, re.DOTALL)
    if page.kind != "lesson" or not section:
        return
    names = [other.name for other in book.pages]
    for match in re.finditer(r"\]\(([\w./-]+)\.md", section[1]):
        name = posixpath.normpath(
            posixpath.join(posixpath.dirname(page.name), match[1])
        )
        if name in names[names.index(page.name) :]:
            yield (
                page.line_number(section.start(1) + match.start()),
                f"the lesson needs {name}, which comes later. Need what comes before, or move one "
                "of them in _toc.yml.",
            )


def check_laboratory(page: SourcePage, book: SourceBook):
    """A laboratory has its lesson, and leads back to it before anything else."""
    if page.kind != "laboratory":
        return
    name = book_pages.lesson_name(page.name)
    if name not in book.lessons:
        yield (
            page.title_line_number,
            f"the laboratory has no lesson; expected book/{name}.md in _toc.yml. Write the "
            "lesson, or rename the laboratory.",
        )
    file = f"({name.split('/')[-1]}.md)"
    first = re.search(r"^# .+\n+((?:.+\n)+)", page.markdown, re.MULTILINE)
    if not first or file not in first[1]:
        yield (
            page.title_line_number,
            f"the first paragraph has no link to the lesson. Link to it: [...]{file}.",
        )


def check_summary_card(page: SourcePage, book: SourceBook):
    """The last lesson of a part ends with the part on one card."""
    part = page.name.partition("/")[0]
    lessons = [other.name for other in book.pages if other.kind == "lesson"]
    last = [name for name in lessons if name.partition("/")[0] == part][-1:]
    if [page.name] == last and not re.search(r"^## .+ on one card$", page.text, re.M):
        yield (
            page.title_line_number,
            "the last lesson of its part lacks the part's summary. Write “## … on one card” at its end.",
        )
