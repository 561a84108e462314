"""Leave out of the style sheets of the theme and of extensions the rules that no page can use.

A browser tries rules on each element of a page. The theme's sheet has 3,900 of them, most for parts that
the book does not have, such as grids of cards; without those a page is there sooner. A rule stays, as
it is written, if one of its selectors may match: if each class that the selector needs stands on some
page or is a word of some script. Of the book's own sheet, whose scripts put names together, only the
rules for glyphs that no formula has are left out; MathJax has one for each of its 1,365 glyphs.
"""

import re
from importlib.resources import files

import tinycss2

from tools.cache.store import hash_parts

from .bundled_styles import BOOK_SHEET_NAME

# Where each is on the site, and where it comes from: Sphinx copies it only when it writes pages.
SHEET_SOURCES = {
    "styles/pydata-sphinx-theme.css": files("pydata_sphinx_theme")
    / "theme/pydata_sphinx_theme/static/styles/pydata-sphinx-theme.css",
    "sphinx-design.min.css": files("sphinx_design") / "static/sphinx-design.min.css",
    "mystnb.*.css": files("myst_nb") / "static/mystnb.css",
}
AT_RULES_WITH_RULES = ("media", "supports", "container", "layer")
CLASS_ATTRIBUTE = re.compile(r'\bclass="([^"]*)"')
SCRIPT_TEXT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)
WORD = re.compile(r"[\w-]+")
GLYPH_CLASS = re.compile(r"mjx-c[0-9A-F]+")
# Bootstrap's script puts this together of its parts.
COMPOSED_CLASS_NAMES = ("bs-tooltip-auto",)


def remove_unused_rules(site_folder):
    """Write the sheets without these rules, and their new hashes into the addresses on the pages.

    Parameters
    ----------
    site_folder : pathlib.Path
        The site, with all pages and scripts.
    """
    static = site_folder / "_static"
    texts_by_page = {
        path: path.read_text("utf-8") for path in sorted(site_folder.rglob("*.html"))
    }
    class_names = possible_class_names(
        texts_by_page.values(),
        (path.read_text("utf-8") for path in sorted(static.rglob("*.js"))),
    )
    rules_by_path = {}
    for pattern, source in SHEET_SOURCES.items():
        rules = keep_used_rules(source.read_text("utf-8"), class_names.__contains__)
        rules_by_path.update(dict.fromkeys(static.glob(pattern), rules))
    book_sheet = static / BOOK_SHEET_NAME
    rules_by_path[book_sheet] = keep_used_rules(
        book_sheet.read_text("utf-8"),
        lambda name: name in class_names or not GLYPH_CLASS.fullmatch(name),
    )
    hashes_by_name = {}
    for path, rules in rules_by_path.items():
        path.write_text(rules, "utf-8")
        hashes_by_name[path.name] = hash_parts(rules)[:8]
    for path, text in texts_by_page.items():
        addressed = write_sheet_hashes(text, hashes_by_name)
        if addressed != text:
            path.write_text(addressed, "utf-8")


def possible_class_names(page_texts, script_texts) -> set[str]:
    """Return each class of an element, and each word of a script, which may become one."""
    names = set(COMPOSED_CLASS_NAMES)
    for text in page_texts:
        for classes in CLASS_ATTRIBUTE.findall(text):
            names.update(classes.split())
        for script in SCRIPT_TEXT.findall(text):
            names.update(WORD.findall(script))
        names.update(GLYPH_CLASS.findall(text))
    for text in script_texts:
        names.update(WORD.findall(text))
    return names


def keep_used_rules(sheet_text: str, may_exist) -> str:
    """Return a style sheet without the rules that match nothing.

    Parameters
    ----------
    sheet_text : str
    may_exist : callable
        Whether an element may have a class, asked with the class's name.
    """
    text = sheet_text.replace("\r\n", "\n")  # lines are counted so
    line_starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def start_of(node):
        return line_starts[node.source_line - 1] + node.source_column - 1

    def used_part(rules, end):
        starts = [*(start_of(rule) for rule in rules), end]
        kept = []
        for rule, start, stop in zip(rules, starts, starts[1:]):
            if rule.type == "qualified-rule":
                if _may_match(rule.prelude, may_exist):
                    kept.append(text[start:stop])
            elif rule.type == "at-rule" and rule.at_keyword in AT_RULES_WITH_RULES:
                kept.append(used_at_rule(rule, start, stop))
            elif rule.type != "comment" or not rule.value.startswith("# sourceMap"):
                kept.append(text[start:stop])
        return "".join(kept)

    def used_at_rule(at_rule, start, stop):
        inner = tinycss2.parse_rule_list(at_rule.content or [])
        if not inner:
            return text[start:stop]
        brace = text.rindex("}", start, stop)
        body = used_part(inner, brace)
        return (
            text[start : start_of(inner[0])] + body + text[brace:stop] if body else ""
        )

    rules = tinycss2.parse_stylesheet(text)
    return used_part(rules, len(text))


def _may_match(prelude, may_exist):
    """Tell whether one of a rule's selectors needs only classes that may exist.

    What stands in brackets, as in ``:not(.one)`` or ``:is(.one, .two)``, is not needed.
    """
    selectors: list[list[str]] = [[]]
    for before, token in zip([None, *prelude], prelude):
        if token == ",":
            selectors.append([])
        elif token.type == "ident" and before == ".":
            selectors[-1].append(token.value)
    return any(all(map(may_exist, needed)) for needed in selectors)


def write_sheet_hashes(page_text: str, hashes_by_name) -> str:
    """Return a page that asks for these style sheets by their hashes, so that no cache has another one."""
    for name, digest in hashes_by_name.items():
        page_text = re.sub(
            rf"({re.escape(name)})\?(?:v|digest)=\w+", rf"\1?v={digest}", page_text
        )
    return page_text
