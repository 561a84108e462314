"""What the tests of the map do with it."""

import pytest

from tests.browser.widgets import opened
from transformer_book import nn

ENGLISH = "The black cat sat on the couch and the brown dog slept on the rug."
SELF = "Multi-head self-attention, encoder"
CROSS = "Multi-head cross-attention, decoder"
MASKED = "Masked multi-head self-attention, decoder"
SHAPES, NUMBERS = "#map-live .tb-panel", "#map-live .tb-number"
FLOW = "document.querySelector('#map-live .tb-flow')"
FOLLOW = """address => {
    const link = document.createElement('a');
    Object.assign(link, { className: 'tb-poke', href: address });
    document.body.append(link);
    link.click();
    link.remove();
}"""
MOVING = f"{FLOW}.getAnimations({{subtree: true}}).length"


def opened_map(ready, **options):
    """Return the fixture ``widget`` of a page with the map, which is ``page.map``."""
    return opened("intro.html", ready, {"map": "#map-live"}, **options)


@pytest.fixture(scope="module")
def model(site):
    """The book's own model as the site ships it, in PyTorch."""
    return nn.load_weights(site / "_static" / "model" / "model.safetensors").eval()


def go(page, **fields):
    """Set the map as a link of the page would."""
    query = "&".join(f"map.{key}={value}" for key, value in fields.items())
    page.evaluate(FOLLOW, f"?{query}#nowhere")  # so that the page does not scroll


def said(page, part):
    return page.map.locator(f".tb-{part}").inner_text()


def title(page):
    return said(page, "panel .tb-title")


def box(page, name):
    return page.map.locator(f"svg a[aria-label='{name}']")


def press(page, name, times=1):
    for _ in range(times):
        page.map.get_by_role("button", name=name).click()


def sentence(page):
    return page.map.get_by_label("English sentence")
