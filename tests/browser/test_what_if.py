"""Parts taken from the model in the page, against what PyTorch said."""

import base64
import json
import re

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from tests.browser import what_if
from tests.browser.what_if import after, ask, before, odds, own, said, title
from tests.browser.widgets import heard
from tools.models.book_translator import CHANGED_MODEL_SENTENCE_COUNT
from transformer_book import data, nn
from transformer_lab.translations.interventions import model_without_parts as taken_from

pytestmark = pytest.mark.browser
widget = what_if.widget
changed = what_if.changed
names = what_if.names
# All in one pass where the mask lets that be: it proves each step of greedy decoding.
STEPS = """async ([said, LONGEST]) => {
    const js = '/_static/js';
    const { loadModel } = await import(`${js}/files/load.js`);
    const { trace } = await import(`${js}/decode/trace.js`);
    const { changedSteps } = await import(`${js}/decode/changed.js`);
    const { best } = await import(`${js}/decode/greedy.js`);
    const { BOS, PAD } = await import(`${js}/files/vocabulary.js`);
    const model = await loadModel();
    const base64 = (numbers) => {
        const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
        return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
    };
    return said.map(({ source, greedy, changes }) => {
        if (changes.causal === false) {
            const steps = [...changedSteps(model, source, changes, { maxLength: LONGEST })];
            return { taken: steps.map((one) => one.token),
                odds: base64(steps.flatMap((one) => [...one.probabilities])) };
        }
        const read = [BOS, ...greedy].slice(0, LONGEST);
        const { logits } = trace(model, source, read, changes);
        const taken = read.map((_, j) => best(logits.row(j).map((x, id) =>
            id === PAD || id === BOS ? -Infinity : x)));
        return { taken, logits: base64(logits.data) };
    });
}"""


@pytest.fixture
def numbers(site):
    """What PyTorch made of sentences with each change, and as the model is."""
    folder = site.parent / "numbers"
    plain = json.loads((folder / "translations.json").read_text("utf-8"))[
        :CHANGED_MODEL_SENTENCE_COUNT
    ]
    changed = json.loads((folder / "changed.json").read_text("utf-8"))
    return plain, changed, load_file(folder / "changed.safetensors")


def softmax(rows):
    e = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_each_change_makes_of_every_sentence_what_pytorch_makes_of_it(
    visit, address, numbers
):
    plain, with_changes, logits = numbers
    page = visit(f"{address}/tour.html")
    different = 0
    for name, one in with_changes.items():
        given = [
            {"source": p["source"], "greedy": ids, "changes": one["changes"]}
            for p, ids in zip(plain, one["greedy"], strict=True)
        ]
        assert len(given) == CHANGED_MODEL_SENTENCE_COUNT
        for i, ours in enumerate(page.evaluate(STEPS, [given, 48])):
            expected = logits[f"{name} {i}"]
            taken = [*one["greedy"][i], data.EOS][: len(expected)]
            assert ours["taken"] == taken, (name, i)
            kind = "logits" if "logits" in ours else "odds"
            found = np.frombuffer(base64.b64decode(ours[kind]), np.float32)
            expected = expected if kind == "logits" else softmax(expected)
            assert np.abs(found.reshape(expected.shape) - expected).max() <= 1e-3
            different += one["greedy"][i] != plain[i]["greedy"]
    assert len(with_changes) == 10 and different > 150


@pytest.mark.parametrize(
    "change, off",
    [
        ("no scale", "scale"),
        ("no mask", "mask"),
        ("no positions", "source,target"),
        ("no positions of the source", "source"),
        ("no positions of the target", "target"),
        ("no residuals", "residual"),
        ("one residual", "df2.r"),
        ("one head", "m2.4"),
        ("all heads of a layer", "e1.1,e1.2,e1.3,e1.4"),
        ("several", "scale,target,e1.1"),
    ],
)
def test_the_widget_shows_what_pytorch_said_of_a_change(
    change, off, changed, numbers, names
):
    plain, with_changes, logits = numbers
    which = [0, *range(3, 6)]
    page = changed(f"?what_if.off={off}")
    for i in which:
        ask(page, plain[i]["text"])
        was = [names["target"][t] for t in [*plain[i]["greedy"], data.EOS]]
        ids = [*with_changes[change]["greedy"][i], data.EOS][: len(was) + 8]
        now = [names["target"][t] for t in ids]
        assert before(page) == was and after(page) == now
        p = softmax(logits[f"{change} {i}"].astype(np.float64))
        step = next((k for k, (a, b) in enumerate(zip(was, now)) if a != b), 0)
        own(page).locator(".tb-line button").nth(step).click()
        if f"Step {step + 1} of" not in title(page):
            continue  # it was shown already, and is let go
        for piece, (_, value) in odds(page).items():
            exact = p[step][names["target"].index(piece)]
            assert value == pytest.approx(exact, abs=6e-4)
    assert page.complaints == [] and page.foreign == []


def test_behind_the_step_where_they_part_both_read_the_same_beginning(
    changed, numbers, names, site
):
    plain = numbers[0][0]
    weights = next((site.parent / "model").glob("book-*.safetensors"))
    model = nn.load_weights(weights).double()
    source, ids = (
        torch.tensor([one]) for one in (plain["source"], [data.BOS, *plain["greedy"]])
    )
    with torch.inference_mode():
        was = model(source, ids)[0][0].softmax(-1)
        with taken_from(model, causal=False):
            read = [ids[:, : k + 1] for k in range(ids.shape[1])]
            now = torch.stack([model(source, one)[0][0, -1] for one in read])
    now = now.softmax(-1)
    page = changed("?what_if.off=mask")
    steps = [k for k in range(9, len(was)) if (was[k] - now[k]).abs().max() > 0.02]
    assert steps and before(page)[:8] == after(page)[:8] and before(page)[8] == "棕"
    for k in steps:
        own(page).locator(".tb-line button").nth(k).click()
        assert f"Step {k + 1} of" in title(page)
        for piece, values in odds(page).items():
            i = names["target"].index(piece)
            exact = was[k, i].item(), now[k, i].item()
            assert values == pytest.approx(exact, abs=6e-4)


def test_gone_and_new_pieces_are_marked_counted_and_said(changed):
    page = changed("?what_if.off=m1.1,m1.2,m1.3,m1.4")
    gone = own(page).locator(".tb-line del").all_inner_texts()
    fresh = own(page).locator(".tb-line ins").all_inner_texts()
    kept = [piece for piece in after(page) if piece not in fresh]
    assert gone and fresh and len(gone) + len(kept) == len(before(page))
    counts = f"{len(gone)} of {len(before(page))} pieces are gone, {len(fresh)} is new."
    assert counts in said(page)
    pairs = zip(before(page), after(page))
    step = next(k for k, (was, now) in enumerate(pairs) if was != now)
    was, now = (line[step] for line in (before(page), after(page)))
    assert f"At step {step + 1} the model now gives {was} (" in said(page)
    assert f"and writes {now} (" in said(page)
    was, now = odds(page)[was]
    percents = re.findall(r"(under 1|over 99|\d+)%", said(page))
    words = {"under 1": 0, "over 99": 100}
    for text, p in zip(percents, (now, was), strict=True):
        assert abs(float(words.get(text, text)) - 100 * p) <= 1
    heard(page, counts)
    named = own(page).locator(".tb-line button[aria-label$=', gone']")
    assert named.count() == len(gone)
