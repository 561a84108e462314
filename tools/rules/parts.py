"""The parts of a lesson and a laboratory, and their order."""

import itertools
import posixpath
import re
from dataclasses import dataclass

from tools.pages import chapters

FEWEST, MOST = 3, 5  # exercises of a lesson
REMEMBERED = 5  # lines to remember, at most


@dataclass(frozen=True)
class Part:
    """How a part of a lesson begins, and what to write where it is missing."""

    pattern: str
    name: str
    remedy: str


PARTS = [  # in this order
    Part(r"^# .+\?$", "a title that asks a question", "Write `# ...?`"),
    Part(r"\*\*You need\*\*", "**You need**", "Say what a reader needs"),
    Part(
        r"\*\*You will be able to\*\*",
        "**You will be able to**",
        "Say what a reader will be able to do",
    ),
    Part(
        r"^## (?!What to remember$|Exercises$|Where to read on$)",
        "a section",
        "Write one",
    ),
    Part(r"^## What to remember$", "## What to remember", "Write it"),
    Part(r"^`{3,}\{exercise\}", "an exercise", "Ask three to five"),
    Part(r"^## Where to read on$", "## Where to read on", "Name the works to read"),
]


def order(page):
    """A lesson has its parts, in their order."""
    if page.kind != "lesson":
        return
    at, before = 0, ""
    for part in PARTS:
        pattern = re.compile(part.pattern, re.MULTILINE)
        match = pattern.search(page.markdown, at)
        if match:
            at = match.start() if part.name == "a section" else match.end()
            before = f" behind {part.name}"
            continue
        early = pattern.search(page.markdown)
        after = page.line(at) if at else page.title
        line = page.line(early.start()) if early else after
        yield (
            line,
            f"{part.name} comes too early; expected it{before}. Move it there."
            if early
            else f"the lesson lacks {part.name}{before}. {part.remedy}.",
        )


def remember(page):
    if page.kind != "lesson" or not (section := _section(page, "What to remember")):
        return
    begin, text = section
    lines = [line for line in text.splitlines() if re.match(r"[-\d*]", line)]
    if not 1 <= len(lines) <= REMEMBERED:
        yield (
            page.line(begin),
            f"“What to remember” lists {len(lines)} points; expected 1 to {REMEMBERED}, each "
            "behind a dash. Keep what a reader takes away.",
        )


def read_on(page):
    if page.kind != "lesson" or not (section := _section(page, "Where to read on")):
        return
    begin, text = section
    if "{cite" not in text:
        yield (
            page.line(begin),
            "“Where to read on” cites no work. Cite one with {cite:t}.",
        )


def _section(page, title):
    """Where a section begins, and its text; nothing where there is none."""
    pattern = rf"^## {title}\n(.*?)(?=^## |\Z)"
    match = re.search(pattern, page.markdown, re.MULTILINE | re.DOTALL)
    return (match.start(), match[1]) if match else None


def exercises(page):
    """Each exercise has a label, and right behind it its folded solution."""
    questions = [block for block in page.directives if block.name == "exercise"]
    if page.kind == "lesson" and questions and not FEWEST <= len(questions) <= MOST:
        yield (
            questions[0].line,
            f"the lesson has {len(questions)} exercises; expected {FEWEST} to {MOST}. "
            f"{'Ask more' if len(questions) < FEWEST else 'Move some to the laboratory'}.",
        )
    blocks = [
        block
        for block in page.directives
        if block.name in ("exercise", "solution-start", "solution-end")
    ]
    for block, after in itertools.pairwise([*blocks, None]):
        yield from _pair(block, after)


def _pair(block, after):
    """What is wrong with an exercise or a half of a solution, and the next of them."""
    name = after.name if after else "nothing"
    label = block.options.get("label", "")
    if block.name == "exercise":
        if not label:
            yield (
                block.line,
                "the exercise has no label. Write `:label: ex-...` under it.",
            )
        elif (name, after and after.argument) != ("solution-start", label):
            yield (
                block.line,
                f"the exercise {label} has no solution behind it. Write "
                f"```{{solution-start}} {label}.",
            )
    elif block.name == "solution-start":
        if block.options.get("class") != "dropdown":
            yield (
                block.line,
                f"the solution of {block.argument} is not folded. Write `:class: dropdown` "
                "under it.",
            )
        if name != "solution-end":
            yield (
                block.line,
                f"the solution of {block.argument} does not end. Write ```{{solution-end}} "
                "behind it.",
            )
    elif name == "solution-end":
        yield (
            after.line,
            "a solution ends that does not begin. Write ```{solution-start}.",
        )


def labels(page, book):
    """A label names one exercise or place of the book."""
    for label, line in page.labels:
        others = [place for place in book.labels[label] if place != (page.path, line)]
        if others:
            path, at = others[0]
            yield (
                line,
                f"the label {label!r} is also at {path}:{at}. Rename one of them.",
            )


def needs(page, book):
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
                page.line(section.start(1) + match.start()),
                f"the lesson needs {name}, which comes later. Need what comes before, or move one "
                "of them in _toc.yml.",
            )


def laboratory(page, book):
    """A laboratory has its lesson, and leads back to it before anything else."""
    if page.kind != "laboratory":
        return
    name = chapters.lesson(page.name)
    if name not in book.lessons:
        yield (
            page.title,
            f"the laboratory has no lesson; expected book/{name}.md in _toc.yml. Write the "
            "lesson, or rename the laboratory.",
        )
    file = f"({name.split('/')[-1]}.md)"
    first = re.search(r"^# .+\n+((?:.+\n)+)", page.markdown, re.MULTILINE)
    if not first or file not in first[1]:
        yield (
            page.title,
            f"the first paragraph has no link to the lesson. Link to it: [...]{file}.",
        )
