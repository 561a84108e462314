"""What the tests of the translator of real sentences share: its numbers, and when it is done."""

import json

import pytest
import torch
from safetensors.numpy import load_file

from tests.browser.translating import opened_translator, tell, written
from transformer_book import data
from transformer_lab.translator import site_translator

PAGE = "transformer/real_translation.html"
FOLDER = "tatoeba"
OWN = "[data-widget=real_translator]"
SHORT = "I forgot to buy milk on the way home."
LONG = " ".join(["It was raining, and we wanted to know why Tom was so tired."] * 6)
WRITING = "document.querySelectorAll('.tb-writing .tb-written button').length > 2"
DONE = f"""() => {{
    const own = document.querySelector("{OWN}");
    return own.querySelector(".tb-desk")?.ariaBusy === "false";
}}"""


@pytest.fixture(scope="module")
def numbers(site):
    """What PyTorch made of Tatoeba's test sentences: translations, and logits."""
    folder = site.parent / "numbers" / FOLDER
    said = json.loads((folder / "translations.json").read_text("utf-8"))
    logits = load_file(folder / "logits.safetensors")
    return [one | {"logits": logits[str(i)]} for i, one in enumerate(said)]


@pytest.fixture(scope="module")
def model(site):
    """The translator that the site ships, in PyTorch, and its words."""
    return site_translator.load(site / "_static" / FOLDER)


def done(page):
    page.wait_for_function(DONE)


def translated(page, text):
    tell(page, text)
    done(page)
    return written(page)


def names(corpus, ids):
    return corpus.target_vocabulary.tokens(ids)


def greedily(model, source, begin):
    """Go on from a beginning, with PyTorch, by the most probable token."""
    ids = [data.BOS, *begin]
    while ids[-1] != data.EOS:
        with torch.inference_mode():
            logits, _ = model(torch.tensor([source]), torch.tensor([ids]))
            logits[0, -1, [data.PAD, data.BOS]] = -torch.inf
        ids.append(int(logits[0, -1].argmax()))
    return ids[1:]


widget, translator = opened_translator(PAGE, done)
