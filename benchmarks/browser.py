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
from transformer_book.special_ids import EOS

from .targets import format_maximum, format_minimum

SITE_FOLDER = ROOT / "_build" / "html"
SENTENCE = "The girl sang happily in the small garden on Sunday."
REPEAT_COUNT = 15
MAX_FIRST_MILLISECONDS = 200  # ms
BOOK_TRANSLATOR_SCRIPT = """async ([sentence, mode, times]) => {
    const js = '/_static/js';
    const { loadModel } = await import(`${js}/files/load.js`);
    const { readSentence } = await import(`${js}/files/tokens.js`);
    const { look, translations } = await import(`${js}/translator/translation.js`);
    const model = await loadModel();
    const milliseconds = [];
    let source, tokens;
    for (let k = 0; k < times; k++) {
        const began = performance.now();
        source = [...readSentence(sentence, model.source).ids, 3];
        const search = { mode, begin: [], temperature: 1, seed: 1 };
        [{ tokens }] = translations(model, source, search);
        look(model, source, tokens, 1);
        milliseconds.push(performance.now() - began);
    }
    return { source, tokens, milliseconds };
}"""
MAX_WAIT_MILLISECONDS, MIN_CHARACTERS_PER_SECOND = (
    150,
    15,
)  # ms to the first character; characters a second from there
SENTENCE_COUNT = 20  # of Tatoeba's test
MAX_TIME_RATIO_TO_TORCH = 4  # times PyTorch's time, of a beam search
REAL_TRANSLATOR_SCRIPT = """async ([texts, mode]) => {
    const js = '/_static/js';
    const { folderOf } = await import(`${js}/files/folder.js`);
    const { Engine } = await import(`${js}/widgets/real_translator/engine.js`);
    const engine = new Engine(folderOf('tatoeba'), {});
    await engine.load(() => {});
    const translated = [];
    for (const text of texts) {
        const began = performance.now();
        const source = [...(await engine.read(text)).ids, 3];
        const search = { mode, begin: [], temperature: 1, seed: 1 };
        let first;
        const hear = () => { first ??= performance.now() - began; };
        const [{ tokens }] = await engine.translate(source, search, hear);
        translated.push({ source, tokens, first, all: performance.now() - began });
    }
    return translated;
}"""


class SilentRequestHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def run_on_search_page(browser, site_address: str, js_function: str, arguments: list):
    """Run a script on a page just opened; return its result."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site_address}/search.html")
        return page.evaluate(js_function, arguments)


def translate_by_torch(
    model, source_ids: list[int], decoding_mode: str, repeat_count=REPEAT_COUNT
) -> tuple[list[int], list[float]]:
    """Translate by the package; return the ids written, and milliseconds."""
    milliseconds = []
    for _ in range(repeat_count):
        began = time.perf_counter()
        if decoding_mode == "greedy":
            ids = decode.greedy(model, torch.tensor([source_ids]))[0]
        else:
            ids = decode.beam_search(model, torch.tensor([source_ids]))[0][0].ids
        milliseconds.append((time.perf_counter() - began) * 1e3)
    return ids, milliseconds


def measure_book_translator_row(
    browser, site_address: str, decoding_mode: str, model
) -> tuple[str, str, str]:
    translated = run_on_search_page(
        browser,
        site_address,
        BOOK_TRANSLATOR_SCRIPT,
        [SENTENCE, decoding_mode, REPEAT_COUNT],
    )
    ids, theirs = translate_by_torch(model, translated["source"], decoding_mode)
    assert translated["tokens"] == [*ids, EOS], (translated["tokens"], ids)
    first, again = (
        translated["milliseconds"][0],
        statistics.median(translated["milliseconds"][1:]),
    )
    beside = again / statistics.median(theirs[1:])
    return (
        f"the translator in Chromium, 10 words, {decoding_mode}, with all weights of attention",
        f"{first:.0f} ms the first time, then {again:.0f} ms",
        f"{format_maximum(first, MAX_FIRST_MILLISECONDS, f'{MAX_FIRST_MILLISECONDS} ms')}; "
        f"{beside:.1f} x the time of PyTorch",
    )


def measure_real_translator_row(
    browser, site_address: str, decoding_mode: str, model, sentences: list[str]
) -> tuple[str, str, str]:
    """Measure the translator of real sentences in the thread in which a reader has it."""
    translated = run_on_search_page(
        browser, site_address, REAL_TRANSLATOR_SCRIPT, [sentences, decoding_mode]
    )
    theirs = 0.0
    for sentence in translated:
        ids, (_, again) = translate_by_torch(
            model, sentence["source"], decoding_mode, repeat_count=2
        )
        ends = sentence["tokens"][-1] == EOS  # or else as long as it may be
        assert sentence["tokens"] == ([*ids, EOS] if ends else ids), (
            sentence["tokens"],
            ids,
        )
        theirs += again
    first = [sentence["first"] for sentence in translated]
    later = sum(sentence["all"] - sentence["first"] for sentence in translated) / 1e3
    pace = sum(len(sentence["tokens"]) - 1 for sentence in translated) / later
    targets = ""
    if decoding_mode == "greedy":
        wait, least = (
            f"{MAX_WAIT_MILLISECONDS} ms",
            f"{MIN_CHARACTERS_PER_SECOND} a second",
        )
        targets = f"{format_maximum(max(first), MAX_WAIT_MILLISECONDS, wait)}; "
        targets += f"{format_minimum(pace, MIN_CHARACTERS_PER_SECOND, least)}; "
    beside = sum(sentence["all"] for sentence in translated) / theirs
    limit = (
        ""
        if decoding_mode == "greedy"
        else f" ({format_maximum(beside, MAX_TIME_RATIO_TO_TORCH, f'{MAX_TIME_RATIO_TO_TORCH} x')})"
    )
    return (
        f"real sentences in Chromium, {len(translated)} of Tatoeba's test, {decoding_mode}, in a worker",
        f"first character after {statistics.median(first):.0f} ms, at most {max(first):.0f} ms; "
        f"then {pace:.0f} characters a second",
        f"{targets}{beside:.1f} x the time of PyTorch{limit}",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each way of decoding, of both translators."""
    weights = SITE_FOLDER / "_static" / "model" / "model.safetensors"
    real = SITE_FOLDER / "_static" / "tatoeba" / "model.safetensors"
    for path in (weights, real):
        if not path.exists():
            raise SystemExit(f"{path} is missing; run make book first.")
    translations = SITE_FOLDER.parent / "numbers" / "tatoeba" / "translations.json"
    texts = [
        sentence["text"]
        for sentence in json.loads(translations.read_text("utf-8"))[:SENTENCE_COUNT]
    ]
    torch.set_num_threads(2)
    model, real_model = nn.load_weights(weights), nn.load_weights(real)
    handler = functools.partial(SilentRequestHandler, directory=str(SITE_FOLDER))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    modes = ("greedy", "beam")
    with sync_playwright() as playwright, torch.inference_mode():
        browser = chromium.launch_chromium(playwright)
        measured = [
            measure_book_translator_row(browser, address, mode, model) for mode in modes
        ]
        measured += [
            measure_real_translator_row(browser, address, mode, real_model, texts)
            for mode in modes
        ]
    server.shutdown()
    return measured
