"""Chromium, and the built site served on this machine."""

import functools
import http.server
import os
import threading

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import chromium as browsers
from tests.browser import survey as looking


class Quiet(http.server.SimpleHTTPRequestHandler):
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


@pytest.fixture(scope="session")
def survey(site, chromium):
    """What was sent for every page, and what axe says of it; only where there is a Chromium."""
    return looking.of(site)


@pytest.fixture
def visit(chromium):
    """Open a page and note what it says on the console and what it asks of other hosts."""
    contexts = []

    def open_page(url, width=1280, height=900, theme="light", **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=theme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.complaints, page.foreign = [], []
        page.on(
            "console", lambda m: m.type == "error" and page.complaints.append(m.text)
        )
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("requestfailed", lambda r: page.complaints.append(f"failed: {r.url}"))
        page.on("request", lambda r: _own(r.url) or page.foreign.append(r.url))
        page.goto(url, wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()


def _own(url):
    return url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:"))
