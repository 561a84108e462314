"""Turn the book's MyST Markdown into plain Markdown, for notebooks read in Jupyter and Colab."""

import ast
import codecs
import re

import latexcodec  # noqa: F401  (teaches codecs to decode LaTeX)
from pybtex.database import parse_file

from transformer_press import chinese

DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<name>[\w:-]+)\}[ \t]*(?P<argument>[^\n]*)\n"
    r"(?P<body>.*?)^(?P=fence)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
DIRECTIVE_OPTIONS = re.compile(r"\A(?:[ \t]*:[\w-]+:[^\n]*\n)+\n?")
ROLE = re.compile(r"\{(?P<name>[\w:-]+)\}`(?P<content>[^`]+)`")
PAGE_LINK = re.compile(r"\]\((?P<page>[\w./-]+)\.md(?P<anchor>#[\w-]+)?\)")
GLOSSARY_TERM = re.compile(
    r"^(\S.*)$", re.MULTILINE
)  # its terms; what they mean is indented
LABEL_LINE = re.compile(r"^\((?P<name>[\w-]+)\)=\n", re.MULTILINE)
COMMENT_LINE = re.compile(r"^%.*\n", re.MULTILINE)


class MarkdownConverter:
    """Convert the prose of one page.

    Parameters
    ----------
    glued_values : dict of str to str
    works_by_key : dict
    macros : dict of str to str
        Of the formulas.
    site_page : str
        The page's address on the site, if there is one: its live figures are there.
    """

    def __init__(self, glued_values, works_by_key, macros, site_page=""):
        self.values, self.works_by_key = glued_values, works_by_key
        self.site_page = site_page
        # Without the site's style sheet a coloured symbol, \class{tb-q}{Q}, is plain {Q}.
        self.macros = {
            name: re.sub(r"\\class\{[\w-]+\}", "", body)
            for name, body in macros.items()
        }
        self.macro = re.compile(
            r"\\(" + "|".join(sorted(macros, key=len, reverse=True)) + r")(?![A-Za-z])"
        )

    def __call__(self, text):
        text = COMMENT_LINE.sub("", text)
        # Jupyter, Colab and GitHub name headings differently; all know an anchor.
        text = LABEL_LINE.sub(r'<a id="\g<name>" name="\g<name>"></a>\n\n', text)
        text = DIRECTIVE.sub(self._convert_directive, text)
        text = ROLE.sub(self._convert_role, text)
        text = PAGE_LINK.sub(lambda m: f"]({m['page']}.ipynb{m['anchor'] or ''})", text)
        return self.macro.sub(lambda m: self.macros[m[1]], text).strip()

    def _convert_directive(self, match):
        name, argument = match["name"], match["argument"].strip()
        options = DIRECTIVE_OPTIONS.match(match["body"])
        body = match["body"][options.end() if options else 0 :].strip()
        if name in {"note", "tip", "warning", "important", "admonition"}:
            title = argument if name == "admonition" else name.capitalize()
            quoted = "\n".join(
                f"> {line}".rstrip() for line in f"**{title}.** {body}".splitlines()
            )
            return quoted
        if name == "widget":
            figure = "live figure"
            if self.site_page:
                figure = f"[live figure]({self.site_page}#{argument}-live)"
            return f"*On the site, a {figure} stands here:* {body}"
        if name == "glossary":
            # Terms stand at the edge, definitions are indented.
            terms = re.sub(r"^(\S.*)$", r"**\1**  ", body, flags=re.MULTILINE)
            return re.sub(r"^[ \t]+", "", terms, flags=re.MULTILINE)
        if name == "math":
            return f"$$\n{body}\n$$"
        if name == "bibliography":
            return "\n".join(
                f"- {self._format_work(key)}" for key in sorted(self.works_by_key)
            )
        if name == "eval-rst":
            return (
                "*The descriptions of the functions are on the site; in a notebook, ask with* "
                "`help(name)`."
            )
        raise ValueError(
            f"a published notebook cannot show the directive {{{name}}}; use plain Markdown, or teach "
            "tools/pages/plain_markdown.py to convert it"
        )

    def _convert_role(self, match):
        name, content = match["name"], match["content"]
        if name == "glue:text":
            key, _, spec = content.partition(":")
            value = ast.literal_eval(self.values[key])
            return format(value, spec) if spec else str(value)
        if name == "zh":
            return chinese.plain_text(chinese.gloss_words(content))
        if name in {"poke", "term", "download"}:  # what they do, they do on the site
            return content.partition("<")[0].strip()
        if name.startswith("py:"):  # leads to the package's page
            shown = content.rpartition(".")[2] if content.startswith("~") else content
            return f"`{shown}`"
        if name in {"cite:t", "cite"}:
            return "; ".join(
                f"{self._author_names(k)} ({self._year(k)})"
                for k in _citation_keys(content)
            )
        if name == "cite:p":
            return (
                "("
                + "; ".join(
                    f"{self._author_names(k)}, {self._year(k)}"
                    for k in _citation_keys(content)
                )
                + ")"
            )
        raise ValueError(
            f"a published notebook cannot show the role {{{name}}}; use plain Markdown"
        )

    def _year(self, citation_key: str) -> str:
        return self.works_by_key[citation_key].fields["year"]

    def _author_names(self, citation_key: str) -> str:
        names = [
            _decode_latex(" ".join(p.last_names))
            for p in self.works_by_key[citation_key].persons["author"]
        ]
        return names[0] + (
            ""
            if len(names) == 1
            else f" and {names[1]}"
            if len(names) == 2
            else " et al."
        )

    def _format_work(self, citation_key: str) -> str:
        fields = self.works_by_key[citation_key].fields
        where = (
            fields.get("journal")
            or fields.get("booktitle")
            or fields.get("publisher")
            or ""
        )
        title, where = _decode_latex(fields["title"]), _decode_latex(where)
        return f"{self._author_names(citation_key)} ({fields['year']}). *{title}*. {where}".strip()


def _citation_keys(role_content: str) -> list[str]:
    return [key.strip() for key in role_content.split(",")]


def _decode_latex(latex) -> str:
    return re.sub(r"[{}]", "", codecs.decode(latex, "ulatex"))


def read_bibliography(path):
    """Return the works of a .bib file, by their keys."""
    return parse_file(str(path)).entries
