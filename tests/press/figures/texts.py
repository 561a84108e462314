"""What stands in a figure."""


def whole(element):
    """Return the text of an SVG element, with "_" before each subscript."""
    parts = [(part.get("dy") == "0.3em", part.text) for part in element]
    return element.text + "".join("_" * low + text for low, text in parts)
