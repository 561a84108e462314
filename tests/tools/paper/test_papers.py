"""Both papers hold what the site holds, and nothing that leads nowhere."""

import posixpath
import re
from collections import Counter

import lxml.html
import pikepdf
import pytest

from tests.conftest import ROOT
from tools.pages import book_pages
from tools.paper import site_links

pytestmark = pytest.mark.build
XHTML, SVG = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/2000/svg}"
SITE_PAGES = [book_pages.page_name(path, ROOT) for path in book_pages.page_paths(ROOT)]
# What the packages offer is looked up on the site.
PACKAGE_PAGES = {f"reference/{name}" for name in ("api", "api_measured", "api_printed")}
PAGES = [name for name in SITE_PAGES if name not in PACKAGE_PAGES]


@pytest.fixture(scope="module")
def articles(site):
    """What the site's pages say, parsed by another parser's rules than the papers' own."""
    return {
        name: lxml.html.parse(str(site / f"{name}.html")).find(".//article")
        for name in PAGES
    }


def words(element):
    return " ".join("".join(element.itertext()).split())


def titles(articles):
    return [words(article.find(".//h1")).rstrip("#") for article in articles.values()]


def outline(items):
    for item in items:
        yield item.title
        yield from outline(item.children)


def structure(pdf):
    """The elements of the PDF's structure, which readers aloud follow."""
    waiting = [pdf.Root.StructTreeRoot]
    while waiting:
        element = waiting.pop()
        if isinstance(element, pikepdf.Array):
            waiting += list(element)
        elif isinstance(element, pikepdf.Dictionary):
            yield element
            if "/K" in element:
                waiting.append(element.K)


def test_every_page_s_title_is_in_both(articles, epub, pdf):
    in_epub = {
        words(h)
        for name, tree in epub.items()
        if name.endswith(".xhtml")
        for h in tree.iter(f"{XHTML}h1")
    }
    with pdf.open_outline() as tree:
        in_pdf = {" ".join(title.split()) for title in outline(tree.root)}
    for title in titles(articles):
        assert title in in_epub and title in in_pdf, title


def test_the_pages_of_the_packages_are_left_to_the_site(articles, epub, pdf):
    with pdf.open_outline() as tree:
        in_pdf = {" ".join(title.split()) for title in outline(tree.root)}
    assert set(SITE_PAGES) > PACKAGE_PAGES and not PACKAGE_PAGES & set(articles)
    assert not {"The package", "The laboratory's package"} & in_pdf
    assert not any("reference-api" in name for name in epub)


def test_the_parts_stand_in_the_order_of_reading(pdf):
    with pdf.open_outline() as tree:
        first = [item.title for item in tree.root]
    parts = [
        "The tour",
        "Words",
        "Attention",
        "Transformer",
        "Beyond",
        "Workshop",
        "Laboratories",
        "Reference",
    ]
    assert [title for title in first if title in [*parts, "Solutions"]] == [
        *parts,
        "Solutions",
    ]
    assert first[-1] == "Solutions"


def test_every_figure_is_in_both_and_says_what_it_shows(articles, epub, pdf):
    figures = [
        f
        for a in articles.values()
        for f in a.xpath(".//figure[contains(@class, 'tb-figure')]")
    ]
    # Of a figure's two widths, the narrow one stands last; screens of readers are small.
    shown = Counter(
        (svg.get("aria-label"), svg.get("viewbox"))
        for svg in (figure.findall(".//svg")[-1] for figure in figures)
    )
    drawings = [
        d for n, t in epub.items() if n.endswith(".xhtml") for d in t.iter(f"{SVG}svg")
    ]
    assert len(figures) > 250 and shown == Counter(
        (d.get("aria-label"), d.get("viewBox")) for d in drawings
    )
    alts = {" ".join(str(e.Alt).split()) for e in structure(pdf) if "/Alt" in e}
    missing = [label for label, _ in shown if " ".join(label.split()) not in alts]
    assert missing == []


