"""What a search engine or a message shows of a page: its name, and the first sentences of its text."""

import html

from docutils import nodes

MAX_DESCRIPTION_LENGTH = 200  # characters; more are cut where they are shown


def add_description_tags(app, pagename, templatename, context, doctree):
    """Put a page's description into its head."""
    if doctree is None:
        return
    fields = {"og:title": context.get("title", ""), "og:type": "article"}
    if text := first_sentences(doctree):
        fields["description"] = text
    context["metatags"] = context.get("metatags", "") + "".join(
        f'\n<meta {"property" if ":" in name else "name"}="{name}" content="{html.escape(value)}" />'
        for name, value in fields.items()
    )


def first_sentences(doctree: nodes.document) -> str:
    """Return as many sentences of a page's first paragraph as there is room for."""
    paragraph = next(doctree.findall(nodes.paragraph), None)
    if paragraph is None:
        return ""
    text = " ".join(paragraph.astext().split())
    if len(text) <= MAX_DESCRIPTION_LENGTH:
        return text
    end = max(
        text.rfind(mark, 0, MAX_DESCRIPTION_LENGTH) for mark in (". ", "? ", "! ")
    )
    return (
        text[: end + 1]
        if end > 0
        else text[: MAX_DESCRIPTION_LENGTH - 2].rsplit(" ", 1)[0] + " …"
    )


def setup(app):
    # After the contents have given the page its short name.
    app.connect("html-page-context", add_description_tags, priority=800)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
