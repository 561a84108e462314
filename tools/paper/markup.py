"""Of the markup of pages, what all parts of the papers ask for."""

SVG_NAMESPACE = "http://www.w3.org/2000/svg"
MATHML_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
# A figure is drawn twice, for a desk and for a phone.
WIDE_DRAWING_CLASS, NARROW_DRAWING_CLASS = "tb-wide", "tb-narrow"
NOTE_CLASS = "note-text"  # the class of a note, beside the word that bears it


def find_by_class(element, *class_names):
    """The descendants that have one of these classes."""
    conditions = " or ".join(
        f"contains(concat(' ', @class, ' '), ' {name} ')" for name in class_names
    )
    return element.xpath(f".//*[{conditions}]")
