"""What is asked of every page while it is open."""

import functools
import gzip
import http.server
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT

from tests.verdicts import ROOT, pages

PAGES = pages(ROOT)
SIZES = {1280: 900, 390: 844}  # width: height
# Compressed already; a static host sends them as they are.
PACKED = {".png", ".woff", ".woff2"}
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Only these see a difference between the themes.
COLOURS = ["color-contrast", "link-in-text-block"]
THEMES = ["light", "dark"]
# Of texts that look alike, by themselves and by all that they stand on, so many stay in the page, and
# RESTORE brings the others back: axe takes half a minute for a page of 20,000 elements.
SAMPLES = 3
PRUNE = """(samples) => {
    const plain = 'rgba(0, 0, 0, 0),none,1,static,none,normal';
    const grounds = new Map(), counts = new Map(), wanted = new Set(), undo = window.pruned = [];
    const ground = (e) => {
        if (!e || grounds.has(e)) return grounds.get(e) ?? '';
        const s = getComputedStyle(e);
        const own = [s.backgroundColor, s.backgroundImage, s.opacity, s.position, s.filter,
            s.mixBlendMode].join();
        grounds.set(e, own === plain ? ground(e.parentElement) : `${own}<${ground(e.parentElement)}`);
        return grounds.get(e);
    };
    const block = (e) =>
        getComputedStyle(e).display.startsWith('inline') ? block(e.parentElement) : e;
    const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode;
        if (text.data.trim() && !text.parentElement.closest('svg')) texts.push(text);
    }
    for (const text of texts) {
        const e = text.parentElement, link = e.closest('a'), around = link && block(link);
        if (!e.checkVisibility({ visibilityProperty: true })) continue;
        const s = getComputedStyle(e);
        const key = [e.tagName, e.getAttribute('class'), e.getAttribute('style'), s.color, s.fontSize,
            s.fontWeight, s.textShadow, ground(e), link && getComputedStyle(link).textDecorationLine,
            link && getComputedStyle(around).color].join('|');
        counts.set(key, (counts.get(key) ?? 0) + 1);
        if (counts.get(key) > samples) continue;
        wanted.add(text);  // and of a link what it is compared with
        if (link) texts.forEach((other) => around.contains(other) && wanted.add(other));
    }
    const fields = 'input, select, textarea, button';
    const empty = (e) => {  // axe compares no colours of drawings
        const full = e.textContent.trim() || e.matches(fields) || e.querySelector(fields);
        if (full && e.localName !== 'svg') [...e.children].forEach(empty);
        else if (e.childElementCount) {
            const children = [...e.childNodes];
            undo.unshift(() => e.replaceChildren(...children));
            e.replaceChildren();
        }
    };
    for (const text of texts) {
        if (wanted.has(text)) continue;
        const { data } = text;
        undo.unshift(() => { text.data = data; });
        text.data = '';
    }
    empty(document.body);
}"""
RESTORE = "() => window.pruned.forEach((step) => step())"
# The sum of web-vitals' "layout shift": what moved without the reader's doing, from the start on.
SHIFTS = """window.shifts = [];
new PerformanceObserver((list) => list.getEntries().forEach((entry) =>
    entry.hadRecentInput || shifts.push([entry.value, ...entry.sources.map(
        ({ node }) => node?.className || node?.parentElement?.className || '')])))
.observe({ type: 'layout-shift', buffered: true });"""
# What shows a browser at work; two frames after the last of it the page is at rest.
REST = """async () => {
    await document.fonts.ready;
    const alive = (w) => w.querySelector('.tb-live')?.childElementCount || 'lost' in w.dataset;
    const frame = () => new Promise((done) => setTimeout(done, 20));
    const fetched = (link) => performance.getEntriesByName(link.href).length;
    while (![...document.querySelectorAll('.tb-widget')].every(alive)
        || ![...document.querySelectorAll('link[rel=prefetch]')].every(fetched)) await frame();
    await frame();
    await frame();
}"""
# Colours would pass into each other, each at its own time.
ARRIVE = """() => document.getAnimations().forEach(
    (animation) => animation instanceof CSSTransition && animation.finish())"""
