"""The PDF: all pages of the book as one long page, which Chromium lays out on sheets and prints."""

import html
import re
from pathlib import Path

import lxml.html
import pikepdf
from lxml import etree
from playwright.sync_api import sync_playwright

from tools.pages import book_pages
from tools.programs.browser import launch_chromium
from transformer_press.figures.kit.palette import ROLES

from .composition import Book, BookPart, copy_body_without
from .markup import NARROW_DRAWING_CLASS, NOTE_CLASS, SVG_NAMESPACE, find_by_class
from .site_pages import PaperPage

TEMPLATE_FOLDER = Path(__file__).parent / "templates"
MAX_CODE_BLOCK_LINES = 40  # that a block of text has at most
EMPTY_ELEMENT_TAGS = {"br", "hr", "img"}
PAGE_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="{formula_style}"><style>{style}</style><script>{script}</script></head>
<body><main>
{pages}
</main><div id="probe"></div><div id="notes">
{notes}
</div></body></html>
"""
BIBLIOGRAPHY_ID_PREFIX = (
    "reference-bibliography--"  # cited by author and year, and looked up by them
)


class Footnotes:
    """Where links lead, to be printed at the foot of the sheets that hold them."""

    def __init__(self, book):
        self.lines = {}
        self.book, self.pages_by_id = book, book.pages_by_id()

    def add_note(self, link_element, page: PaperPage):
        """Put a mark behind a link whose words do not say where it leads."""
        address, words = link_element.get("href"), link_element.text_content()
        explanation = link_element.getnext()
        if explanation is not None and explanation.get("class") == NOTE_CLASS:
            explanation.drop_tree()
            line = etree.tostring(explanation, encoding="unicode", with_tail=False)
        elif address.startswith("#"):
            if address[1:].startswith(BIBLIOGRAPHY_ID_PREFIX):
                return
            target = self.pages_by_id[address[1:]]
            if target is page and link_element.xpath("ancestor::table"):
                # Line for line of a table of contents a note would fill the sheet.
                number = f"<span> (page {page_number_link(address[1:])})</span>"
                link_element.addnext(lxml.html.fragment_fromstring(number))
                return
            place = "Page" if target is page else f"{html.escape(target.short)}, page"
            line = f"{place} {page_number_link(address[1:])}"
        else:
            # An address, or a number of arXiv or DOI that ends it, says it already.
            if address.endswith(words.split(":")[-1]):
                return
            line = f'<a href="{html.escape(address)}">{html.escape(address)}</a>'
        note = self.lines.setdefault(line, f"n{len(self.lines)}")
        mark = etree.Element("sup", {"class": "mark", "data-note": note})
        mark.text, mark.tail, link_element.tail = "00", link_element.tail, None
        link_element.addnext(mark)

    def html(self) -> str:
        return "\n".join(
            f'<p data-note="{note}"><sup>00</sup> {line}</p>'
            for line, note in self.lines.items()
        )


def page_number_link(target_id: str) -> str:
    """A place where the number of the page that bears this name is filled in."""
    return f'<a href="#{target_id}"><span class="number" data-page-of="{target_id}">000</span></a>'


def book_html(book: Book, front_html, cover_svg, formula_style_address):
    """Return the long page, which its script lays out; ``formula_style_address`` is a style sheet's."""
    notes = Footnotes(book)
    sections = [
        bare_section_html(f'<div class="cover">{cover_svg}</div>'),
        bare_section_html(front_html),
        table_of_contents_html(book),
    ]
    for part in book.parts:
        if len(part.pages) > 1:
            sections.append(part_opener_html(part))
        sections.append(part_html(part, notes))
    return PAGE_TEMPLATE.format(
        title=html.escape(book.metadata["title"]),
        formula_style=formula_style_address,
        style=style_sheet_text(),
        script=(TEMPLATE_FOLDER / "sheets.js").read_text("utf-8"),
        pages="\n".join(sections),
        notes=notes.html(),
    )


def style_sheet_text() -> str:
    """Return the style of the long page, its first rule the light colours of the figures' roles."""
    colours = " ".join(f"--tb-{role}: {light};" for role, (light, _) in ROLES.items())
    return f":root {{ {colours} }}\n{(TEMPLATE_FOLDER / 'pdf.css').read_text('utf-8')}"


def bare_section_html(content_html: str) -> str:
    return f"<section data-bare>{content_html}</section>"


def table_of_contents_html(book: Book) -> str:
    lines = []
    for part in book.parts:
        lines.append(contents_line_html(part.title, part.id, "line of-part"))
        if len(part.pages) > 1:
            lines += map(page_contents_line, part.pages)
    title = '<h1 id="contents">Contents</h1>'
    return (
        f'<section data-part="" data-short="Contents">{title}{"".join(lines)}</section>'
    )


def page_contents_line(page: PaperPage) -> str:
    """The line of a page; a lesson's short name has its question behind it."""
    asks = book_pages.page_kind(page.name) == "lesson"
    return contents_line_html(
        page.short, page.body.get("id"), question=page.title if asks else ""
    )


