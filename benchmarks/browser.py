"""The book's translators in Chromium, beside PyTorch with the same weights."""

import functools
import http.server
import json
import statistics
import threading
import time

import torch
from playwright.sync_api import sync_playwright

from tools import ROOT
from tools.programs import browser as chromium
from transformer_book import decode, nn
from transformer_book.marks import EOS

from .targets import at_least, at_most

SITE = ROOT / "_build" / "html"
SENTENCE = "The girl sang happily in the small garden on Sunday."
TIMES = 15
LIMIT = 200  # ms
TRANSLATE = """async ([sentence, mode, times]) => {
    const js = '/_static/js';
    const { loadModel } = await import(`${js}/files/load.js`);
    const { readSentence } = await import(`${js}/files/tokens.js`);
    const { look, translations } = await import(`${js}/translator/translation.js`);
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
FIRST, PACE = 150, 15  # ms to the first character; characters a second from there
SOME = 20  # of Tatoeba's test sentences
BESIDE = 4  # times PyTorch's time, of a beam search
ENGINE = """async ([texts, mode]) => {
    const js = '/_static/js';
    const { folderOf } = await import(`${js}/files/folder.js`);
    const { Engine } = await import(`${js}/widgets/real_translator/engine.js`);
    const engine = new Engine(folderOf('tatoeba'), {});
    await engine.load(() => {});
    const found = [];
    for (const text of texts) {
        const began = performance.now();
        const source = [...(await engine.read(text)).ids, 3];
        const way = { mode, begin: [], temperature: 1, seed: 1 };
        let first;
        const hear = () => { first ??= performance.now() - began; };
        const [{ tokens }] = await engine.translate(source, way, hear);
        found.push({ source, tokens, first, all: performance.now() - began });
    }
    return found;
}"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def by_browser(browser, address, script, given):
    """Run a script on a page just opened; return what it found."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{address}/search.html")
        return page.evaluate(script, given)


def by_torch(model, source, mode, times=TIMES):
    """Translate by the package; return the ids written, and milliseconds."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        if mode == "greedy":
            ids = decode.greedy(model, torch.tensor([source]))[0]
        else:
            ids = decode.beam_search(model, torch.tensor([source]))[0][0].ids
        taken.append((time.perf_counter() - began) * 1e3)
    return ids, taken


def row(browser, address, mode, model):
    seen = by_browser(browser, address, TRANSLATE, [SENTENCE, mode, TIMES])
    ids, theirs = by_torch(model, seen["source"], mode)
    assert seen["tokens"] == [*ids, EOS], (seen["tokens"], ids)
    first, again = seen["taken"][0], statistics.median(seen["taken"][1:])
    beside = again / statistics.median(theirs[1:])
    return (
        f"the translator in Chromium, 10 words, {mode}, with all weights of attention",
        f"{first:.0f} ms the first time, then {again:.0f} ms",
        f"{at_most(first, LIMIT, f'{LIMIT} ms')}; {beside:.1f} x the time of PyTorch",
    )


def real_row(browser, address, mode, model, texts):
    """Measure the translator of real sentences in the thread in which a reader has it."""
    found = by_browser(browser, address, ENGINE, [texts, mode])
    theirs = 0.0
    for seen in found:
        ids, (_, again) = by_torch(model, seen["source"], mode, times=2)
        whole = seen["tokens"][-1] == EOS  # or else as long as it may be
        assert seen["tokens"] == ([*ids, EOS] if whole else ids), (seen["tokens"], ids)
        theirs += again
    first = [seen["first"] for seen in found]
    later = sum(seen["all"] - seen["first"] for seen in found) / 1e3
    pace = sum(len(seen["tokens"]) - 1 for seen in found) / later
    asked = ""
    if mode == "greedy":
        asked = f"{at_most(max(first), FIRST, f'{FIRST} ms')}; "
        asked += f"{at_least(pace, PACE, f'{PACE} a second')}; "
    beside = sum(seen["all"] for seen in found) / theirs
    limit = "" if mode == "greedy" else f" ({at_most(beside, BESIDE, f'{BESIDE} x')})"
    return (
        f"real sentences in Chromium, {len(found)} of Tatoeba's test, {mode}, in a worker",
        f"first character after {statistics.median(first):.0f} ms, at most {max(first):.0f} ms; "
        f"then {pace:.0f} characters a second",
        f"{asked}{beside:.1f} x the time of PyTorch{limit}",
    )


def rows():
    """Return a row for each way of decoding, of both translators."""
    weights = SITE / "_static" / "model" / "model.safetensors"
    real = SITE / "_static" / "tatoeba" / "model.safetensors"
    for path in (weights, real):
        if not path.exists():
            raise SystemExit(f"{path} is missing; run make book first.")
    said = SITE.parent / "numbers" / "tatoeba" / "translations.json"
    texts = [one["text"] for one in json.loads(said.read_text("utf-8"))[:SOME]]
    torch.set_num_threads(2)
    model, other = nn.load_weights(weights), nn.load_weights(real)
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    modes = ("greedy", "beam")
    with sync_playwright() as playwright, torch.inference_mode():
        browser = chromium.launch(playwright)
        found = [row(browser, address, mode, model) for mode in modes]
        found += [real_row(browser, address, mode, other, texts) for mode in modes]
    server.shutdown()
    return found
