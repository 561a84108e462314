"""The PDF: one long page of all chapters, which Chromium lays out on sheets and prints."""

import html
import re
from pathlib import Path

import lxml.html
import pikepdf
from lxml import etree
from playwright.sync_api import sync_playwright

from tools.pages import chapters
from tools.programs.browser import launch

from .composition import copied_body, formula
from .site_pages import NARROW, NOTE, SVG, with_class

TEMPLATES = Path(__file__).parent / "templates"
LINES = 40  # that a block of text has at most
EMPTY = {"br", "hr", "img"}
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>{mathjax}</style><style>{style}</style><script>{script}</script></head>
<body><main>
{chapters}
</main><div id="probe"></div><div id="notes">
{notes}
</div></body></html>
"""
WORKS = "reference-bibliography--"  # cited by author and year, and looked up by them


class Notes:
    """Where links lead, to be printed at the foot of the sheets that hold them."""

    def __init__(self, book):
        self.lines = {}
        self.book, self.pages_by_id = book, book.pages_by_id()

    def add(self, link, chapter):
        """Put a mark behind a link whose words do not say where it leads."""
        address, words = link.get("href"), link.text_content()
        explanation = link.getnext()
        if explanation is not None and explanation.get("class") == NOTE:
            explanation.drop_tree()
            line = etree.tostring(explanation, encoding="unicode", with_tail=False)
        elif address.startswith("#"):
            if address[1:].startswith(WORKS):
                return
            page = self.pages_by_id[address[1:]]
            if page is chapter and link.xpath("ancestor::table"):
                # Line for line of a table of contents a note would fill the sheet.
                number = f"<span> (page {page_of(address[1:])})</span>"
                link.addnext(lxml.html.fragment_fromstring(number))
                return
            place = "Page" if page is chapter else f"{html.escape(page.short)}, page"
            line = f"{place} {page_of(address[1:])}"
        else:
            # An address, or a number of arXiv or DOI that ends it, says it already.
            if address.endswith(words.split(":")[-1]):
                return
            line = f'<a href="{html.escape(address)}">{html.escape(address)}</a>'
        note = self.lines.setdefault(line, f"n{len(self.lines)}")
        mark = etree.Element("sup", {"class": "mark", "data-note": note})
        mark.text, mark.tail, link.tail = "00", link.tail, None
        link.addnext(mark)

    def html(self):
        return "\n".join(
            f'<p data-note="{note}"><sup>00</sup> {line}</p>'
            for line, note in self.lines.items()
        )


def page_of(name):
    """A place where the number of the page that bears this name is filled in."""
    return (
        f'<a href="#{name}"><span class="number" data-page-of="{name}">000</span></a>'
    )


def page_html(book, front, formulas, cover):
    """Return the long page, to be laid out by its script."""
    notes = Notes(book)
    sections = [bare(f'<div class="cover">{cover}</div>'), bare(front), contents(book)]
    for part in book.parts:
        if len(part.pages) > 1:
            sections.append(opener(part))
        sections += [chapter(page, part, formulas, notes) for page in part.pages]
    return PAGE.format(
        title=html.escape(book.metadata["title"]),
        mathjax=formulas.style,
        style=(TEMPLATES / "pdf.css").read_text("utf-8"),
        script=(TEMPLATES / "sheets.js").read_text("utf-8"),
        chapters="\n".join(sections),
        notes=notes.html(),
    )


def bare(content):
    return f"<section data-bare>{content}</section>"


def contents(book):
    lines = []
    for part in book.parts:
        lines.append(entry(part.title, part.id, "line of-part"))
        if len(part.pages) > 1:
            lines += map(chapter_entry, part.pages)
    title = '<h1 id="contents">Contents</h1>'
    return (
        f'<section data-part="" data-short="Contents">{title}{"".join(lines)}</section>'
    )


def chapter_entry(page):
    """The line of a chapter; a lesson's short name has its question behind it."""
    asks = chapters.kind(page.name) == "lesson"
    return entry(page.short, page.body.get("id"), question=page.title if asks else "")


def entry(title, name, kind="line", question=""):
    question_html = f" <i>{html.escape(question)}</i>" if question else ""
    return (
        f'<p class="{kind}"><a href="#{name}">{html.escape(title)}{question_html}</a>'
        f'<span class="number" data-page-of="{name}">000</span></p>'
    )


