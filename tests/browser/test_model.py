"""The Transformer in the reader's browser, against what PyTorch said while the book was built."""

import base64
import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.browser.replies import ABORT, Replies
from tools.models.book_translator import SHIPPED_FILE_NAMES, TRANSLATED_SENTENCE_COUNT

pytestmark = pytest.mark.browser
PARTS = 8  # of the sentences, each a call to the browser
RUN = """async (said) => {
    const js = '/_static/js';
    const { loadModel } = await import(`${js}/files/load.js`);
    const { readSentence } = await import(`${js}/files/tokens.js`);
    const { transformer } = await import(`${js}/by_hand/transformer.js`);
    const { greedy } = await import(`${js}/decode/greedy.js`);
    const { beamSearch } = await import(`${js}/decode/beam.js`);
    const { BOS, EOS } = await import(`${js}/files/vocabulary.js`);
    const model = await loadModel();
    return said.map(({ text, greedy: read }) => {
        const source = [...readSentence(text, model.source).ids, EOS];
        const [logits] = transformer(source, [BOS, ...read], model.W, model.config);
        const bytes = new Uint8Array(Float32Array.from(logits.data).buffer);
        const found = beamSearch(model, source);
        return {
            source, shape: logits.shape,
            logits: btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), '')),
            greedy: greedy(model, source), beam: found[0].ids,
            scores: found.map((one) => one.score),
        };
    });
}"""
LOAD = """async () => {
    const { loadModel } = await import('/_static/js/files/load.js');
    return loadModel().then(() => 'loaded', (error) => error.message);
}"""


@pytest.fixture
def page(visit, address):
    return visit(f"{address}/tour.html")


def test_its_logits_and_translations_are_pytorch_s(page, site):
    numbers = site.parent / "numbers"
    said = json.loads((numbers / "translations.json").read_text("utf-8"))
    logits = load_file(numbers / "logits.safetensors")
    assert len(said) == len(logits) == TRANSLATED_SENTENCE_COUNT
    found = [
        one for part in range(PARTS) for one in page.evaluate(RUN, said[part::PARTS])
    ]
    order = [
        i
        for part in range(PARTS)
        for i in range(part, TRANSLATED_SENTENCE_COUNT, PARTS)
    ]
    for i, ours in zip(order, found, strict=True):
        for name in ("source", "greedy", "beam"):
            assert ours[name] == said[i][name], said[i]["text"]
        assert ours["scores"] == pytest.approx(said[i]["scores"], abs=1e-3), said[i][
            "text"
        ]
        own = np.frombuffer(base64.b64decode(ours["logits"]), np.float32).reshape(
            ours["shape"]
        )
        assert own.shape == logits[str(i)].shape
        assert np.abs(own - logits[str(i)]).max() <= 1e-4, said[i]["text"]
    assert page.complaints == []


def test_the_weights_are_small_and_come_only_when_asked_for(visit, address, site):
    assert (
        sum(
            (site / "_static" / "model" / name).stat().st_size
            for name in SHIPPED_FILE_NAMES
        )
        <= 2_000_000
    )
    page, asked = visit(f"{address}/tour.html"), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.reload(wait_until="load")
    assert not set(SHIPPED_FILE_NAMES) & set(asked)
    assert page.evaluate(LOAD) == "loaded"
    assert set(SHIPPED_FILE_NAMES) <= set(asked)


@pytest.mark.parametrize("name", SHIPPED_FILE_NAMES)
def test_a_missing_or_damaged_file_gives_a_sentence_and_may_be_tried_again(
    name, page, site
):
    replies = Replies(page, f"**/{name}")

    def load(answer):
        replies.answer = answer
        return page.evaluate(LOAD)

    whole = (site / "_static" / "model" / name).read_bytes()
    for answer, sentence in [
        ({"status": 404}, f"This site has no trained model: {name} is missing."),
        (
            {"status": 503},
            f"The model could not be fetched: {name} is answered with 503.",
        ),
        ({"body": whole[:1000]}, " is damaged: "),
        ({"body": b""}, " is damaged: "),
    ]:
        assert sentence in load(answer)
    assert "could not be fetched. Check the connection" in load(ABORT)
    assert load(None) == "loaded"
