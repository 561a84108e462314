"""The widget that computes the logits in the reader's browser."""

import re

import pytest
from safetensors.numpy import load_file, save

from tests.browser.replies import ABORT, Replies
from tests.browser.widgets import assert_fits, heard, opened
from tools.models.book_translator import EXPECTED_LOGITS_FILE_NAME

pytestmark = pytest.mark.browser
PAGE = "transformer/full_model.html"
SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
widget = opened(PAGE, ".tb-button:has-text('Compute them here')")


def compute(page):
    page.get_by_role("button", name="Compute them here").press("Enter")
    page.locator(".tb-agreement:not(.tb-empty)").wait_for()
    return page.locator("[data-widget=agreement] .tb-hint").inner_text()


def test_the_logits_are_those_that_pytorch_wrote(widget, site):
    page = widget()
    said = compute(page)
    expected = load_file(site / "_static" / "model" / EXPECTED_LOGITS_FILE_NAME)[
        "logits"
    ]
    m, words = expected.shape
    assert m == 17 and f"{m} × {words} = {m * words:,} logits in " in said
    low, high = (
        float(x.replace("−", "-"))
        for x in re.search(r"from (\S+) to (\S+)\.", said).groups()
    )
    assert (low, high) == pytest.approx((expected.min(), expected.max()), abs=0.06)
    digits, power = re.search(r"PyTorch’s: (\S+) × 10(\S+)\.$", said).groups()
    off = float(digits) * 10.0 ** int(power.translate(SUPERSCRIPT))
    assert 1e-9 < off < 1e-4
    rows = page.locator(".tb-agreement tbody tr").all()
    top = sorted(expected[m // 2], reverse=True)[:5]
    for row, logit in zip(rows, top, strict=True):
        built, here = (
            float(x.replace("−", "-")) for x in row.locator("td").all_inner_texts()
        )
        assert built == pytest.approx(logit, abs=1e-7) and abs(here - built) < 1e-4
    heard(page, "Largest difference")
    assert page.complaints == [] and page.foreign == []


def test_another_sentence_would_be_seen(widget, site):
    page = widget()
    path = site / "_static" / "model" / EXPECTED_LOGITS_FILE_NAME
    numbers = load_file(path)
    numbers["source"][1] += 1
    page.route(
        f"**/{EXPECTED_LOGITS_FILE_NAME}",
        lambda route: route.fulfill(body=save(numbers)),
    )
    assert float(re.search(r"PyTorch’s: (\S+)\.$", compute(page))[1]) > 0.1


@pytest.mark.parametrize("name", ["model.safetensors", EXPECTED_LOGITS_FILE_NAME])
def test_what_does_not_arrive_is_said_and_may_be_tried_again(name, widget):
    page = widget()
    replies = Replies(page, f"**/{name}", ABORT)
    page.get_by_role("button", name="Compute them here").click()
    wrong = page.locator("[data-widget=agreement] .tb-wrong")
    wrong.filter(has_text="could not be fetched. Check the connection").wait_for()
    replies.answer = None
    compute(page)
    assert wrong.count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_a_phone(theme, widget):
    page = widget(width=360, theme=theme)
    compute(page)
    assert_fits(page, 360)
