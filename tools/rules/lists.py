"""The pages that list mistakes and questions: a table in front, and a section for each entry."""

import re
from dataclasses import dataclass

from .page import SourcePage

MISTAKE_PART_HEADINGS = [
    "Symptom",
    "Reproduction",
    "How to notice",
    "Repair",
]  # of a mistake
PART_HEADING = re.compile(r"^\*\*([\w ]+)\.\*\*", re.MULTILINE)
CHAPTER_LINK = re.compile(r"\]\(\.\./(?:words|attention|transformer|beyond)/\w+\.md\)")
SECTION_LINK = re.compile(r"\]\(#([\w-]+)\)")
# The level of the sections that a page's table names, and how it names them.
MISTAKE_LIST_KIND = (
    "##",
    re.compile(r"^\| .+ \| \[(.+)\]\(#([\w-]+)\) \|$", re.MULTILINE),
)
QUESTION_LIST_KIND = (
    "###",
    re.compile(r"^\| \[(.+)\]\(#([\w-]+)\) \| .+ \|$", re.MULTILINE),
)
LIST_KINDS_BY_PAGE = {
    "reference/mistakes": MISTAKE_LIST_KIND,
    "reference/mistakes_beyond": MISTAKE_LIST_KIND,
    "reference/questions": QUESTION_LIST_KIND,
    "reference/questions_beyond": QUESTION_LIST_KIND,
}


@dataclass(frozen=True)
class ListedSection:
    """A heading with its label and its line, and the text below it."""

    label: str
    title: str
    line: int
    text: str


def _listed_sections(page: SourcePage, list_kind):
    """The sections that the table of a page names; a page of another kind has none."""
    level, _ = list_kind
    if LIST_KINDS_BY_PAGE.get(page.name) is not list_kind:
        return
    heading = re.compile(rf"^(?:\(([\w-]+)\)=\n)?({level}) (.+)$", re.MULTILINE)
    higher = re.compile(rf"^(?:\([\w-]+\)=\n)?#{{2,{len(level)}}} ", re.MULTILINE)
    for match in heading.finditer(page.markdown):
        after = higher.search(page.markdown, match.end())
        end = after.start() if after else len(page.text)
        begin = match.start(2)
        yield ListedSection(
            match[1] or "", match[3], page.line_number(begin), page.text[begin:end]
        )


def check_table_of_sections(page: SourcePage):
    """The table and the sections name the same, in the same words."""
    kind = LIST_KINDS_BY_PAGE.get(page.name)
    if not kind:
        return
    sections = list(_listed_sections(page, kind))
    entries = [
        (m[2], m[1], line) for line, m in page.find_matches(kind[1], page.markdown)
    ]
    titles = {section.label: section.title for section in sections}
    entry_labels = [label for label, *_ in entries]
    for section in sections:
        if section.label not in entry_labels:
            yield (
                section.line,
                "the table in front does not name this section. Write (its-label)= above the "
                "heading, and a line into the table.",
            )
    for label, title, line in entries:
        if titles.get(label, title) != title:
            yield (
                line,
                f"the table says {title!r}, and its section {titles[label]!r}. Write both alike.",
            )
    for line, match in page.find_matches(SECTION_LINK, page.markdown):
        if match[1] not in titles:
            yield (
                line,
                f"the link leads to {match[1]!r}, which is no label of a section here. Mend it.",
            )
    for (label, _, line), section in zip(entries, sections):
        if (
            kind is QUESTION_LIST_KIND
            and label != section.label
            and section.label in entry_labels
        ):
            yield (
                line,
                f"the table has {label!r} where the sections have {section.label!r}. Order "
                "both alike.",
            )
            break


def check_mistake_sections(page: SourcePage):
    """A mistake has the next number, and its parts, with code that shows it and a check."""
    sections = list(_listed_sections(page, MISTAKE_LIST_KIND))
    first = re.match(r"M(\d+) ", sections[0].title) if sections else None
    for number, section in enumerate(sections, int(first[1]) if first else 1):
        if not section.title.startswith(f"M{number} "):
            yield (
                section.line,
                f"the mistake is {section.title!r}; its number is M{number}.",
            )
        names = PART_HEADING.findall(section.text)
        if names != MISTAKE_PART_HEADINGS:
            yield (
                section.line,
                f"the mistake has the parts {', '.join(names)}; expected {', '.join(MISTAKE_PART_HEADINGS)}, "
                "each in bold with a full stop.",
            )
            continue
        reproduction, notice = PART_HEADING.split(section.text)[4::2][:2]
        if "{code-cell}" not in reproduction:
            yield (
                section.line,
                "no code reproduces the mistake. Add a cell that makes it.",
            )
        if not re.search(r"^ *assert ", notice, re.MULTILINE):
            yield (
                section.line,
                "“How to notice” asserts nothing. Assert what gives it away.",
            )


def check_answers_are_proved(page: SourcePage):
    """An answer asserts something, or leads to the chapter that does."""
    for section in _listed_sections(page, QUESTION_LIST_KIND):
        checked = re.search(r"^\s*assert ", section.text, re.MULTILINE)
        if not checked and not CHAPTER_LINK.search(section.text):
            yield (
                section.line,
                "the answer neither asserts anything nor links to a chapter. Do one of them.",
            )
