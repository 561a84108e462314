"""Chromium, and the built site served on this machine."""

import contextlib
import functools
import http.server
import os
import threading
from collections import defaultdict

import pytest
from playwright.sync_api import Error, sync_playwright

from tools import browser as browsers

FORGET = "try { localStorage.clear(); sessionStorage.clear() } catch {}"


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many files

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """Serve a folder; yield its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def address(site):
    with served(site) as found:
        yield found


@pytest.fixture(scope="session")
def small(small_book):
    """The address of the small book of lessons and laboratories."""
    with served(small_book.html) as found:
        yield found


@pytest.fixture(scope="session")
def chromium():
    required = os.environ.get("TRANSFORMER_BOOK_BROWSER") == "required"
    with sync_playwright() as playwright:
        try:
            browser = browsers.launch(playwright)
        except browsers.NoBrowser as error:
            (pytest.fail if required else pytest.skip)(str(error))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def idle(chromium):
    """Windows that no test uses now, by what they were made with."""
    return defaultdict(list)


@pytest.fixture
def visit(chromium, idle):
    """Open a page as one who comes for the first time does, but for the browser's cache.

    The window goes to the next test: a new one costs more than most pages. A test that installs a
    clock or an early script, which stay, takes one of its own.
    """
    lent = []

    def open_page(
        url, width=1280, height=900, theme="light", early="", own=False, **options
    ):
        motion = options.pop("reduced_motion", "no-preference")
        kind = object() if own or early else repr(sorted(options.items()))
        page = idle[kind].pop() if idle[kind] else new_page(chromium, options)
        lent.append((kind, page))
        if early:
            page.add_init_script(early)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="screen", color_scheme=theme, reduced_motion=motion)
        page.complaints, page.foreign = [], []
        page.goto(url, wait_until="load")
        return page

    yield open_page
    for kind, page in lent:
        if isinstance(kind, str) and cleared(page):
            idle[kind].append(page)
        else:
            page.context.close()


def new_page(browser, options):
    """A page that notes what it says on the console and what it asks of other hosts."""
    page = browser.new_context(**options).new_page()
    page.on("console", lambda m: m.type == "error" and page.complaints.append(m.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("requestfailed", lambda r: page.complaints.append(f"failed: {r.url}"))
    page.on("request", lambda r: _own(r.url) or page.foreign.append(r.url))
    return page


def cleared(page):
    """Leave nothing of a test in its window; say whether that was possible."""
    with contextlib.suppress(Error):
        for other in page.context.pages:
            if other != page:
                other.close()
        page.unroute_all()
        page.evaluate(FORGET)
        page.goto("about:blank")
        page.mouse.move(0, 0)
        return True
    return False


def _own(url):
    return url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))


@pytest.fixture(scope="module")
def model(site):
    """The book's own model as the site ships it, in PyTorch."""
    from transformer_book import nn

    return nn.load_weights(site / "_static" / "model" / "model.safetensors").eval()