AT_ONCE = "*, ::before, ::after { transition: none !important }"
SEEN = """() => ({
    theme: document.documentElement.dataset.theme,
    // What would still have to be set in the page.
    failed: [...document.querySelectorAll('.math')].filter((e) => !e.querySelector('mjx-container'))
        .map((e) => e.textContent),
    raw: [...document.querySelectorAll('article :is(p, li, td, figcaption)')]
        .flatMap((e) => [...e.childNodes]).filter((node) => node.nodeType === 3)
        .flatMap((text) => text.data.match(/\\{(glue|cite|doc|ref|term|zh)[:`}]|```|\\$\\$/g) ?? []),
    // Code scrolls in its own box only where the reader has unfolded it and it must.
    cut: [...document.querySelectorAll('div.cell_input pre')]
        .filter((pre) => pre.checkVisibility() && pre.scrollWidth > pre.clientWidth)
        .map((pre) => pre.textContent.slice(0, 80)),
    bars: [...document.querySelectorAll('details.hide > summary')]
        .filter((bar) => bar.checkVisibility() && (bar.offsetHeight > 32
            || !bar.innerText.includes(bar.ariaLabel ?? '')
            || getComputedStyle(bar.querySelector('p')).fontWeight > 400))
        .map((bar) => [bar.innerText, bar.ariaLabel, bar.offsetHeight]),
    idle: [...document.querySelectorAll(':is(h1, .tb-minutes) + .cell:has(> details.hide)')]
        .map((cell) => cell.textContent.trim().slice(0, 80)),
})"""
# What is drawn where it is neither seen nor scrolled to.
CLIPPED = """() => {
    const edge = document.documentElement.clientWidth;
    const lost = (e, from, to) => {
        const { left, right, width } = e.getBoundingClientRect();
        return width && (left < from || right > to);
    };
    return [...document.querySelectorAll('article .tb-figure svg')].filter((svg) =>
        svg.checkVisibility() && !svg.closest('.tb-scroll')).flatMap((svg) => {
            const { left, right } = svg.getBoundingClientRect();
            const box = getComputedStyle(svg).overflow === 'visible'
                ? [0, edge + 1] : [Math.max(0, left - 2), Math.min(edge + 1, right + 2)];
            return [svg, ...svg.querySelectorAll('text')].filter((e) => lost(e, ...box));
        }).map((e) => e.textContent.trim().slice(0, 60));
}"""
# One look and one name for one thing, on every page.
LOOKS = """() => {
    const every = (what) => [...document.querySelectorAll(what)].filter((e) => e.checkVisibility());
    const colour = (e) => getComputedStyle(e).color;
    const light = (rgb) => rgb.match(/[\\d.]+/g).slice(0, 3)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const loud = (what) => every(`.highlight pre ${what}`)
        .map((e) => Math.abs(light(colour(e)) - paper));
    // A laboratory is nested under its lesson, and elsewhere goes by its own title.
    const named = new Map(every('.bd-sidebar-primary nav .toctree-l1 > a')
        .map((a) => [a.href.split('#')[0], a.firstChild.textContent.trim()]));
    const name = named.get(location.href.split(/[#?]/)[0]);
    const dull = every('.bd-header-article :is(a, button, label)').filter((e) => {
        e.focus({ focusVisible: true, preventScroll: true });
        const { outlineStyle, outlineWidth } = getComputedStyle(e);
        return e === document.activeElement
            && (outlineStyle === 'none' || parseFloat(outlineWidth) < 2);
    });
    document.activeElement.blur();
    return {
        focus: dull.map((e) => e.className),
        links: new Set(every('article :is(table, p) a[href]:not(.headerlink, [class*=btn])')
            .filter((a) => !a.closest('.tb-widget, .admonition, .sd-card')).map(colour)).size,
        shouting: Math.max(0, ...loud('.c1')) > Math.min(255, ...loud('.n')),
        over: every('body > *').filter((e) => getComputedStyle(e).position === 'fixed'
            && e.getBoundingClientRect().bottom > 0)
            .map((e) => e.id || e.className),
        names: [
            ...(name && !document.title.startsWith(name) ? [document.title] : []),
            ...every('.prev-next-area a').filter((a) => named.has(a.href)
                && named.get(a.href) !== a.querySelector('.prev-next-title').textContent.trim())
                .map((a) => a.textContent),
        ],
    };
}"""
# How much of the article visible code and output take; figures and widgets are no output.
SHARE = """() => {
    const boxes = [...document.querySelectorAll('article :is(div.cell_input, .cell_output > *)')]
        .filter((e) => e.checkVisibility() && !e.querySelector('figure, .tb-widget'));
    const high = boxes.reduce((sum, e) => sum + e.getBoundingClientRect().height, 0);
    return high / document.querySelector('article').getBoundingClientRect().height;
}"""
PRINTED = """() => {
    const shown = (e) => e.checkVisibility({ visibilityProperty: true }) && e.offsetWidth > 1;
    const every = (what) => [...document.querySelectorAll(what)].filter(shown);
    const name = (e) => `${e.tagName} ${e.className} ${e.innerText?.slice(0, 60)}`;
    const boxes = every('article figure, article p, article pre, article dt').filter(
        (e) => !e.closest('figure figure, figure > *, td, li')).map(
        (e) => [e, e.getBoundingClientRect()]);
    const over = boxes.slice(1).filter(([e, box], i) => !boxes[i][0].contains(e)
        && !e.contains(boxes[i][0]) && box.top < boxes[i][1].bottom - 2
        && box.left < boxes[i][1].right && boxes[i][1].left < box.right);
    return {
        dead: every('button, input, textarea, select, summary, .tb-intro, .tb-panel, '
            + '.tb-live table').map(name),
        cut: every('article :is(pre, mjx-container, .tb-scroll, svg)').filter((e) =>
            (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible')
            || e.getBoundingClientRect().right > innerWidth + 1).map(name),
        solutions: every('.solution .solution-content, .solution > :not(.admonition-title)')
            .map(name),
        over: over.map(([e]) => name(e)),
        parted: every('figure.tb-figure').filter((f) =>
            getComputedStyle(f).breakInside !== 'avoid').map(name),
    };
}"""


