"""The cover, drawn from the book's attention, and the page that says what this is."""

import html

from playwright.sync_api import sync_playwright

from tools.programs.browser import launch_chromium
from tools.site.preview import SENTENCE_WORDS, relative_position_attention
from transformer_press.figures.kit.palette import PAGE_COLOURS, ROLES

CELL_SIZE, MAP_LEFT, MAP_TOP = 56, 250, 520
COVER_SIZE = 1200, 1697
DARK_COLOURS_BY_ROLE = {role: dark for role, (_, dark) in ROLES.items()}
COVER_SVG_TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 1697" width="1200" height="1697" \
role="img" aria-label="{title}" font-family="Liberation Sans, Arial, sans-serif">
<rect width="1200" height="1697" fill="{page_colour}"/>
<text x="96" y="196" font-size="92" font-weight="700" fill="#ffffff">The Executable</text>
<text x="96" y="300" font-size="92" font-weight="700" fill="#ffffff">Transformer</text>
<rect x="96" y="346" width="150" height="10" fill="{dark[q]}"/>
<rect x="246" y="346" width="150" height="10" fill="{dark[k]}"/>
<rect x="396" y="346" width="150" height="10" fill="{dark[v]}"/>
<rect x="546" y="346" width="150" height="10" fill="{dark[attention]}"/>
<text x="96" y="420" font-size="34" fill="#c9d1dc">Every figure, number and claim, computed</text>
{cells}
<text x="96" y="1600" font-size="28" fill="{dark[quiet]}">{author}</text>
</svg>"""


def cover_svg(metadata: dict[str, str]) -> str:
    """Draw which earlier places each word of the book's sentence would look at by position alone."""
    strengths = relative_position_attention()
    cells = []
    for row, word in enumerate(SENTENCE_WORDS):
        y = MAP_TOP + row * CELL_SIZE
        cells.append(
            f'<text x="{MAP_LEFT - 22}" y="{y + 36}" font-size="28" text-anchor="end" '
            f'fill="{DARK_COLOURS_BY_ROLE["ink"]}">{word}</text>'
        )
        for column in range(row + 1):
            cells.append(
                f'<rect x="{MAP_LEFT + column * CELL_SIZE}" y="{y}" width="{CELL_SIZE - 6}" '
                f'height="{CELL_SIZE - 6}" rx="9" fill="{DARK_COLOURS_BY_ROLE["attention"]}" '
                f'fill-opacity="{strengths[row, column]:.3f}"/>'
            )
    shown = {key: html.escape(str(value)) for key, value in metadata.items()}
    return COVER_SVG_TEMPLATE.format(
        cells="\n".join(cells),
        dark=DARK_COLOURS_BY_ROLE,
        page_colour=PAGE_COLOURS[1],
        **shown,
    )


def render_png(svg: str) -> bytes:
    """Return the drawn cover as PNG, for readers that show no SVG."""
    wide, high = COVER_SIZE
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        page = browser.new_page(viewport={"width": wide, "height": high})
        page.set_content(
            f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{svg}"
        )
        png = page.screenshot()
        browser.close()
    return png


def title_page_xhtml(metadata: dict[str, str], reading_hint):
    """Return the page after the cover, as XHTML; ``reading_hint`` says how this form of the book is read."""
    shown = {key: html.escape(str(value)) for key, value in metadata.items()}
    return TITLE_PAGE_TEMPLATE.format(**shown, how=reading_hint)


TITLE_PAGE_TEMPLATE = """<section class="front" id="front">
<h1>{title}</h1>
<p class="subtitle">{abstract}</p>
<p>{author}<br/>Version {version}, {date}</p>
<h2>What this is</h2>
<p>This is the book’s site for reading away from it: the tour, the lessons, the laboratories, which
prove and measure, and the reference, without the pages that list what the packages hold. It has every
figure of the site, and the code that stands open
there. Code that the site folds away is in its notebooks. The solutions of the exercises are at the end
of the book.</p>
<p>Some figures of the site, its widgets, are live. Where one stands, this book prints its still form, if
it has one, and names the page of the site that brings it to life, such as <code>tour.html</code>. That is
the name of a file. The site is built from its source at <a href="{repository}">{repository}</a> by one
command, <code>make book</code>, and <code>make serve</code> then shows it in a browser.</p>
<p>{how}</p>
<p>The numbers were computed when the site was built. This book was made from that site by one command,
<code>make paper</code>.</p>
<h2>Licences</h2>
<p>Text and figures: <a href="https://creativecommons.org/licenses/by/4.0/">CC BY 4.0</a>. Code:
<a href="https://opensource.org/license/bsd-3-clause">BSD 3-Clause</a>. You may copy, change and share
both, if you say whose work it was.</p>
</section>"""
