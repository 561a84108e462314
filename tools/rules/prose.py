"""What holds for the sentences of a page."""

import re

from .page import SourcePage, blank_out

MAX_LINE_WIDTH = 120
FILLER_PHRASE = re.compile(
    "worth noting|in the world of|delve|let's|let us", re.IGNORECASE
)
EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")
EXCLAMATION_MARK = re.compile(r"!(?!\[)")
EXTERNAL_LINK = re.compile(r"https?://[^\s)>\]]*")
PICTURE_WITHOUT_TEXT = re.compile(r"!\[\s*\]")
UNNAMED_SOURCE = re.compile(
    r"[Ww]idely\s+read|\bNotes\b|\b(?:public|other|another|some|many|these|the|their)\s+notes?\b"
    r"|\b(?:and|or|:|;|”|\",)\s+notes\b|\bnotes\s+say\b|tutorial|\bin public code\b"
)
LATER_CHAPTER = re.compile(r"\b[Ll]ater\s+chapters?\b(?!\]\()")
HEAD_ZERO = re.compile(r"\b[Hh]eads?[ _]0\b")
ACCIDENTAL_LIST = re.compile(r"^ *(?!\d+[.)] )\S.*\n *(1[.)]) ", re.MULTILINE)
LINK_TARGET = re.compile(r"\]\([^)]*\)")
TERM_ROLE = re.compile(r"\{term\}`(?:[^`<]*<)?([^`>]*)>?`")
# Works cited in one group, and behind them in the paragraph words that count them.
COUNTED_CITATION = re.compile(
    r"\{cite:\w\}`[^`,]+,[^`]+`(?:(?!\n\s*\n).){0,300}?"
    r"(\b[Tt]he (?:former|latter)\b|\b[Tt]he (?:first|second|third|last) (?:paper|work|article)\b"
    r"|\b(?:first|second|third|last) of (?:these|them|the (?:two|three))\b)",
    re.DOTALL,
)
CHINESE_TEXT = re.compile(r"[\u3400-\u9fff]+")
CHINESE_WITH_ENGLISH = re.compile(
    r"[\u3400-\u9fff]+”?,?\s\(?\*"
)  # 猫 (*cat*), or 猫, *cat*
GLOSSARY_PAGE_NAME = "reference/glossary"


def check_calm_tone(page: SourcePage):
    for line, _ in page.find_matches(EXCLAMATION_MARK):
        yield line, "an exclamation mark; prose is calm. Remove it."
    for line, match in page.find_matches(EMOJI):
        yield line, f"an emoji, {match[0]}; prose has none. Remove it."
    for line, match in page.find_matches(FILLER_PHRASE):
        yield (
            line,
            f"the filler “{match[0]}” says nothing. Say what follows without it.",
        )


def check_external_links(page: SourcePage):
    for line, match in page.find_matches(EXTERNAL_LINK):
        yield (
            line,
            f"a link out of the book, {match[0]}; the book works offline. Cite the work from "
            "references.bib.",
        )


def check_pictures_have_text(page: SourcePage):
    for line, _ in page.find_matches(PICTURE_WITHOUT_TEXT):
        yield line, "a picture without a text. Say in its brackets what it shows."


def check_sources_are_named(page: SourcePage):
    """Whatever others wrote is cited, or called a mistake that one meets."""
    for line, match in page.find_matches(UNNAMED_SOURCE):
        yield (
            line,
            f"“{match[0]}” leans on unnamed notes. Cite the work, or say that one meets it.",
        )
    for line, match in page.find_matches(LATER_CHAPTER):
        yield line, f"“{match[0]}” names no chapter. Link to it."


def check_heads_count_from_1(page: SourcePage):
    for line, match in page.find_matches(HEAD_ZERO, page.text):
        yield line, f"“{match[0]}”; heads count from 1."


def check_line_width(page: SourcePage):
    """A line may be longer in a table, or where a link's target makes it so."""
    for line, text in enumerate(page.markdown.split("\n"), 1):
        columns = len(LINK_TARGET.sub("]()", text).rstrip())
        if columns > MAX_LINE_WIDTH and not text.startswith("|"):
            yield (
                line,
                f"a line of prose has {columns} columns; expected at most {MAX_LINE_WIDTH}, beside the "
                "targets of links. Break it.",
            )


def check_accidental_lists(page: SourcePage):
    """Markdown makes a list of a line that begins with 1., though it goes on with a sentence."""
    for line, match in page.find_matches(ACCIDENTAL_LIST):
        yield (
            line + 1,
            f"a line begins with “{match[1]}” and becomes a list. Break the sentence elsewhere; "
            "before a list leave a line empty.",
        )


def check_grouped_citations(page: SourcePage):
    """A grouped citation is sorted when it is rendered, so nothing may count its works."""
    for line, match in page.find_matches(COUNTED_CITATION, page.markdown):
        yield (
            line,
            f"“{match[1]}” counts the works of a grouped citation, which are sorted when the page is "
            "built. Name the work.",
        )


def check_terms_marked_once(page: SourcePage):
    """A page marks a term where it is first used; the glossary's entries mark each other."""
    first = {}
    for line, match in page.find_matches(TERM_ROLE, page.markdown):
        name = " ".join(match[1].lower().split())
        if name in first and page.name != GLOSSARY_PAGE_NAME:
            yield (
                line,
                f"the term “{name}” is marked at line {first[name]} already; a page marks it "
                "once. Write it without {term}.",
            )
        first.setdefault(name, line)


def check_chinese_has_english(page: SourcePage):
    """Chinese has its English under it or behind it, but in a heading, which has no room.

    In the glossary each entry ends in its Chinese name.
    """
    for line, match in page.find_matches(
        CHINESE_TEXT, LINK_TARGET.sub(blank_out, page.prose)
    ):
        in_heading = page.text.split("\n")[line - 1].startswith("#")
        if page.name == GLOSSARY_PAGE_NAME or in_heading:
            continue
        if not CHINESE_WITH_ENGLISH.match(page.prose, match.start()):
            yield (
                line,
                f"{match[0]} has no English. Write {{zh}}`{match[0]}`, or the English behind "
                "it: 猫 (*cat*).",
            )
