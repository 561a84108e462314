"""Chromium, and the built site served on this machine."""

import contextlib
import functools
import http.server
import os
import threading

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import chromium as browsers


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # one connection for many files

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def address(site):
    handler = functools.partial(Quiet, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    required = os.environ.get("TRANSFORMER_BOOK_BROWSER") == "required"
    with sync_playwright() as playwright:
        if not os.path.exists(browsers.find(playwright)):
            message = "no Chromium here; install Debian's chromium, or run: playwright install chromium"
            (pytest.fail if required else pytest.skip)(message)
        browser = browsers.launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a page in a window of its own, which closes with the test."""
    with contextlib.ExitStack() as windows:
        yield functools.partial(_open, chromium, windows)


@pytest.fixture
def visit(open_page):
    return open_page


@pytest.fixture(scope="module")
def visit_once(chromium):
    """The same for pages that a module's tests share."""
    with contextlib.ExitStack() as windows:
        yield functools.partial(_open, chromium, windows)


def _open(
    browser, windows, url, width=1280, height=900, theme="light", early="", **options
):
    """Open a page and note what it says on the console and what it asks of other hosts."""
    size = {"width": width, "height": height}
    context = browser.new_context(viewport=size, color_scheme=theme, **options)
    windows.callback(context.close)
    if early:
        context.add_init_script(early)
    page = context.new_page()
    page.complaints, page.foreign = [], []
    page.on("console", lambda m: m.type == "error" and page.complaints.append(m.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("requestfailed", lambda r: page.complaints.append(f"failed: {r.url}"))
    page.on("request", lambda r: _own(r.url) or page.foreign.append(r.url))
    page.goto(url, wait_until="load")
    return page


def _own(url):
    return url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))
