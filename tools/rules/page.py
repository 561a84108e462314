"""A page as its author sees it: cells, directives and prose, each with its line in the file."""

import ast
import functools
import re
from dataclasses import dataclass, field

from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from tools.pages import book_pages

DIRECTIVE = re.compile(r"\{([\w:-]+)\}\s*(.*)")
DIRECTIVE_OPTION = re.compile(r"\s*:([\w-]+):\s*(.*)")
# Blocks without prose; of other directives the body is read as a part of the page.
TOKEN_TYPES_WITHOUT_PROSE = {
    "front_matter",
    "math_block",
    "math_block_label",
    "amsmath",
    "myst_target",
}
DIRECTIVES_WITHOUT_PROSE = {
    "code-cell",
    "code-block",
    "eval-rst",
    "bibliography",
    "math",
    "raw",
}
# Within a paragraph: roles, code, formulas. A formula may go on in the next line.
INLINE_MARKUP = re.compile(r"(?:\{[\w:-]+\})?(`+)[^`]+\1|\$(?:[^$\n]|\n(?!\s*\n))+\$")
LABEL_LINE = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
FOLDED_TAGS = {"hide-input", "hide-cell", "remove-input", "remove-cell"}


@dataclass(frozen=True)
class DirectiveBlock:
    """A block such as an exercise; the lines are those of its fences, counted from 1."""

    name: str
    argument: str
    options: dict
    line: int
    end_line: int


@dataclass(frozen=True)
class CodeCell:
    """A code cell, with the lines of its fence and of its first line of code."""

    source: str
    options: dict
    fence_line: int
    line: int
    in_solution: bool

    @property
    def tags(self):
        return re.findall(r"[\w-]+", self.options.get("tags", ""))

    @property
    def is_open(self):
        return not FOLDED_TAGS & set(self.tags)

    @functools.cached_property
    def tree(self):
        """The code, taken apart; where it is not Python, the error."""
        try:
            return ast.parse(self.source)
        except SyntaxError as error:
            return error


@dataclass
class SourcePage:
    """A page by its name, as in attention/heads.

    ``markdown`` is its text without front matter and code cells, and ``prose`` has neither
    directives nor roles, code, formulas and comments either. Both have blanks in their place, so
    that each character is where it is in the file.
    """

    name: str
    text: str
    cells: list = field(default_factory=list)
    directives: list = field(default_factory=list)
    comments: list = field(default_factory=list)  # of line and text

    def __post_init__(self):
        lines = self.text.split("\n")
        self._markdown, self._prose, self._solution = [*lines], [*lines], False
        self._read_lines(lines, 0)
        self.markdown = "\n".join(self._markdown)
        self.prose = INLINE_MARKUP.sub(_blank_unless_number, "\n".join(self._prose))

    @property
    def kind(self) -> str:
        return book_pages.page_kind(self.name)

    @property
    def path(self) -> str:
        return f"book/{self.name}.md"

    def line_number(self, offset: int) -> int:
        """The line of a place in the text."""
        return self.text.count("\n", 0, offset) + 1

    def find_matches(self, pattern, text=None):
        """Yield the line of each match in the prose, or in another of the page's texts, and it."""
        for match in pattern.finditer(self.prose if text is None else text):
            yield self.line_number(match.start()), match

    @property
    def title_line_number(self):
        """The line of the title, or the first where there is none."""
        title = re.search(r"^# ", self.markdown, re.MULTILINE)
        return self.line_number(title.start()) if title else 1

    @functools.cached_property
    def labels(self):
        """The labels of exercises and of places, each with its line."""
        labels = [
            (match[1], line)
            for line, match in self.find_matches(LABEL_LINE, self.markdown)
        ]
        blocks = [block for block in self.directives if "label" in block.options]
        return labels + [(block.options["label"], block.line) for block in blocks]

    def _read_lines(self, lines: list[str], first_index: int):
        """Take apart some lines, of which the first has this index in the file."""
        for token in _markdown_parser().parse("\n".join(lines)):
            if token.map is None:
                continue
            begin, end = first_index + token.map[0], first_index + token.map[1]
            if token.type in ("fence", "colon_fence"):
                self._read_fence(token, begin, end)
            elif token.type == "myst_line_comment":
                self.comments.append((begin + 1, token.content.strip()))
                _blank_lines(self._prose, begin, end)
            elif token.type in TOKEN_TYPES_WITHOUT_PROSE:
                _blank_lines(self._prose, begin, end)
                if token.type == "front_matter":
                    _blank_lines(self._markdown, begin, end)

    def _read_fence(self, fence_token, begin_index, end_index):
        match = DIRECTIVE.fullmatch(fence_token.info.strip())
        if not match:
            return _blank_lines(self._prose, begin_index, end_index)
        name, argument = match.groups()
        body, options = fence_token.content.split("\n")[:-1], {}
        while len(options) < len(body) and (
            option := DIRECTIVE_OPTION.match(body[len(options)])
        ):
            options[option[1]] = option[2]
        first = begin_index + 1 + len(options)
        body = body[len(options) :]
        if name == "code-cell":
            _blank_lines(self._markdown, begin_index, end_index)
            blanks = next((i for i, text in enumerate(body) if text.strip()), 0)
            source = "\n".join(body[blanks:]).rstrip()
            line = first + blanks + 1
            self.cells.append(
                CodeCell(source, options, begin_index + 1, line, self._solution)
            )
        else:
            self.directives.append(
                DirectiveBlock(name, argument, options, begin_index + 1, end_index)
            )
        if name in ("solution-start", "solution-end"):
            self._solution = name == "solution-start"
        if name in DIRECTIVES_WITHOUT_PROSE:
            return _blank_lines(self._prose, begin_index, end_index)
        _blank_lines(self._prose, begin_index, first)
        _blank_lines(self._prose, end_index - 1, end_index)
        return self._read_lines(body, first)


@dataclass
class SourceBook:
    """All pages, and what rules ask of all of them."""

    pages: list

    @functools.cached_property
    def labels(self):
        """Where each label is, as paths and lines."""
        places = {}
        for page in self.pages:
            for label, line in page.labels:
                places.setdefault(label, []).append((page.path, line))
        return places

    @functools.cached_property
    def lessons(self) -> set:
        """The names of pages that may have a laboratory."""
        return {page.name for page in self.pages if page.kind in ("lesson", "tour")}


@functools.cache
def _markdown_parser():
    """MyST's parser, as the book is read, up to its blocks."""
    extensions = {"amsmath", "attrs_block", "colon_fence", "deflist", "dollarmath"}
    config = MdParserConfig(enable_extensions=extensions, disable_syntax=["inline"])
    return create_md_parser(config, RendererHTML)


def blank_out(match: re.Match) -> str:
    """Blanks in place of what matched, and as many lines."""
    return re.sub(r"[^\n]", " ", match[0])


def _blank_unless_number(match: re.Match) -> str:
    """Blanks for what is no prose. A number alone between dollars is a number in a sentence."""
    return match[0] if re.fullmatch(r"\$[\d.,-]+\$", match[0]) else blank_out(match)


def _blank_lines(lines: list[str], first_index: int, stop_index: int):
    for i in range(first_index, stop_index):
        lines[i] = " " * len(lines[i])
