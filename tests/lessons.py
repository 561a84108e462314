"""What a lesson is held to."""

import re

from tests.conftest import ROOT
from tools import chapters, executed, minutes

PATHS = {chapters.name(path, ROOT): path for path in chapters.pages(ROOT)}
KINDS = {
    kind: [name for name in PATHS if chapters.kind(name) == kind]
    for kind in ("tour", "lesson", "laboratory", "reference")
}
LESSONS = KINDS["lesson"]
FIRST_PARTS = [name for name in LESSONS if not name.startswith("beyond/")]
MOST, ALL = 15, 6 * 60  # minutes, of one lesson and of those of the first three parts
SHARE = 1 / 3  # of a lesson's height that code and output may take
ASSERTS = {"lesson": 3, "laboratory": 5}
PARTS = [  # what a lesson has, in this order
    r"^# .+\?$",
    r"\*\*You need\*\*",
    r"\*\*You will be able to\*\*",
    r"^## ",
    r"^## What to remember$",
    r"^`{3,}\{exercise\}",
    r"^## Where to read on$",
]


def section(text, title):
    """What stands under a heading; nothing if there is none."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].strip() if found else ""


def asserts(text):
    return len(
        re.findall(r"^assert |assert_(allclose|array_equal)", text, re.MULTILINE)
    )


def faults_of_the_end(text):
    """What is wrong with exercises, what to remember, and where to read on."""
    exercises = re.findall(
        r"^`{3,}\{exercise\}[^\n]*\n:label: (\S+)", text, re.MULTILINE
    )
    solutions = re.findall(
        r"^`{3,}\{solution-start\} (\S+)\n:class: dropdown", text, re.MULTILINE
    )
    remember = section(text, "What to remember").splitlines()
    lines = [line for line in remember if re.match(r"[-\d*]", line)]
    faults = {
        "three to five exercises, each with its folded solution": (
            3 <= len(exercises) <= 5 and exercises == solutions
        ),
        "what to remember, in one to five lines": 1 <= len(lines) <= 5,
        "a work to read on": "{cite" in section(text, "Where to read on"),
    }
    return [fault for fault, fine in faults.items() if not fine]


def faults(text):
    """What a page lacks of a lesson, in words; nothing if it is one."""
    found, at = faults_of_the_end(text), 0
    for part in PARTS:
        match = re.compile(part, re.MULTILINE).search(text, at)
        if match is None:
            found.append(f"{part} after {text[:at].rstrip()[-40:]!r}")
        else:
            at = match.start() if part == "^## " else match.end()
    if asserts(text) < ASSERTS["lesson"]:
        found.append(f"{ASSERTS['lesson']} asserts")
    return found


def taken(name):
    """The minutes of a page, as the build has run it."""
    return minutes.reading(executed.page(PATHS[name], ROOT / "_build")).minutes