def contents_line_html(title, target_id, css_class="line", question="") -> str:
    question_html = f" <i>{html.escape(question)}</i>" if question else ""
    return (
        f'<p class="{css_class}"><a href="#{target_id}">{html.escape(title)}{question_html}</a>'
        f'<span class="number" data-page-of="{target_id}">000</span></p>'
    )


def part_opener_html(part: BookPart) -> str:
    """The sheet before a part."""
    title = f'<h1 id="{part.id}">{html.escape(part.title)}</h1>'
    lines = "".join(map(page_contents_line, part.pages))
    return bare_section_html(
        f'<div class="opener"><div class="bar"></div>{title}{lines}</div>'
    )


def part_html(part: BookPart, footnotes: Footnotes) -> str:
    """The pages of a part, one after the other: a sheet that is half empty takes the next."""
    pages = [page_html(page, part, footnotes) for page in part.pages]
    if len(pages) == 1:
        return pages[0]
    title, content = html.escape(part.title), "\n".join(pages)
    return f'<section class="of-part" data-part="{title}" data-short="{title}">{content}</section>'


def page_html(page: PaperPage, part: BookPart, footnotes: Footnotes) -> str:
    body = copy_body_without(page, omitted_class=NARROW_DRAWING_CLASS)
    for formula in find_by_class(body, "math"):
        next(formula.iter("mjx-assistive-mml")).drop_tree()
        tex = " ".join(formula.attrib.pop("data-tex").split())
        next(formula.iter("mjx-container")).attrib.update(
            {"role": "img", "aria-label": tex}
        )
    for link_element in list(body.iter("a")):
        if "to-solution" in (link_element.getparent().get("class") or ""):
            number = lxml.html.fragment_fromstring(
                f"<span>, page {page_number_link(link_element.get('href')[1:])}</span>"
            )
            link_element.addnext(number)
        elif link_element.getparent().get("class") != "admonition-title":
            footnotes.add_note(link_element, page)
    for block in list(body.iter("pre")):
        split_long_code_block(block)
    for drawing in body.iter(f"{{{SVG_NAMESPACE}}}svg"):
        drawing.set("role", "img")  # else a drawing that holds links loses its words
    # A part's title is the first heading, a page's the second.
    alone = len(part.pages) == 1
    for element in list(body.iter()):
        if not alone and re.fullmatch("h[1-4]", element.tag):
            element.tag = f"h{int(element.tag[1]) + 1}"
        if (
            element.tag not in EMPTY_ELEMENT_TAGS
            and element.text is None
            and len(element) == 0
        ):
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


def split_long_code_block(block):
    """Part a text that is longer than a sheet."""
    lines = block.text_content().strip("\n").split("\n")
    if len(lines) > MAX_CODE_BLOCK_LINES:
        for at in range(0, len(lines), MAX_CODE_BLOCK_LINES):
            piece = etree.Element("pre")
            piece.text = "\n".join(lines[at : at + MAX_CODE_BLOCK_LINES])
            block.addprevious(piece)
        block.drop_tree()


def print_pdf(pdf_path, html_path, metadata):
    """Print the long page; return the number of sheets.

    Raises
    ------
    RuntimeError
        If something is larger than its sheet.
    """
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        page = browser.new_page(viewport={"width": 794, "height": 1123})
        page.set_default_timeout(600_000)
        page.emulate_media(media="print")
        page.goto(html_path.as_uri())
        page.evaluate("document.fonts.ready")
        layout = page.evaluate("layOut()")
        page.pdf(
            path=pdf_path,
            prefer_css_page_size=True,
            tagged=True,
            outline=True,
            print_background=True,
        )
        browser.close()
    printed = add_metadata_and_compress(pdf_path, metadata, layout["headings"])
    if layout["over"]:
        raise RuntimeError(
            "The PDF has what does not fit on its page: " + "; ".join(layout["over"])
        )
    if printed != layout["sheets"]:
        raise RuntimeError(
            f"The PDF has {printed} pages; expected one for each of {layout['sheets']} sheets."
        )
    return printed


def add_metadata_and_compress(pdf_path, metadata, heading_texts):
    """Say whose book it is, and write it in the smallest form; return the number of pages."""
    with pikepdf.open(pdf_path, allow_overwriting_input=True) as pdf:
        day = f"D:{metadata['date'].replace('-', '')}000000Z"
        del pdf.docinfo
        pdf.docinfo["/Title"] = metadata["title"]
        pdf.docinfo["/Author"] = metadata["author"]
        pdf.docinfo["/CreationDate"] = pdf.docinfo["/ModDate"] = day
        with pdf.open_outline() as outline:
            restore_outline_spaces(
                outline.root,
                {
                    remove_spaces(heading): " ".join(heading.split())
                    for heading in heading_texts
                },
            )
        pdf.Root.PageMode = pikepdf.Name.UseOutlines
        pdf.save(
            pdf_path,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            recompress_flate=True,
            compress_streams=True,
            deterministic_id=True,
        )
        return len(pdf.pages)


def restore_outline_spaces(outline_items, titles_without_spaces):
    """Give titles in the outline back the space that Chromium drops where a line of one ends."""
    for item in outline_items:
        item.title = titles_without_spaces.get(remove_spaces(item.title), item.title)
        restore_outline_spaces(item.children, titles_without_spaces)


def remove_spaces(text: str) -> str:
    return "".join(text.split())
