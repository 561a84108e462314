"""A small book of lessons and laboratories, for what the site adds to its pages."""

import yaml

from tests.tools.conftest import FRONT, Project

PROSE = "The black cat sat on the couch and the brown dog slept on the rug. " * 12
CELL = "```{code-cell} ipython3\nprint(1)\n```\n"


def page(title, *sections, words=PROSE):
    """A page of cells: a section is its title, or its title and its text."""
    text = f"{FRONT}# {title}\n\n{words}\n\n{CELL}\n"
    for section in sections:
        name, body = (section, words) if isinstance(section, str) else section
        text += f"## {name}\n\n{body}\n\n"
    return text


WORDS = """\
The line {zh}`黑[black]猫[cat]坐[sat]在[at]沙发[couch]上[on]。` has its English under it.

```{code-cell} ipython3
from transformer_press import page
page.chinese({"right": "黑[black]猫[cat]。", "wrong": "黑[black]狗[dog]。"})
```

```{code-cell} ipython3
import textwrap
page.source(textwrap.shorten)
```
"""
TERMS = """\
Each {term}`attention weight` is a number, and all {term}`attention weights` add up to one.
The last {term}`attention weight` is no other. A {term}`logit` comes before the softmax.
"""
GLOSSARY = """\
```{glossary}
attention weight
attention weights
  How much of a value a query takes, {zh}`注意力[attention]权重[weight]`; see {term}`logit`.

  More of it.

logit
  A number $z$ whose exponential counts.
```
"""
END = ("What to remember", "Where to read on")
PAGES = {
    "intro": page("A small book"),
    "words/one": page("What is first?", "What stays", *END),
    "words/one_lab": page("One: laboratory", "What moved", words=PROSE * 9),
    "words/two": page("What is second?", ("Chinese", WORDS), *END),
    "attention/three": page("What is third?", ("Terms", TERMS), *END),
    "attention/three_lab": page("Three: laboratory", "Why"),
    "reference/notation": page("Notation", "Letters"),
    "reference/glossary": page("Glossary", ("Terms", GLOSSARY)),
    "reference/works": page("Works", ("All", "```{bibliography}\n```")),
}
TOC = {
    "format": "jb-book",
    "root": "intro",
    "parts": [
        {
            "caption": "Words",
            "chapters": [
                {
                    "file": "words/one",
                    "title": "One",
                    "sections": [{"file": "words/one_lab", "title": "Laboratory"}],
                },
                {"file": "words/two", "title": "Two"},
            ],
        },
        {
            "caption": "Attention",
            "chapters": [
                {
                    "file": "attention/three",
                    "title": "Three",
                    "sections": [
                        {"file": "attention/three_lab", "title": "Laboratory"}
                    ],
                },
            ],
        },
        {
            "caption": "Reference",
            "chapters": [
                {"file": f"reference/{name}"}
                for name in ("notation", "glossary", "works")
            ],
        },
    ],
}


class SmallBook(Project):
    pages = tuple(PAGES)

    def reset(self):
        super().reset()
        for name in ("first", "part/second"):
            (self.root / "book" / f"{name}.md").unlink()
        for name, text in PAGES.items():
            self.write(name, text)
        (self.root / "_toc.yml").write_text(yaml.safe_dump(TOC), "utf-8")
