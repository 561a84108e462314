"""Every page opened once, as by a reader who comes to the book for the first time.

What a static host sends for it is counted, and axe reads it in both themes.
"""

import contextlib
import functools
import gzip
import http.server
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.conftest import ROOT
from tools import chapters

PAGES = [chapters.name(path, ROOT) for path in chapters.pages(ROOT)]
PAGES += ["search", "genindex", "py-modindex"]
CORES = 2
PACKED = {
    ".png",
    ".woff",
    ".woff2",
}  # compressed already; a static host sends them as they are
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Only the rules about colours see a difference between the themes.
RULES = {"light": LEVELS, "dark": ["color-contrast", "link-in-text-block"]}
TIMEOUT = 120_000  # ms
FETCHED_AHEAD = """[...document.querySelectorAll('link[rel=prefetch]')].every(
    link => performance.getEntriesByName(link.href).length)"""


class StaticHost(http.server.SimpleHTTPRequestHandler):
    """Sends files as static hosts do, compressed and to be kept, and counts their bytes."""

    def __init__(self, *args, sent, **options):
        self.sent = sent
        super().__init__(*args, **options)

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        body, packed = path.read_bytes(), path.suffix in PACKED
        body = body if packed else gzip.compress(body, 6)
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


@contextlib.contextmanager
def static_host(site):
    """Yield the address of a host and what it has sent, bytes by path."""
    sent = {}
    handler = functools.partial(StaticHost, directory=str(site), sent=sent)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", sent
    server.shutdown()


@dataclass
class Seen:
    sent: dict  # bytes by path
    foreign: list  # addresses of other hosts
    violations: dict  # by theme


def of(site):
    """Return what was seen on each page, by name; as many browsers work as there are cores."""
    shares = [PAGES[core::CORES] for core in range(CORES)]
    with ThreadPoolExecutor(CORES) as pool:
        halves = pool.map(functools.partial(_share, site), shares)
        return {name: seen for half in halves for name, seen in half.items()}


def _share(site, names):
    with static_host(site) as (address, sent), sync_playwright() as playwright:
        browser = chromium.launch(playwright)
        return {name: _look(browser, address, name, sent) for name in names}


def _look(browser, address, name, sent):
    sent.clear()
    foreign = []
    with browser.new_context(color_scheme="light") as context:
        context.on(
            "request",
            lambda r: (
                r.url.startswith((address, "data:", "blob:")) or foreign.append(r.url)
            ),
        )
        page = context.new_page()
        page.goto(f"{address}/{name}.html", timeout=TIMEOUT)
        come_to_rest(page)
        weight = dict(sent)
        return Seen(
            weight, foreign, {theme: violations(page, theme) for theme in RULES}
        )


def come_to_rest(page):
    """Wait until formulas are set and nothing more is asked for."""
    page.evaluate("window.MathJax?.startup?.promise")
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle", timeout=TIMEOUT)
    page.wait_for_function(FETCHED_AHEAD, timeout=TIMEOUT)


def violations(page, theme):
    """Return what axe has to say at levels A and AA, a line for each element."""
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    page.wait_for_timeout(400)  # colours change gradually
    # axe cannot resolve the theme's @import; no rule at these levels needs style sheets.
    options = {"runOnly": RULES[theme], "resultTypes": ["violations"], "preload": False}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
