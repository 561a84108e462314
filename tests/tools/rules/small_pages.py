"""Small pages that keep every rule, and what is told of one that is changed."""

from tests.tools.conftest import FRONT
from tools import rules
from tools.rules.page import SourceBook, SourcePage

END = "\n```{code-cell} ipython3\n:tags: [remove-input]\n\npage.ran()\n```\n"
EXERCISES = "".join(
    f"""
```{{exercise}} {label.title()}
:label: ex-{label}

Try {label}.
```

```{{solution-start}} ex-{label}
:class: dropdown
```

Solved {label}.

```{{code-cell}} ipython3
solved = "{label}"
```

```{{solution-end}}
```
"""
    for label in ("left", "middle", "right")
)
LESSON = f"""{FRONT}# Why?

A {{term}}`token` is {{zh}}`猫`, or 猫 (*cat*).

**You need** [the tour](../tour.md). **You will be able to** see.

## One

```{{code-cell}} ipython3
import math

half = math.pi / 2
```

```{{code-cell}} ipython3
:tags: [hide-input]

quarter = half / 2
assert quarter < half
assert quarter > 0
assert half > 0
```

[The laboratory](one_lab.md) says that $a < b!$, and `https://here` is code.

| one | two |
|---|---|
| {"wide " * 30}| |

(a-place)=
## What to remember

- This.

## Exercises
{EXERCISES}
## Where to read on

{{cite:t}}`vaswani2017`
{END}"""
LABORATORY = f"""{FRONT}# One: laboratory

Of [one](one.md).

## Proof

```{{code-cell}} ipython3
assert 1
assert 2
assert 3
assert 4
np.testing.assert_allclose(5, 5)
```
{END}"""
MISTAKES = f"""{FRONT}# Mistakes

| what you see | the mistake |
|---|---|
| none is equal | [M2 None for all](#m2-none) |
| all are equal | [M1 One for all](#m1-one) |
""" + "".join(
    f"""
({label})=
## {title}

**Symptom.** Seen.

**Reproduction.** Like this:

```{{code-cell}} ipython3
wrong = "{label}"
```

**How to notice.** Like this:

```{{code-cell}} ipython3
assert wrong == "{label}"
```

**Repair.** Do not.
"""
    for label, title in (("m1-one", "M1 One for all"), ("m2-none", "M2 None for all"))
)
QUESTIONS = f"""{FRONT}# Questions

| [Why?](#why) | so |
| [How?](#how) | thus |

(why)=
### Why?

So.

```{{code-cell}} ipython3
assert 1
```

(how)=
### How?

See [one](../words/one.md).
{END}"""
PAGES = {
    "tour": f"{FRONT}# Tour\n{END}",
    "words/one": LESSON,
    "words/one_lab": LABORATORY,
    "words/two": LESSON.replace("ex-", "ex-two-")
    .replace("a-place", "another-place")
    .replace(END, f"\n## Words on one card\n\nSo.\n{END}"),
    "reference/mistakes": MISTAKES + END,
    "reference/questions": QUESTIONS,
}


def faults(name, text):
    """What a page breaks in a small book that is right otherwise."""
    book = SourceBook(
        [SourcePage(n, text if n == name else t) for n, t in PAGES.items()]
    )
    (page,) = (page for page in book.pages if page.name == name)
    return rules.faults_of_page(page, book)


def the_fault(name, old, new, at):
    """What is told of a page in which something is exchanged, at the line that has some words."""
    assert old in PAGES[name]
    text = PAGES[name].replace(old, new, 1)
    line = text[: text.index(at)].count("\n") + 1
    (fault,) = faults(name, text)
    assert (fault.path, fault.line) == (f"book/{name}.md", line)
    return fault.message