def opener(part):
    """The sheet before a part."""
    title = f'<h1 id="{part.id}">{html.escape(part.title)}</h1>'
    lines = "".join(map(chapter_entry, part.pages))
    return bare(f'<div class="opener"><div class="bar"></div>{title}{lines}</div>')


def chapter(page, part, formulas, notes):
    body = copied_body(page, without=NARROW)
    for place in with_class(body, "math"):
        set_formula(place, formulas.html[formula(place)])
    for link in list(body.iter("a")):
        if "to-solution" in (link.getparent().get("class") or ""):
            number = lxml.html.fragment_fromstring(
                f"<span>, page {page_of(link.get('href')[1:])}</span>"
            )
            link.addnext(number)
        elif link.getparent().get("class") != "admonition-title":
            notes.add(link, page)
    for block in list(body.iter("pre")):
        part_lines(block)
    for drawing in body.iter(f"{{{SVG}}}svg"):
        drawing.set("role", "img")  # else a drawing that holds links loses its words
    # A part's title is the first heading, a chapter's the second.
    alone = len(part.pages) == 1
    for element in list(body.iter()):
        if not alone and re.fullmatch("h[1-4]", element.tag):
            element.tag = f"h{int(element.tag[1]) + 1}"
        if element.tag not in EMPTY and element.text is None and len(element) == 0:
            element.text = ""
    if alone:
        body.find("h1").set("id", part.id)
    kind_line = (
        f'<p class="about">{html.escape(page.kind_and_minutes)}</p>'
        if page.kind_and_minutes
        else ""
    )
    name = body.attrib.pop("id")
    content = "".join(etree.tostring(e, encoding="unicode") for e in body)
    return (
        f'<section id="{name}"{" data-alone" * alone} data-part="{html.escape(part.title)}" '
        f'data-short="{html.escape(page.short)}">{kind_line}{content}</section>'
    )


def set_formula(place, drawn):
    tex = place.text_content().strip()[2:-2].strip()
    place.clear(keep_tail=True)
    place.append(lxml.html.fragment_fromstring(drawn))
    place[0].set("role", "img")
    place[0].set("aria-label", " ".join(tex.split()))
    place.set("class", "math")


def part_lines(block):
    """Part a text that is longer than a sheet."""
    lines = block.text_content().strip("\n").split("\n")
    if len(lines) > LINES:
        for at in range(0, len(lines), LINES):
            piece = etree.Element("pre")
            piece.text = "\n".join(lines[at : at + LINES])
            block.addprevious(piece)
        block.drop_tree()


def write(path, source, metadata):
    """Print the long page; return the number of sheets.

    Raises
    ------
    RuntimeError
        If something is larger than its sheet.
    """
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 794, "height": 1123})
        page.set_default_timeout(600_000)
        page.emulate_media(media="print")
        page.goto(source.as_uri())
        page.evaluate("document.fonts.ready")
        layout = page.evaluate("layOut()")
        page.pdf(
            path=path,
            prefer_css_page_size=True,
            tagged=True,
            outline=True,
            print_background=True,
        )
        browser.close()
    printed = finish(path, metadata, layout["headings"])
    if layout["over"]:
        raise RuntimeError(
            "The PDF has what does not fit on its page: " + "; ".join(layout["over"])
        )
    if printed != layout["sheets"]:
        raise RuntimeError(
            f"The PDF has {printed} pages; expected one for each of {layout['sheets']} sheets."
        )
    return printed


def finish(path, metadata, headings):
    """Say whose book it is, and write it in the smallest form; return the number of pages."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        day = f"D:{metadata['date'].replace('-', '')}000000Z"
        del pdf.docinfo
        pdf.docinfo["/Title"] = metadata["title"]
        pdf.docinfo["/Author"] = metadata["author"]
        pdf.docinfo["/CreationDate"] = pdf.docinfo["/ModDate"] = day
        with pdf.open_outline() as outline:
            mend(
                outline.root,
                {squeezed(heading): " ".join(heading.split()) for heading in headings},
            )
        pdf.Root.PageMode = pikepdf.Name.UseOutlines
        pdf.save(
            path,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            recompress_flate=True,
            compress_streams=True,
            deterministic_id=True,
        )
        return len(pdf.pages)


def mend(items, titles):
    """Give titles in the outline back the space that Chromium drops where a line of one ends."""
    for item in items:
        item.title = titles.get(squeezed(item.title), item.title)
        mend(item.children, titles)


def squeezed(text):
    return "".join(text.split())
