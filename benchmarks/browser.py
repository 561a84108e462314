"""The book's translator in Chromium, beside PyTorch with the same weights."""

import functools
import http.server
import statistics
import threading
import time
from pathlib import Path

import torch
from playwright.sync_api import sync_playwright

from tools import browser as chromium
from transformer_book import decode, nn
from transformer_book.data import EOS

from .targets import at_most

SITE = Path(__file__).resolve().parent.parent / "_build" / "html"
SENTENCE = "The girl sang happily in the small garden on Sunday."
TIMES = 15
LIMIT = 200  # ms
TRANSLATE = """async ([sentence, mode, times]) => {
    const js = '/_static/js';
    const { loadModel } = await import(`${js}/files/load.js`);
    const { readSentence } = await import(`${js}/files/tokens.js`);
    const { look, translations } = await import(`${js}/widgets/translator/translation.js`);
    const model = await loadModel();
    const taken = [];
    let source, tokens;
    for (let k = 0; k < times; k++) {
        const began = performance.now();
        source = [...readSentence(sentence, model.source).ids, 3];
        const way = { mode, begin: [], temperature: 1, seed: 1 };
        [{ tokens }] = translations(model, source, way);
        look(model, source, tokens, 1);
        taken.push(performance.now() - began);
    }
    return { source, tokens, taken };
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def by_browser(browser, address, mode):
    """Translate on a page just opened; return the ids read and written, and milliseconds."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}/search.html")
        return page.evaluate(TRANSLATE, [SENTENCE, mode, TIMES])


def by_torch(model, source, mode):
    """Translate by the package; return the ids written, and milliseconds."""
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        if mode == "greedy":
            ids = decode.greedy(model, torch.tensor([source]))[0]
        else:
            ids = decode.beam_search(model, torch.tensor([source]))[0][0].ids
        taken.append((time.perf_counter() - began) * 1e3)
    return ids, taken


def row(browser, address, mode, model):
    seen = by_browser(browser, address, mode)
    ids, theirs = by_torch(model, seen["source"], mode)
    assert seen["tokens"] == [*ids, EOS], (seen["tokens"], ids)
    first, again = seen["taken"][0], statistics.median(seen["taken"][1:])
    beside = again / statistics.median(theirs[1:])
    return (
        f"the translator in Chromium, 10 words, {mode}, with all weights of attention",
        f"{first:.0f} ms the first time, then {again:.0f} ms",
        f"{at_most(first, LIMIT, f'{LIMIT} ms')}; {beside:.1f} x the time of PyTorch",
    )


def rows():
    """Return a row for each way of decoding."""
    weights = SITE / "_static" / "model" / "model.safetensors"
    if not weights.exists():
        raise SystemExit(f"{weights} is missing; run make book first.")
    torch.set_num_threads(2)
    model = nn.load_weights(weights)
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    with sync_playwright() as playwright, torch.inference_mode():
        browser = chromium.launch(playwright)
        found = [row(browser, address, mode, model) for mode in ("greedy", "beam")]
    server.shutdown()
    return found
