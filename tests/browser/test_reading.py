"""The site as a reader meets it, in Chromium."""

import re

import pytest

pytestmark = pytest.mark.browser


def test_it_works_opened_as_files(visit, site):
    page = visit((site / "attention" / "eight_steps.html").as_uri())
    assert page.locator("mjx-container").count() > 10
    page.wait_for_function("document.fonts.check('12px MJXTEX')")
    page.goto((site / "search.html").as_uri() + "?q=softmax")
    page.locator("#search-results li").first.wait_for()
    assert page.foreign == []


def test_formulas_are_set_and_coloured_by_role(visit, address):
    page = visit(f"{address}/attention/eight_steps.html")
    page.locator("mjx-container .tb-q").first.wait_for()
    colour = "getComputedStyle(document.querySelector('mjx-container .tb-q')).color"
    assert page.evaluate(colour) == "rgb(37, 99, 201)"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate(colour) == "rgb(125, 176, 255)"


def test_the_theme_button_turns_figures_too(visit, address):
    page = visit(f"{address}/words/positions.html")
    ink = """() => {
        const text = document.querySelector('.tb-figure svg text');
        return getComputedStyle(text).fill;
    }"""
    before = page.evaluate(ink)
    seen = set()
    for _ in range(3):  # the button goes round light, dark and the system's own
        page.locator(".theme-switch-button:visible").first.click()
        seen.add(page.evaluate(ink))
    assert before in seen and len(seen) == 2


# The themes that a page has had since its body was there.
THEMES = """const seen = window.themes = new Set();
    const note = () => document.body && seen.add(document.documentElement.dataset.theme);
    const what = { childList: true, subtree: true, attributeFilter: ['data-theme'] };
    new MutationObserver(note).observe(document, what);"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("chosen", [None, "light", "dark"])
def test_the_theme_is_decided_before_the_page_is_shown(visit, address, theme, chosen):
    choose = f"localStorage.setItem('mode', '{chosen}');" if chosen else ""
    page = visit(f"{address}/intro.html", theme=theme, early=choose + THEMES)
    assert page.evaluate("[...themes]") == [chosen or theme]


def test_search_finds_a_chapter(visit, address):
    page = visit(f"{address}/intro.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("sinusoids")
    page.keyboard.press("Enter")
    page.locator(".search-summary", has_text="found").wait_for()
    page.locator("#search-results li a").first.wait_for()
    found = page.locator("#search-results").inner_text()
    assert re.search("positions?", found, re.IGNORECASE)


# What a result of the search says, and whether its section, opened behind, has the words.
RESULTS = """async (words) => Promise.all([...document.querySelectorAll('#search-results > ul > li')]
    .map(async (result) => {
        const { href, pathname, hash } = result.querySelector('a');
        const page = new DOMParser().parseFromString(await (await fetch(href)).text(), 'text/html');
        const place = page.getElementById(hash.slice(1)) ?? page.querySelector('article');
        const text = place.textContent.toLowerCase();
        const said = result.textContent;
        return [pathname, words.some((word) => text.includes(word)), hash, said];
    }))"""


def search(page, address, query):
    page.goto(f"{address}/search.html?q={query}")
    page.locator(".search-summary", has_text="found").wait_for()
    if not page.locator("#search-results > ul > li").count():
        return []
    page.locator("#search-results p.context").last.wait_for()
    page.wait_for_load_state("networkidle")
    # The search finds words by their stem.
    words = (
        [word[:6] for word in query.lower().split()] if query.isascii() else [*query]
    )
    return page.evaluate(RESULTS, words)


@pytest.mark.parametrize("query", ["label smoothing", "沙发", "variance"])
def test_what_search_finds_leads_to_its_section_and_is_quoted(query, visit, address):
    found = search(visit("about:blank"), address, query)
    assert len(found) > 2
    assert all(has for _, has, _, _ in found)
    assert sum(bool(anchor) for _, _, anchor, _ in found) > len(found) / 2
    said = found[0][3].lower()
    assert any(word in said for word in query.split())
    assert not re.search(r"\\[a-z(]", " ".join(line for *_, line in found))


def test_search_does_not_find_what_is_folded(visit, address):
    page = visit(f"{address}/transformer/add_and_norm.html")
    hidden, *others = page.evaluate("""() => {
        const words = (text) => new Set(text.toLowerCase().match(/[a-z]{7,}/g));
        const folded = [...document.querySelectorAll('details.hide pre')];
        const code = words(folded.map((pre) => pre.textContent).join(' '));
        folded.forEach((pre) => pre.remove());
        const shown = words(document.body.textContent);
        const like = (word) => word.slice(0, 4); // the search finds words by their stem
        const stems = new Set([...shown].map(like));
        return [...code].filter((word) => !stems.has(like(word)));
    }""")
    for word in (hidden, *others[:3]):
        found = search(page, address, word)
        assert not [path for path, *_ in found if path.endswith("add_and_norm.html")]


def test_without_javascript_the_map_leads_to_the_chapters_by_keyboard(visit, address):
    page = visit(f"{address}/intro.html", java_script_enabled=False)
    page.locator(".tb-figure svg a:visible").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/(words|attention)/"))


def test_every_box_of_the_map_leads_to_a_page(visit, address, site):
    page = visit(f"{address}/intro.html")
    boxes = page.locator(".tb-figure svg a")
    targets = {
        boxes.nth(i).get_attribute("href") or boxes.nth(i).get_attribute("xlink:href")
        for i in range(boxes.count())
    }
    assert len(targets) >= 4
    for target in targets:
        assert (site / target.split("#")[0]).exists(), target


def test_a_solution_opens_where_its_header_names_the_exercise(visit, address):
    page = visit(f"{address}/attention/eight_steps.html")
    solution = page.locator("div.solution").first
    link = solution.locator(".admonition-title a")
    link.scroll_into_view_if_needed()
    place, before = link.bounding_box(), page.url
    page.mouse.click(place["x"] + 5, place["y"] + place["height"] / 2)
    solution.locator("section").first.wait_for(state="visible")
    assert page.url == before


def test_a_solution_is_folded_and_opens_by_keyboard(visit, address):
    page = visit(f"{address}/attention/eight_steps.html")
    solution = page.locator("div.solution").first
    button = solution.locator("button, summary, .toggle-button, input").first
    content = solution.locator(".section, .solution-content, section").first
    assert not content.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    content.wait_for(state="visible")


def test_code_can_be_copied(visit, address):
    page = visit(
        f"{address}/attention/eight_steps.html",
        permissions=["clipboard-read", "clipboard-write"],
    )
    cell = page.locator("div.cell_input:visible").first
    cell.hover()
    cell.locator("button.copybtn").click()
    cell.locator("button.copybtn.success").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == cell.locator("pre").inner_text().strip()


def test_without_javascript_the_figures_and_the_text_are_there(visit, address):
    page = visit(f"{address}/attention/eight_steps.html", java_script_enabled=False)
    drawn = page.locator(".tb-figure svg:visible").count()
    assert drawn == page.locator("figure.tb-figure").count() > 4
    assert "softmax" in page.locator("article").inner_text()


def test_the_download_is_the_published_notebook(visit, address, site):
    page = visit(f"{address}/words/tokens.html", accept_downloads=True)
    link = page.locator("a[href$='_sources/words/tokens.ipynb']").first
    target = link.get_attribute("href")
    answer = page.request.get(f"{address}/words/{target}")
    published = (site.parent / "notebooks" / "words" / "tokens.ipynb").read_bytes()
    assert answer.ok and answer.body() == published
