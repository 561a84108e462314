"""The site's pages as those of a printed book: what is read, without what only a screen can do.

The source is the built site, so that paper says what the site says.
"""

import posixpath
import re
from dataclasses import dataclass, field

import lxml.html
import yaml
from lxml import etree

from tools.pages import book_pages

XHTML_NAMESPACE, SVG_NAMESPACE = (
    "http://www.w3.org/1999/xhtml",
    "http://www.w3.org/2000/svg",
)
SVG_ELEMENT = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
# What only a screen can do, what is folded there, and what other parts of a book do.
OMITTED_CLASSES = ("headerlink", "toctree-wrapper", "tb-lost", "footnotes")
# A figure is drawn twice, for a desk and for a phone.
WIDE_CLASS, NARROW_CLASS = "tb-wide", "tb-narrow"
NOTE_CLASS = "note-text"  # the class of a note, beside the word that bears it
# How sentences ask for the widget of their page; with several it is the first, unless they set one.
WIDGET_MENTION = re.compile(r"widget|translator at the top|in your browser")
PLAIN_CLASSES = {"", "n", "p", "w", "pre", "std", "pasted-text", "xref", "doc", "py"}
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
class Page:
    """A page of the site, as the papers have it."""

    name: str
    body: etree._Element
    short: str = ""  # what the contents of the site call it
    kind_and_minutes: str = ""  # a lesson, of so many minutes
    solutions: list = field(default_factory=list)

    @property
    def title(self):
        return "".join(self.body.find("h1").itertext()).strip()


def plan_parts(root):
    """Return the parts of the book, each a title and its pages' names, in the order of reading.

    The laboratories, nested under the lessons on the site, make a separate part.
    """
    toc = yaml.safe_load((root / "_toc.yml").read_text("utf-8"))
    tour, laboratories, lessons, reference = [toc["root"]], [], [], []
    for part in toc["parts"]:
        names = []
        for page in part["chapters"]:
            nested = [section["file"] for section in page.get("sections", [])]
            names += [page["file"], *nested]
        laboratories += [
            name for name in names if book_pages.page_kind(name) == "laboratory"
        ]
        others = [name for name in names if book_pages.page_kind(name) != "laboratory"]
        if "caption" not in part:
            tour += others
        elif book_pages.page_kind(others[0]) == "lesson":
            lessons.append((part["caption"], others))
        else:
            reference.append((part["caption"], others))
    return [("The tour", tour), *lessons, ("Laboratories", laboratories), *reference]


def unique_id(page, fragment=""):
    """An identifier that no other page of the book has."""
    words = re.sub(r"[^A-Za-z0-9-]", "-", page)
    return (
        f"{words}--{re.sub(r'[^A-Za-z0-9_.-]', '-', fragment)}" if fragment else words
    )


def find_by_class(element, *names):
    """The descendants that have one of these classes."""
    conditions = " or ".join(
        f"contains(concat(' ', @class, ' '), ' {name} ')" for name in names
    )
    return element.xpath(f".//*[{conditions}]")


def read_page(site, name):
    """Read a page of the site."""
    text = (site / f"{name}.html").read_text(encoding="utf-8")
    article = text[text.index("<article") : text.index("</article>")]
    drawings = []

    def put_aside(match):
        drawings.append(OPAQUE_HATCHING.sub(r"\g<0>opacity:0.8;", match[0]))
        return f'<img class="drawing" alt="{len(drawings) - 1}">'

    # A drawing is XML, whose names an HTML parser would write in small letters.
    tree = lxml.html.fromstring(SVG_ELEMENT.sub(put_aside, article))
    page = Page(name, tree.find("section"))
    page.short = "".join(page.body.xpath("p[@class='tb-page-name']//text()"))
    for line in page.body.xpath("p[@class='tb-minutes']"):
        page.kind_and_minutes = (line.text or "").strip(" ·")
        line.drop_tree()
    introduce_widgets(page)
    definitions_to_notes(page)
    remove_screen_parts(page.body)
    del page.body.attrib["id"]
    move_solutions(page)
    for tree in [page.body, *page.solutions]:
        remove_unused_markup(tree)
        link_within_book(tree, name)
        restore_drawings(tree, drawings, name)
    page.body.set("id", unique_id(name))
    return page


def introduce_widgets(page):
    """Let each widget's introduction stand, under where on the site it can be tried."""
    for widget in find_by_class(page.body, "tb-widget"):
        line = lxml.html.fragment_fromstring("<p class='where'>Live on the site: </p>")
        code = etree.SubElement(line, "code")
        code.text = f"{page.name}.html#{widget.get('id')}"
        for script in widget.findall("script"):
            script.drop_tree()
        widget.insert(0, line)
        widget.set("class", "live")
    link_to_widgets(page)


