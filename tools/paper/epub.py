"""The EPUB: the pages as XHTML, formulas as MathML, and what EPUB 3 asks for around them.

The same site gives the same file, byte for byte.
"""

import html
import subprocess
import uuid
import zipfile
from pathlib import Path

from lxml import etree

from tools.programs import EPUBCHECK_COMMAND

from .composition import Book, copy_body_without
from .markup import (
    MATHML_NAMESPACE,
    NOTE_CLASS,
    SVG_NAMESPACE,
    WIDE_DRAWING_CLASS,
    find_by_class,
)
from .site_pages import PaperPage

STYLE_SHEET_PATH = Path(__file__).parent / "templates" / "epub.css"
ZIP_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a ZIP can name
TAGS_BY_MANIFEST_PROPERTY = {"mathml": "<math", "svg": "<svg", "nav": "<nav"}
MAX_SHORT_FORMULA_ELEMENTS = (
    40  # elements of a formula that may be wider than a small screen
)
EMPTY_ELEMENT_TAGS = {"br", "hr", "img"}
CONTAINER_XML = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/>\
</rootfiles>
</container>
"""
XHTML_TEMPLATE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" \
xml:lang="en">
<head><title>{title}</title><link rel="stylesheet" href="book.css"/></head>
<body>
{body}
</body>
</html>
"""
PACKAGE_TEMPLATE = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">{identifier}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:creator>{author}</dc:creator>
<dc:language>en</dc:language>
<dc:date>{date}</dc:date>
<dc:description>{abstract}</dc:description>
<dc:rights>Text and figures: CC BY 4.0. Code: BSD 3-Clause.</dc:rights>
<meta property="dcterms:modified">{date}T00:00:00Z</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
<meta property="schema:accessibilitySummary">Every figure says in words what it shows; \
formulas are MathML.</meta>
</metadata>
<manifest>
<item id="style" href="book.css" media-type="text/css"/>
<item id="picture" href="cover.png" media-type="image/png" properties="cover-image"/>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""


def write_epub(epub_path: Path, book: Book, front_xhtml, cover_png):
    """Write the EPUB.

    Parameters
    ----------
    epub_path : pathlib.Path
    book : Book
    front_xhtml : str
        What stands before the contents, as XHTML.
    cover_png : bytes
        A PNG.
    """
    files = {page.name: f"{page.name.replace('/', '-')}.xhtml" for page in book.pages}
    places = {name: files[page.name] for name, page in book.pages_by_id().items()}
    escaped = {key: html.escape(str(value)) for key, value in book.metadata.items()}
    picture = f'<p class="cover"><img src="cover.png" alt="{escaped["title"]}"/></p>'
    documents = {
        "cover.xhtml": (book.metadata["title"], picture),
        "title.xhtml": ("About this book", front_xhtml),
        "nav.xhtml": ("Contents", contents_html(book, files)),
    }
    for part in book.parts:
        for page in part.pages:
            first = page is part.pages[0] and page.short != part.title
            above = f'<p class="part">{html.escape(part.title)}</p>\n' if first else ""
            text = above + page_xhtml(page, places)
            documents[files[page.name]] = page.short, text
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, book.metadata["repository"]).urn
    items = [manifest_item(name, text) for name, (_, text) in documents.items()]
    spine = [f'<itemref idref="{Path(name).stem}-page"/>' for name in documents]
    package = PACKAGE_TEMPLATE.format(
        **escaped, identifier=identifier, items="\n".join(items), spine="\n".join(spine)
    )
    with zipfile.ZipFile(epub_path, "w", zipfile.ZIP_DEFLATED) as archive:
        # First and not compressed, so that the file says at its beginning what it is.
        add_undated_file(
            archive, "mimetype", "application/epub+zip", zipfile.ZIP_STORED
        )
        add_undated_file(archive, "META-INF/container.xml", CONTAINER_XML)
        add_undated_file(archive, "book/package.opf", package)
        add_undated_file(archive, "book/book.css", STYLE_SHEET_PATH.read_text("utf-8"))
        add_undated_file(archive, "book/cover.png", cover_png)
        for name, (title, text) in documents.items():
            document = XHTML_TEMPLATE.format(title=html.escape(title), body=text)
            add_undated_file(archive, f"book/{name}", document)