def test_every_link_in_the_epub_leads_somewhere(epub):
    names = {
        n: {e.get("id") for e in t.iter()}
        for n, t in epub.items()
        if n.endswith(".xhtml")
    }
    seen = 0
    for name in names:
        for link in epub[name].iter(f"{XHTML}a", f"{SVG}a"):
            to = link.get("href")
            if not re.match("https?://", to):
                path, _, fragment = to.partition("#")
                there = posixpath.join("book", path) if path else name
                assert there in names and (not fragment or fragment in names[there]), (
                    name,
                    to,
                )
                seen += 1
    assert seen > 1500


def test_every_link_in_the_pdf_leads_somewhere(articles, pdf):
    known = (
        {name for name, _ in pikepdf.NameTree(pdf.Root.Names.Dests).items()}
        if "/Names" in pdf.Root
        else set()
    )
    known |= {str(key).removeprefix("/") for key in pdf.Root.get("/Dests", {})}
    outside = {
        a.get("href") for article in articles.values() for a in article.iter("a")
    }
    seen = 0
    for page in pdf.pages:
        for note in page.get("/Annots", []):
            action = note.get("/A", {})
            if "/URI" in action:
                address = str(action.URI)
                assert address.startswith("https://") or address in outside, address
            else:
                to = note.get("/Dest", action.get("/D"))
                assert (
                    isinstance(to, pikepdf.Array) or str(to).removeprefix("/") in known
                ), to
                seen += 1
    assert seen > 2500


def test_solutions_stand_at_the_end_in_the_order_of_the_exercises(articles, epub):
    exercises, solved = [], []
    order = re.findall(r'idref="([^"]+)-page"', epub["book/package.opf"].decode())
    assert order[-1] == "solutions"
    for name in order:
        tree = epub[f"book/{name}.xhtml"]
        found = tree.xpath("//*[starts-with(@class, 'solution')]")
        assert bool(found) == (name == "solutions"), name
        exercises += tree.xpath("//*[starts-with(@class, 'exercise')]/@id")
        solved += [
            e.find(f"{XHTML}p/{XHTML}a").get("href").split("#")[1] for e in found
        ]
    assert exercises == solved
    of_site = sum(
        len(a.xpath(".//div[starts-with(@class, 'solution')]"))
        for a in articles.values()
    )
    assert len(solved) == of_site > 150


def test_each_exercise_leads_to_its_solution_with_the_page_in_the_pdf(papers):
    text = (papers.parent.parent / "paper" / "book.html").read_text("utf-8")
    leads = re.findall(r'<p class="to-solution">.*?data-page-of="([^"]+)".*?</p>', text)
    assert leads and sorted(leads) == sorted(
        re.findall(r'id="([^"]*--solution-[^"]+)"', text)
    )


def test_every_exercise_in_the_widget_leads_to_where_it_is_live(epub):
    seen = 0
    for name, tree in epub.items():
        if name.endswith(".xhtml") and tree.xpath("//*[@class='live']"):
            for exercise in tree.xpath("//*[starts-with(@class, 'exercise')]"):
                if "the widget" in words(exercise):
                    links = [a.get("href") for a in exercise.iter(f"{XHTML}a")]
                    assert any(to.endswith("-live") for to in links), words(exercise)
                    seen += 1
    assert seen > 5


def test_nothing_is_left_unrendered(epub, papers):
    printed = lxml.html.fromstring(
        (papers.parent.parent / "paper" / "book.html").read_bytes()
    )
    trees = [
        printed.find(".//main"),
        *(t for n, t in epub.items() if n.endswith(".xhtml")),
    ]
    for tree in trees:
        said = [
            piece
            for element in tree.iter()
            for piece in [
                element.text if is_prose(element) else "",
                element.tail if is_prose(element.getparent()) else "",
            ]
        ]
        text = " ".join(filter(None, said))
        found = re.search(
            r"\{(glue|cite|doc|ref|term|zh|poke)[:`}]|```|\$\$|\\[(\[a-zA-Z]|undefined",
            text,
        )
        assert not found, text[max(0, found.start() - 60) : found.end() + 60]


