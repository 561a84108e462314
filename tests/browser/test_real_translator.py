"""The translator of real sentences in Chromium: its engine and its numbers against PyTorch."""

import base64

import numpy as np
import pytest
import torch

from tests.browser import real_sentences
from tests.browser.real_sentences import PAGE, SHORT, done, greedily, names, translated
from tests.browser.translating import (
    assert_odds,
    choose,
    go,
    matrix,
    notice,
    odds,
    own,
    says,
    scores,
    written,
)
from tests.js.texts import TEXTS
from transformer_book import by_hand, data, decode
from transformer_lab.translator import site_translator

pytestmark = pytest.mark.browser
widget = real_sentences.widget
translator = real_sentences.translator
numbers = real_sentences.numbers
model = real_sentences.model
SENTENCES, PARTS = 200, 8
RUN = """async (said) => {
    const js = '/_static/js';
    const { folderOf } = await import(`${js}/files/folder.js`);
    const { loadModel } = await import(`${js}/files/load.js`);
    const { readText } = await import(`${js}/files/tokens.js`);
    const { transformer } = await import(`${js}/by_hand/transformer.js`);
    const { greedy } = await import(`${js}/decode/greedy.js`);
    const { beamSearch } = await import(`${js}/decode/beam.js`);
    const { BOS, EOS } = await import(`${js}/files/vocabulary.js`);
    const model = await loadModel(undefined, folderOf('tatoeba'));
    return said.map(({ text, greedy: read }) => {
        const source = [...readText(text, model).ids, EOS];
        const [logits] = transformer(source, [BOS, ...read], model.W, model.config);
        const bytes = new Uint8Array(Float32Array.from(logits.data).buffer);
        const chunks = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, i) =>
            String.fromCharCode(...bytes.subarray(8192 * i, 8192 * (i + 1))));
        const found = beamSearch(model, source);
        return {
            source, shape: logits.shape, logits: btoa(chunks.join('')),
            greedy: greedy(model, source), beam: found[0].ids,
            scores: found.map((one) => one.score),
        };
    });
}"""
READ = """async (texts) => {
    const { folderOf } = await import("/_static/js/files/folder.js");
    const { loadModel } = await import("/_static/js/files/load.js");
    const { readText } = await import('/_static/js/files/tokens.js');
    const model = await loadModel(undefined, folderOf('tatoeba'));
    return texts.map((text) => readText(text, model).ids);
}"""
ODD = [
    *TEXTS,
    "I can't. I CAN'T. i cant",
    "He paid $1,234.56 at 10:30 a.m. on 24/12/2019.",
    "漢字 😀 œuvre Ångström",
    "“Isn't it?” she asked… ‘No,’ he said — twice.",
    "Schwarzenegger's antidisestablishmentarianism",
    ("unbelievably " * 31)[:400],
    "z" * 400,
]


def test_its_logits_and_translations_are_pytorch_s(visit, address, numbers):
    page = visit(f"{address}/search.html")
    assert len(numbers) == SENTENCES
    asked = [{key: one[key] for key in ("text", "greedy")} for one in numbers]
    found = [None] * SENTENCES
    for part in range(PARTS):
        found[part::PARTS] = page.evaluate(RUN, asked[part::PARTS])
    for said, ours in zip(numbers, found, strict=True):
        for name in ("source", "greedy", "beam"):
            assert ours[name] == said[name], said["text"]
        assert ours["scores"] == pytest.approx(said["scores"], abs=1e-3), said["text"]
        logits = np.frombuffer(base64.b64decode(ours["logits"]), np.float32)
        logits = logits.reshape(ours["shape"])
        assert logits.shape == said["logits"].shape
        assert np.abs(logits - said["logits"]).max() <= 1e-3, said["text"]
    assert page.complaints == []


def test_whatever_is_typed_is_read_as_python_reads_it(visit, address, numbers, model):
    _, corpus = model
    page = visit(f"{address}/search.html")
    texts = [one["text"] for one in numbers] + [" ".join(t.split()) for t in ODD]
    expected = [site_translator.source_ids(corpus, text) for text in texts]
    assert page.evaluate(READ, texts) == expected
    assert page.evaluate(READ, ["", "  "]) == [[], []]