class StaticHost(http.server.SimpleHTTPRequestHandler):
    """Sends files as static hosts do, compressed and to be kept; notes them and their bytes."""

    protocol_version = "HTTP/1.1"  # one connection for many files

    def __init__(self, *args, sent, note, **options):
        self.sent, self.note = sent, note
        super().__init__(*args, **options)

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        self.note(path)
        if not path.is_file():
            return self.send_error(404)
        body, packed = _body(path)
        self.sent[self.path] = len(body)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", len(body))
        self.send_header("Cache-Control", "max-age=600")
        if not packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        return self.wfile.write(body)

    def log_message(self, *_):
        pass


@functools.cache
def _body(path):
    body, packed = path.read_bytes(), path.suffix in PACKED
    return body if packed else gzip.compress(body, 6), packed


def turn(page, theme):
    """Have the system ask for a theme; wait until the page has followed."""
    page.add_style_tag(content=AT_ONCE)
    page.emulate_media(media="screen", color_scheme=theme)
    page.wait_for_function(
        "(t) => document.documentElement.dataset.theme === t", arg=theme
    )


def come_to_rest(page):
    """Wait until formulas are set, widgets stand, and nothing more is asked for."""
    page.evaluate(REST)


def printed(page):
    """Return what would be wrong on A4 paper, by kind."""
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 718, "height": 1000})  # A4 less its margins
    try:
        return page.evaluate(PRINTED)
    finally:
        page.emulate_media(media="screen")


def violations(page, theme):
    """Return what axe has to say at levels A and AA, a line for each element.

    In the dark theme colours alone are asked about, for nothing else differs.
    """
    # What is still on its way from one colour to another arrives.
    page.evaluate(ARRIVE)
    found = []
    if theme == "light":
        found += _axe(page, LEVELS, {rule: {"enabled": False} for rule in COLOURS})
    page.evaluate(PRUNE, SAMPLES)
    found += _axe(page, COLOURS)
    page.evaluate(RESTORE)
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


def _axe(page, only, rules=None):
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    # axe cannot resolve the theme's @import; no rule at these levels needs style sheets.
    options = {"runOnly": only, "resultTypes": ["violations"], "preload": False}
    return page.evaluate(
        "(options) => axe.run(options).then(({ violations }) => violations)",
        options | {"rules": rules or {}},
    )
