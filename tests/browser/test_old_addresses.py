"""A section that has moved to the laboratory is found under its old address."""

import re

import pytest

pytestmark = pytest.mark.browser


def lands(page, address):
    page.goto(address)
    page.wait_for_load_state("load")
    page.wait_for_timeout(100)
    return re.sub(r"^https?://[^/]*/", "", page.url)


@pytest.mark.parametrize(
    "old, new",
    [
        ("words/one.html#what-moved", "words/one_lab.html#what-moved"),
        (
            "words/one.html?x.step=2#what-moved",
            "words/one_lab.html?x.step=2#what-moved",
        ),
        ("words/one.html#what-stays", "words/one.html#what-stays"),
        # In neither, or where there is no laboratory: the page itself.
        ("words/one.html#nowhere", "words/one.html#nowhere"),
        ("words/one.html#%E0%A4%A", "words/one.html#%E0%A4%A"),
        ("words/two.html#what-moved", "words/two.html#what-moved"),
        ("words/one_lab.html#what-stays", "words/one_lab.html#what-stays"),
    ],
)
def test_it_leads_to_the_section(old, new, visit, small):
    page = visit("about:blank")
    assert lands(page, f"{small}/{old}") == new
    # What was still loading when the page was left does not count.
    assert not [said for said in page.complaints if not said.startswith("failed:")]


def test_a_link_within_the_page_does_too_and_back_leads_back(visit, small):
    page = visit(f"{small}/words/one.html")
    page.evaluate("location.hash = '#what-moved'")
    page.wait_for_url("**/one_lab.html#what-moved")
    assert page.locator("#what-moved").bounding_box()["y"] < 200
    page.go_back()
    page.wait_for_url("**/one.html")


def test_it_works_opened_as_a_file(visit, small_book):
    page = visit((small_book.html / "words" / "one.html").as_uri() + "#what-moved")
    page.wait_for_url("**/one_lab.html#what-moved")