def link_to_widgets(page):
    """Let each word that asks for a widget lead to its place, and say where on the site that is."""
    here = find_by_class(page.body, "live")
    for word in link_widget_mentions(page.body) if here else []:
        word.set("href", f"#{here[0].get('id')}")
        if len(here) > 1 and word.text == "widget":
            raise ValueError(
                f"{page.name} has several widgets and asks for one without saying which; "
                "set it by {poke}."
            )
    for link in find_by_class(page.body, "tb-poke"):
        path, _, name = link.get("href").partition("#")
        path, _, setting = path.partition("?")
        if not path and link.xpath("ancestor::*[@class='live'][@id=$name]", name=name):
            link.drop_tag()  # it stands under the widget's address
            continue
        # One note says where a widget of this page is, however often a sentence sets it.
        query = f"?{setting}" if path else ""
        there = posixpath.join(posixpath.dirname(page.name), path) if path else ""
        address = posixpath.normpath(there or f"{page.name}.html") + f"{query}#{name}"
        link.set("href", f"{path}#{name}")
        note = etree.Element("span", {"class": NOTE_CLASS})
        note.text, note.tail, link.tail = "Live on the site: ", link.tail, None
        etree.SubElement(note, "code").text = address
        link.addnext(note)


def link_widget_mentions(body):
    """Make links of the words that ask for the widget of their page, one in each block.

    A block that sets one leads there already.
    """
    for block in body.iter("p", "li"):
        if block.get("class") == "admonition-title" or block.find("p") is not None:
            continue
        if find_by_class(block, "tb-poke") or block.xpath("ancestor::*[@class='live']"):
            continue
        for text in block.xpath(".//text()"):
            if asks := WIDGET_MENTION.search(text):
                link = etree.Element("a", {"class": "tb-poke"})
                link.text, link.tail = asks[0], text[asks.end() :]
                parent = text.getparent()
                if text.is_tail:
                    parent.tail = text[: asks.start()]
                    parent.addnext(link)
                else:
                    parent.text = text[: asks.start()]
                    parent.insert(0, link)
                yield link
                break


def definitions_to_notes(page):
    """Of what shows when a term is touched, keep the definition."""
    for tip in find_by_class(page.body, "tb-tip"):
        definition = tip.find("span")
        definition.tail = None
        del definition.attrib["id"]
        definition.set("class", NOTE_CLASS)
        tip.addprevious(definition)
        tip.drop_tree()


def remove_screen_parts(body):
    for element in [
        *find_by_class(body, *OMITTED_CLASSES, "tb-page-name"),
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


def move_solutions(page):
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
    """Leave out the marks that no style of the book asks for."""
    for element in list(body.iter()):
        if not isinstance(element.tag, str):
            element.drop_tree()
        elif is_plain_span(element):
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


def is_plain_span(element):
    """Whether it is a span that is styled nowhere and leads nowhere."""
    classes = set((element.get("class") or "").split())
    is_marked = element.get("lang") or element.get("id")
    return element.tag == "span" and classes <= PLAIN_CLASSES and not is_marked


def restore_drawings(tree, drawings, page):
    """Put the drawings back, in the colours of paper and with names that are unique."""
    for place in find_by_class(tree, "drawing"):
        number = int(place.get("alt"))
        text = CSS_VARIABLE.sub(r"\1", drawings[number])
        text = CSS_VARIABLE.sub(r"\1", text)
        svg = etree.fromstring(text)
        prefix = f"{unique_id(page)}-{number}-"
        for element in svg.iter():
            for key, value in element.attrib.items():
                if key == "id":
                    value = prefix + value
                elif key == "href" and element.tag == f"{{{SVG_NAMESPACE}}}a":
                    value = link_target(page, value)
                elif key == "href" and value.startswith("#"):
                    value = f"#{prefix}{value[1:]}"
                element.set(key, value.replace("url(#", f"url(#{prefix}"))
        svg.tail = place.tail
        place.getparent().replace(place, svg)


def link_within_book(tree, page):
    """Make names and links those of a book: each name unique, each link to one of them."""
    for link in tree.find_class("download"):  # a book has no files to copy
        link.drop_tag()
    for element in tree.iter():
        if name := element.get("id"):
            element.set("id", unique_id(page, name))
        if link := element.get("href"):
            element.set("href", link_target(page, link))


def link_target(page, link):
    """Where a link of a page leads: another host, or a name in the book."""
    if "://" in link:
        return link
    path, _, fragment = link.partition("#")
    there = posixpath.join(posixpath.dirname(page), path.removesuffix(".html"))
    return f"#{unique_id(posixpath.normpath(there) if path else page, fragment)}"