def is_prose(element):
    if element is None or not isinstance(element.tag, str):
        return False
    within = {e.tag.split("}")[-1] for e in [element, *element.iterancestors()]}
    return not within & {"pre", "code", "script", "style", "svg"}


def test_nothing_is_asked_of_another_host(epub, papers):
    for name, content in epub.items():
        if name.endswith(".xhtml"):
            for element in content.iter():
                for key, value in element.attrib.items():
                    if not (element.tag.endswith("}a") and key == "href"):
                        assert not re.match(
                            r"\s*(\w+:)?//|.*url\([\"']?\w*:?//", value
                        ), (name, key, value)
        elif name.endswith(".css"):
            assert b"url(" not in content and b"@import" not in content
    printed = (papers.parent.parent / "paper" / "book.html").read_text("utf-8")
    assert not re.search(r"""(src=|url\(|@import)\s*["']?(https?:)?//""", printed)


def test_both_are_light_and_bear_title_and_author(papers, pdf, epub):
    assert (papers / f"{site_links.PAPER_FILE_STEM}.pdf").stat().st_size < 20e6
    assert (papers / f"{site_links.PAPER_FILE_STEM}.epub").stat().st_size < 15e6
    package = epub["book/package.opf"].decode()
    author = "The Executable Transformer's developers"
    assert str(pdf.docinfo["/Title"]) == "The Executable Transformer"
    assert str(pdf.docinfo["/Author"]) == author
    assert author.replace("'", "&#x27;") in package and "CC BY 4.0" in package
    assert pdf.Root.MarkInfo.Marked and str(pdf.Root.Lang).startswith("en")


def test_every_page_s_foot_leads_to_both(papers, site):
    for name in PAGES:
        text = (site / f"{name}.html").read_text("utf-8")
        for kind in ("pdf", "epub"):
            (to,) = re.findall(
                rf'href="([^"]*{site_links.PAPER_FILE_STEM}\.{kind})"', text
            )
            assert (site / name).parent.joinpath(
                to
            ).resolve() == papers / f"{site_links.PAPER_FILE_STEM}.{kind}"


def fonts(pdf):
    for item in pdf.objects:
        if isinstance(item, pikepdf.Dictionary) and item.get("/Type") == "/Font":
            yield item


def characters(font):
    """What a font's table says that its glyphs are, for copying and searching."""
    table = font.ToUnicode.read_bytes().decode("latin-1")
    for block in re.findall("beginbfchar(.*?)endbfchar", table, re.S):
        yield from re.findall(r"> <(\w{4})>", block)
    for block in re.findall("beginbfrange(.*?)endbfrange", table, re.S):
        for first, last, to in re.findall(r"<(\w+)> <(\w+)> <(\w+)>", block):
            length = int(last, 16) - int(first, 16) + 1
            yield from (f"{int(to, 16) + k:04x}" for k in range(length))


def test_its_fonts_are_in_it_and_what_is_copied_is_what_is_read(articles, pdf):
    outlines = {"/FontFile", "/FontFile2", "/FontFile3"}
    for font in fonts(pdf):
        if "/FontDescriptor" in font and font.Subtype != "/Type3":
            assert outlines & set(font.FontDescriptor.keys()), font.BaseFont
    copied = {
        chr(int(code, 16))
        for font in fonts(pdf)
        if font.Subtype in ("/Type0", "/Type3")
        for code in characters(font)
    }
    text = "".join(article.text_content() for article in articles.values())
    chinese = set(re.findall("[\u4e00-\u9fff]", text))
    assert len(chinese) > 300 and chinese <= copied