def add_undated_file(archive, name: str, content, compression=zipfile.ZIP_DEFLATED):
    """Add a file that bears no date."""
    entry = zipfile.ZipInfo(name, ZIP_DATE)
    entry.compress_type = compression
    archive.writestr(entry, content)


def contents_html(book: Book, file_names_by_page) -> str:
    """The contents, parts and their pages, as EPUB readers want them."""
    lines = ['<nav epub:type="toc" id="toc"><h1>Contents</h1>', "<ol>"]
    for part in book.parts:
        first = file_names_by_page[part.pages[0].name]
        lines.append(f'<li><a href="{first}">{html.escape(part.title)}</a>')
        if len(part.pages) > 1:
            lines.append("<ol>")
            lines += [
                f'<li><a href="{file_names_by_page[page.name]}">{html.escape(page.short)}</a></li>'
                for page in part.pages
            ]
            lines.append("</ol>")
        lines.append("</li>")
    return "\n".join([*lines, "</ol></nav>"])


def page_xhtml(page: PaperPage, file_names_by_id):
    """A page's XHTML, its formulas as MathML, its links to the files of the book."""
    body = copy_body_without(page, omitted_class=WIDE_DRAWING_CLASS)
    for definition in find_by_class(body, NOTE_CLASS):
        definition.drop_tree()
    for place in find_by_class(body, "math"):
        math = next(place.iter("math"))
        math.set("xmlns", MATHML_NAMESPACE)
        for element in math.iter():
            for key in [name for name in element.attrib if name.startswith("data-")]:
                del element.attrib[key]
        place.clear(keep_tail=True)
        place.set(
            "class",
            "math long"
            if len(list(math.iter())) > MAX_SHORT_FORMULA_ELEMENTS
            else "math",
        )
        place.append(math)
    for link in body.iter("a", f"{{{SVG_NAMESPACE}}}a"):
        address = link.get("href")
        if address.startswith("#"):
            there = file_names_by_id[address[1:]]
            link.set(
                "href",
                address
                if there == file_names_by_id[body.get("id")]
                else there + address,
            )
    for drawing in body.iter(f"{{{SVG_NAMESPACE}}}svg"):
        drawing.set("class", "drawing")
        for link in drawing.iter(f"{{{SVG_NAMESPACE}}}a"):
            # A drawing that holds links is more than a picture.
            drawing.set("role", "document")
            title = etree.Element(f"{{{SVG_NAMESPACE}}}title")
            title.text = link.get("aria-label")
            link.insert(0, title)
    for table in list(body.iter("table")):
        frame = etree.Element("div", {"class": "wide"})
        frame.tail, table.tail = table.tail, None
        table.addprevious(frame)
        frame.append(table)
    for element in body.iter():
        if (
            element.tag not in EMPTY_ELEMENT_TAGS
            and element.text is None
            and len(element) == 0
        ):
            element.text = ""
        if element.get("lang"):
            element.set(
                "{http://www.w3.org/XML/1998/namespace}lang", element.get("lang")
            )
    if page.kind_and_minutes:
        line = etree.Element("p", {"class": "about"})
        line.text = page.kind_and_minutes
        body.find("h1").addprevious(line)
    return etree.tostring(body, encoding="unicode", with_tail=False)


def manifest_item(file_name: str, xhtml: str) -> str:
    """The line of a document in the manifest."""
    held = [kind for kind, mark in TAGS_BY_MANIFEST_PROPERTY.items() if mark in xhtml]
    properties = f' properties="{" ".join(held)}"' if held else ""
    return (
        f'<item id="{Path(file_name).stem}-page" href="{file_name}" '
        f'media-type="application/xhtml+xml"{properties}/>'
    )


def check_epub(epub_path):
    """Have epubcheck read the EPUB.

    Raises
    ------
    RuntimeError
        If it finds an error or a warning.
    """
    command = [*EPUBCHECK_COMMAND, "--failonwarnings", str(epub_path)]
    result = subprocess.run(
        command, capture_output=True, text=True, errors="replace", encoding="utf-8"
    )
    if result.returncode:
        raise RuntimeError(f"epubcheck found faults:\n{result.stderr}{result.stdout}")
