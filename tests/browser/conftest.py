"""Chromium, and the built site served on this machine."""

import contextlib
import functools
import http.server
import os
import threading
import urllib.parse
import urllib.request
from collections import defaultdict

import pytest
from playwright.sync_api import Error, expect, sync_playwright

from tests.verdicts import unit_of
from tools.programs import browser as browsers

FORGET = "try { localStorage.clear(); sessionStorage.clear() } catch {}"
# As long as everything else waits; its own five seconds are too few for a busy machine.
expect.set_options(timeout=30_000)


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and notes what it is asked for."""

    protocol_version = "HTTP/1.1"  # one connection for many files

    def __init__(self, *args, note, **options):
        self.note = note
        super().__init__(*args, **options)

    def send_head(self):
        self.note(self.translate_path(self.path))
        return super().send_head()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A browser that leaves a page hangs up."""


@contextlib.contextmanager
def served(handler, folder, **options):
    """Serve a folder; yield its address."""
    handler = functools.partial(handler, directory=str(folder), **options)
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def note(request):
    """Note that a module uses a file; see ``tests.verdicts``."""
    verdicts = request.config.pluginmanager.get_plugin("verdicts")
    return functools.partial(verdicts.note, unit=unit_of(request.node.nodeid))


@pytest.fixture(scope="module")
def address(site, note):
    """The site under an address of this module's own, so that no cache hides what it asks for."""
    with served(Quiet, site, note=note) as found:
        yield found


@pytest.fixture(scope="session")
def small(small_book):
    """The address of the small book of lessons and laboratories."""
    with served(Quiet, small_book.html, note=lambda path: None) as found:
        yield found


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def chromium(playwright):
    """A browser for each module: one that has run for 17 minutes ends itself."""
    required = os.environ.get("TRANSFORMER_BOOK_BROWSER") == "required"
    required = required or os.environ.get("TRANSFORMER_BOOK_REQUIRE") == "all"
    try:
        browser = browsers.launch_chromium(playwright)
    except browsers.NoBrowserError as error:
        (pytest.fail if required else pytest.skip)(str(error))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def idle(chromium):
    """Windows that no test uses now, by what they were made with."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium, idle, note):
    """Open a page as one who comes for the first time does, but for the browser's cache.

    The window goes to the next test: a new one costs more than most pages. A test that installs a
    clock or an early script, which stay, takes one of its own.
    """
    lent = []

    def open_page(
        url, width=1280, height=900, theme="light", early="", own=False, **options
    ):
        look = {"width": width, "height": height, "theme": theme}
        look["motion"] = options.pop("reduced_motion", "no-preference")
        kind = object() if own or early else repr(sorted(options.items()))
        page = idle[kind].pop() if idle[kind] else new_page(chromium, options)
        lent.append((kind, page))
        if early:
            page.add_init_script(early)
        page.note = note
        show(page, url, **look)
        return page

    yield open_page
    for kind, page in lent:
        if isinstance(kind, str) and cleared(page):
            idle[kind].append(page)
        else:
            page.context.close()


def failed(page, request):
    """Complain of a request without an answer, unless the page itself or the next one ended it."""
    if request.failure != "net::ERR_ABORTED":
        page.complaints.append(f"failed: {request.url}")


def show(page, url, width, height, theme, motion="no-preference"):
    """Go to a page in a window of this size, for a reader with these wishes."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(media="screen", color_scheme=theme, reduced_motion=motion)
    page.complaints, page.foreign = [], []
    page.goto(url, wait_until="load")


def new_page(browser, options):
    """A page that notes what it says on the console and what it asks of other hosts."""
    page = browser.new_context(**options).new_page()
    page.on("console", lambda m: m.type == "error" and page.complaints.append(m.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("requestfailed", lambda r: failed(page, r))
    page.on("request", lambda r: _own(r.url) or page.foreign.append(r.url))
    page.on(
        "request", lambda r: r.url.startswith("file:") and page.note(file_of(r.url))
    )
    return page


def file_of(url):
    return urllib.request.url2pathname(urllib.parse.urlsplit(url).path)


def cleared(page):
    """Leave nothing of a test in its window; say whether that was possible."""
    with contextlib.suppress(Error):
        for other in page.context.pages:
            if other != page:
                other.close()
        page.unroute_all()
        page.evaluate(FORGET)
        page.note = lambda path: None
        page.goto("about:blank")
        page.mouse.move(0, 0)
        return True
    return False


def _own(url):
    return url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))