def test_it_translates_as_pytorch_does_and_shows_its_distribution(
    translator, numbers, model
):
    _, corpus = model
    words = [*corpus.target_vocabulary]
    page = translator()
    for said in numbers[:5]:
        expected = [*names(corpus, said["greedy"]), "<eos>"]
        assert translated(page, said["text"]) == expected
        p = by_hand.softmax(said["logits"].astype(np.float64))
        assert says(page, "now").endswith(f"step {len(p)} of {len(p)}")  # it is whole
        for step in (len(p), 1):
            go(page, step)
            assert_odds(page, p[step - 1], words)
    choose(page, "how", "beam")
    done(page)
    assert "step 1 of" in says(page, "now")  # where it was
    for said in numbers[:3]:
        assert translated(page, said["text"])[:-1] == names(corpus, said["beam"])
        assert scores(page) == pytest.approx(said["scores"], abs=2e-3)


def test_it_looks_where_the_package_s_model_looks(translator, numbers, model):
    net, _ = model
    said = numbers[2]
    page = translator("?real_translator.view=matrix")
    translated(page, said["text"])
    source, ids = (
        torch.tensor([ids]) for ids in (said["source"], [data.BOS, *said["greedy"]])
    )
    with torch.inference_mode():
        _, weights = net(source, ids, need_weights=True)
    for layer, head in [(4, "mean"), (4, 2), (1, 3)]:
        choose(page, "layer", layer)
        choose(page, "head", head)
        A = weights[f"decoder.{layer - 1}.cross_attention"][0].numpy()
        expected = A.mean(axis=0) if head == "mean" else A[head - 1]
        np.testing.assert_allclose(matrix(page), expected, rtol=0, atol=5.1e-3)


def test_another_character_is_taken_and_it_goes_on_from_there(
    translator, numbers, model
):
    net, corpus = model
    said = numbers[2]
    page = translator()
    before = translated(page, said["text"])
    go(page, 2)
    other = own(page).locator(".tb-odds button[aria-pressed=false]").first
    token = other.locator(".tb-word").inner_text()
    other.click()
    done(page)
    begin = [said["greedy"][0], [*corpus.target_vocabulary].index(token)]
    expected = names(corpus, greedily(net, said["source"], begin))
    assert written(page) == expected != before
    assert odds(page)[1] == [token]
    page.wait_for_url("**real_translator.begin=**")
    shared = translator(page.url.split(PAGE)[1])
    assert written(shared) == expected
    own(page).get_by_role("button", name="Let the model choose").click()
    done(page)
    assert written(page) == before


def test_what_is_cut_and_what_it_lacks_are_said(translator, model):
    _, corpus = model
    page = translator()
    translated(page, "Schwarzenegger saw a 漢 and 😀.")
    (cut,) = own(page).locator(".tb-cut").all()
    pieces = corpus.subwords.cut(["Schwarzenegger"], corpus.source_vocabulary)
    assert cut.locator("span").all_inner_texts() == pieces and len(pieces) > 1
    assert notice(page).inner_text() == (
        "Its English vocabulary has no “漢”: it reads <unk> instead. "
        "Left out: 😀. The model knows no emoji."
    )
    assert own(page).locator(".tb-reading .tb-wrong").all_inner_texts() == ["漢"]
    keys = own(page).locator(".tb-words").last
    assert keys.locator("button", has_text="<unk>").count() == 1
    translated(page, SHORT)
    assert (
        notice(page).inner_text() == "" and own(page).locator(".tb-wrong").count() == 0
    )
    translated(page, "WE LOVE HERE.")
    assert {"E@@", "V@@"} <= {*corpus.source_vocabulary}
    assert "E" not in corpus.source_vocabulary
    assert notice(page).inner_text() == (
        "Its English vocabulary has no “E” at the end of a word: it reads <unk> instead."
    )


def test_what_a_phone_types_is_read_as_the_corpus_has_it(translator, model):
    net, corpus = model
    page = translator()
    plain = translated(page, "I don't know him.")
    assert translated(page, "I don’t know him.") == plain
    reads = own(page).locator(".tb-reading").first.inner_text()
    assert " ".join(reads.split()) == "It reads: I do n't know him ."
    source = [*site_translator.source_ids(corpus, "I don’t know him."), data.EOS]
    assert plain == names(corpus, greedily(net, source, []))
    assert notice(page).inner_text() == ""


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("He was born in 1987.", "1987"),
        ("The house has 37 rooms.", "37"),
        ("Aurelia is a teacher.", "Aurelia"),
        ("The train leaves at 7:45.", "7:45"),
    ],
)
def test_numbers_names_and_times_arrive_as_they_were_typed(
    text, copied, translator, model
):
    net, corpus = model
    page = translator()
    whole = "".join(translated(page, text)[:-1])
    assert whole == decode.translate(net, corpus, text, beams=1)
    assert copied in whole
    assert notice(page).inner_text() == ""
