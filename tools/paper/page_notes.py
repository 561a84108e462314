"""Notes of a page: where on the site its widgets are, and the definitions of its terms."""

import posixpath
import re

import lxml.html
from lxml import etree

from .markup import NOTE_CLASS, find_by_class

# How sentences ask for the widget of their page; with several it is the first, unless they set one.
WIDGET_MENTION = re.compile(r"widget|translator at the top|in your browser")


def name_widget_addresses(page):
    """Let each widget's introduction stand, under where on the site it can be tried."""
    for widget in find_by_class(page.body, "tb-widget"):
        line = lxml.html.fragment_fromstring("<p class='where'>Live on the site: </p>")
        code = etree.SubElement(line, "code")
        code.text = f"{page.name}.html#{widget.get('id')}"
        for script in widget.findall("script"):
            script.drop_tree()
        widget.insert(0, line)
        widget.set("class", "live")
    link_words_to_widgets(page)


def link_words_to_widgets(page):
    """Let each word that asks for a widget lead to its place, and say where on the site that is."""
    here = find_by_class(page.body, "live")
    for word in make_widget_mention_links(page.body) if here else []:
        word.set("href", f"#{here[0].get('id')}")
        if len(here) > 1 and word.text == "widget":
            raise ValueError(
                f"{page.name} has several widgets and asks for one without saying which; "
                "set it by {poke}."
            )
    for link in find_by_class(page.body, "tb-poke"):
        path, _, name = link.get("href").partition("#")
        path, _, setting = path.partition("?")
        if not path and link.xpath("ancestor::*[@class='live'][@id=$name]", name=name):
            link.drop_tag()  # it stands under the widget's address
            continue
        # One note says where a widget of this page is, however often a sentence sets it.
        query = f"?{setting}" if path else ""
        there = posixpath.join(posixpath.dirname(page.name), path) if path else ""
        address = posixpath.normpath(there or f"{page.name}.html") + f"{query}#{name}"
        link.set("href", f"{path}#{name}")
        note = etree.Element("span", {"class": NOTE_CLASS})
        note.text, note.tail, link.tail = "Live on the site: ", link.tail, None
        etree.SubElement(note, "code").text = address
        link.addnext(note)


def make_widget_mention_links(body):
    """Make links of the words that ask for the widget of their page, one in each block.

    A block that sets one leads there already.
    """
    for block in body.iter("p", "li"):
        if block.get("class") == "admonition-title" or block.find("p") is not None:
            continue
        if find_by_class(block, "tb-poke") or block.xpath("ancestor::*[@class='live']"):
            continue
        for text in block.xpath(".//text()"):
            if asks := WIDGET_MENTION.search(text):
                link = etree.Element("a", {"class": "tb-poke"})
                link.text, link.tail = asks[0], text[asks.end() :]
                parent = text.getparent()
                if text.is_tail:
                    parent.tail = text[: asks.start()]
                    parent.addnext(link)
                else:
                    parent.text = text[: asks.start()]
                    parent.insert(0, link)
                yield link
                break


def turn_definitions_into_notes(page):
    """Of what shows when a term is touched, keep the definition."""
    for tip in find_by_class(page.body, "tb-tip"):
        definition = tip.find("span")
        definition.tail = None
        del definition.attrib["id"]
        definition.set("class", NOTE_CLASS)
        tip.addprevious(definition)
        tip.drop_tree()
