"""The site's pages as those of a printed book: what is read, without what only a screen can do.

The source is the built site, so that paper says what the site says.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import lxml.html
import yaml
from lxml import etree

from tools.pages import book_pages

from .book_links import (
    address_in_book,
    is_package_page,
    make_ids_and_links_unique,
    unique_element_id,
)
from .markup import SVG_NAMESPACE, find_by_class
from .page_notes import name_widget_addresses, turn_definitions_into_notes

SVG_ELEMENT = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
# What only a screen can do, what is folded there, and what other parts of a book do.
SCREEN_ONLY_CLASSES = ("headerlink", "toctree-wrapper", "tb-lost", "footnotes")
UNSTYLED_SPAN_CLASSES = {
    "",
    "n",
    "p",
    "w",
    "pre",
    "std",
    "pasted-text",
    "xref",
    "doc",
    "py",
}
PRINTED_ATTRIBUTES = {
    "id",
    "class",
    "href",
    "lang",
    "colspan",
    "rowspan",
    "start",
    "type",
}
# Chromium prints opaque hatching as a picture of the whole sheet, and what shines through as itself.
OPAQUE_HATCHING = re.compile(r"fill:url\(#[^)]*\);(?=stroke)")
CSS_VARIABLE = re.compile(r"var\(--[\w-]+, ([^()]*)\)")


@dataclass
class PaperPage:
    """A page of the site, as the papers have it."""

    name: str
    body: etree._Element
    short: str = ""  # what the contents of the site call it
    kind_and_minutes: str = ""  # a lesson, of so many minutes
    solutions: list = field(default_factory=list)

    @property
    def title(self) -> str:
        return "".join(self.body.find("h1").itertext()).strip()


def part_titles_and_page_names(root) -> list:
    """Return the parts of the book, each a title and its pages' names, in the order of reading.

    The laboratories, nested under the lessons on the site, make a separate part.
    """
    toc = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
    tour, laboratories, lessons, reference = [toc["root"]], [], [], []
    for part in toc["parts"]:
        names = []
        for page in part["chapters"]:
            nested = [section["file"] for section in page.get("sections", [])]
            files = [page["file"], *nested]
            names += [name for name in files if not is_package_page(name)]
        laboratories += [
            name for name in names if book_pages.page_kind(name) == "laboratory"
        ]
        others = [name for name in names if book_pages.page_kind(name) != "laboratory"]
        if "caption" not in part:
            tour += others
        elif book_pages.page_kind(others[0]) in ("lesson", "workshop"):
            lessons.append((part["caption"], others))
        else:
            reference.append((part["caption"], others))
    return [("The tour", tour), *lessons, ("Laboratories", laboratories), *reference]


def read_page(site_folder: Path, page_name: str) -> PaperPage:
    """Read a page of the site."""
    text = (site_folder / f"{page_name}.html").read_text(encoding="utf-8")
    article = text[text.index("<article") : text.index("</article>")]
    drawings = []

    def replace_drawing(match: re.Match) -> str:
        drawings.append(OPAQUE_HATCHING.sub(r"\g<0>opacity:0.8;", match[0]))
        return f'<img class="drawing" alt="{len(drawings) - 1}">'

    # A drawing is XML, whose names an HTML parser would write in small letters.
    tree = lxml.html.fromstring(SVG_ELEMENT.sub(replace_drawing, article))
    page = PaperPage(page_name, tree.find("section"))
    page.short = "".join(page.body.xpath("p[@class='tb-page-name']//text()"))
    for line in page.body.xpath("p[@class='tb-minutes']"):
        page.kind_and_minutes = (line.text or "").strip(" ·")
        line.drop_tree()
    name_widget_addresses(page)
    turn_definitions_into_notes(page)
    remove_screen_parts(page.body)
    del page.body.attrib["id"]
    move_solutions(page)
    for tree in [page.body, *page.solutions]:
        remove_unused_markup(tree)
        make_ids_and_links_unique(tree, page_name)
        restore_drawings(tree, drawings, page_name)
    page.body.set("id", unique_element_id(page_name))
    return page


def remove_screen_parts(body):
    for element in [
        *find_by_class(body, *SCREEN_ONLY_CLASSES, "tb-page-name"),
        *body.iter("details"),
    ]:
        if element.getparent() is not None:
            element.drop_tree()
    for cell in find_by_class(body, "cell"):
        if not (cell.text_content().strip() or cell.xpath(".//img")):
            cell.drop_tree()
    # Their identifiers stand as often on a page as there are exercises.
    for name in ("exercise-content", "solution-content"):
        for section in body.xpath(f"//section[@id='{name}']"):
            section.drop_tag()


def move_solutions(page: PaperPage):
    """Take the solutions out of the page; an exercise leads to its solution."""
    for solution in find_by_class(page.body, "solution"):
        exercise = solution.find("p/a").get("href").removeprefix("#")
        solution.set("id", f"solution-{exercise}")
        for old in find_by_class(page.body, "exercise"):
            if old.get("id") == exercise:
                old.append(
                    lxml.html.fragment_fromstring(
                        f"<p class='to-solution'><a href='#solution-{exercise}'>Solution</a></p>"
                    )
                )
        solution.drop_tree()
        solution.tail = None
        page.solutions.append(solution)


def remove_unused_markup(body):
    """Leave out the marks that no style of the book asks for; MathJax's style asks for all of its own."""
    formulas = {part for place in find_by_class(body, "math") for part in place.iter()}
    for element in [part for part in body.iter() if part not in formulas]:
        if not isinstance(element.tag, str):
            element.drop_tree()
        elif is_unstyled_span(element):
            element.drop_tag()
        else:
            for attribute in set(element.attrib) - PRINTED_ATTRIBUTES:
                if (element.tag, attribute) != ("img", "alt"):
                    del element.attrib[attribute]
    for place in body.xpath(".//span[@id and not(node())]"):
        # A name before a heading is the heading's.
        named = place.getnext()
        if named is not None and not named.get("id"):
            named.set("id", place.get("id"))
            place.drop_tree()


def is_unstyled_span(element):
    """Whether it is a span that is styled nowhere and leads nowhere."""
    classes = set((element.get("class") or "").split())
    is_marked = element.get("lang") or element.get("id")
    return element.tag == "span" and classes <= UNSTYLED_SPAN_CLASSES and not is_marked


def restore_drawings(tree, svg_texts: list[str], page_name):
    """Put the drawings back, in the colours of paper and with names that are unique."""
    for place in find_by_class(tree, "drawing"):
        number = int(place.get("alt"))
        text = CSS_VARIABLE.sub(r"\1", svg_texts[number])
        text = CSS_VARIABLE.sub(r"\1", text)
        svg = etree.fromstring(text)
        prefix = f"{unique_element_id(page_name)}-{number}-"
        for element in svg.iter():
            for key, value in element.attrib.items():
                if key == "id":
                    value = prefix + value
                elif key == "href" and element.tag == f"{{{SVG_NAMESPACE}}}a":
                    value = address_in_book(page_name, value)
                elif key == "href" and value.startswith("#"):
                    value = f"#{prefix}{value[1:]}"
                element.set(key, value.replace("url(#", f"url(#{prefix}"))
        svg.tail = place.tail
        place.getparent().replace(place, svg)
