"""From matplotlib's SVG to one that belongs on a page: themed, small, accessible, repeatable."""

import base64
import hashlib
import io
import re
from xml.etree import ElementTree as ET

from matplotlib.image import AxesImage

from . import symbols
from .palette import css_variable

SVG = "http://www.w3.org/2000/svg"
POINTS_PER_PX = 0.75  # the SVG's unit, 1/72 inch, per CSS pixel
XLINK = "{http://www.w3.org/1999/xlink}href"
ET.register_namespace("", SVG)

_HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
# What a reader of the page needs no copy of: matplotlib's global style sheet would restyle every
# other SVG of the page, and its metadata names a date and a program.
_DROPPED_TAGS = {f"{{{SVG}}}metadata", f"{{{SVG}}}style"}


def page_svg(drawing, alt, links_by_group=None) -> str:
    """Return a drawing as an SVG string whose colours are CSS variables of the page.

    Parameters
    ----------
    drawing : matplotlib.figure.Figure
    alt : str
        The label screen readers read; it is the only place where they do (no `<title>`).
    links_by_group : dict, optional
        Group name -> (href or None, accessible name); the artists whose gid is "tb-link:NAME"
        become one link. A figure with links is a group, not an image, so that they are reached.

    Raises
    ------
    ValueError
        If a colour is not the palette's, or there is a picture whose colours are fixed.
    """
    out = io.StringIO()
    drawing.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    root = ET.fromstring(out.getvalue())
    _remove_dropped_tags(root)
    for element in root.iter():
        _restyle_for_page(element)
    _lower_subscripts(root)
    _mark_steps(root)
    if links_by_group is not None:
        _group_links(root, links_by_group)
    _flatten(root)
    _replace_images_with_masks(root, drawing)
    _set_root_attributes(
        root, drawing, alt, "img" if links_by_group is None else "group"
    )
    _prefix_ids(root)
    return ET.tostring(root, encoding="unicode")


def _svg_tag(name: str) -> str:
    return f"{{{SVG}}}{name}"


def _remove_dropped_tags(root: ET.Element):
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in _DROPPED_TAGS or (
                child.tag == _svg_tag("defs") and not len(child)
            ):
                parent.remove(child)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == _svg_tag("defs") and not len(child):
                parent.remove(child)


def _restyle_for_page(element):
    """Swap colours for variables, fonts for the page's, and six decimals for two."""
    if XLINK in element.attrib:
        element.set("href", element.attrib.pop(XLINK))
    for name in ("d", "x", "y", "width", "height", "transform", "points"):
        if name in element.attrib and element.tag != _svg_tag("svg"):
            value = " ".join(element.get(name).split())
            element.set(name, _LONG_NUMBER.sub(lambda m: f"{float(m[0]):.2f}", value))
    if element.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
        del element.attrib["transform"]
    style = element.get("style")
    if style:
        declarations = [
            _page_declaration(*part.split(":", 1))
            for part in style.split(";")
            if ":" in part
        ]
        element.set("style", ";".join(part for part in declarations if part))
    for name in ("fill", "stroke"):
        if name in element.attrib:
            element.set(
                name, _HEX_COLOUR.sub(lambda m: css_variable(m[0]), element.get(name))
            )
    if element.text and not element.text.strip():
        element.text = None
    element.tail = None


def _lower_subscripts(root: ET.Element):
    """Set what follows the "_" of a name below the line, and the rest on the line again."""
    for element in list(root.iter(_svg_tag("text"))):
        element.text, *subscripts = symbols.split_at_subscripts(element.text or "")
        for below, after in zip(subscripts[::2], subscripts[1::2]):
            low = ET.SubElement(
                element, _svg_tag("tspan"), dy="0.3em", style="font-size:75%"
            )
            low.text = below
            if after:
                # An em of the subscript is 0.75 of the line's.
                ET.SubElement(element, _svg_tag("tspan"), dy="-0.225em").text = after


def _page_declaration(name, value) -> str | None:
    """Return one CSS declaration as the page wants it, or None to leave it to the page."""
    name, value = name.strip(), value.strip()
    if name == "font":
        how, _, size = value.partition("px")[0].rpartition(" ")
        bold = ";font-weight:600" if re.search(r"bold|[67]00", how) else ""
        slant = ";font-style:italic" if "italic" in how else ""
        return f"font-size:{_short_number(size)}px{bold}{slant}"
    if name == "font-size":
        return f"font-size:{_short_number(value.removesuffix('px'))}px"
    if name in ("font-family", "stroke-linejoin"):
        return None
    return f"{name}:{_HEX_COLOUR.sub(lambda m: css_variable(m[0]), value)}"


def _short_number(text: str) -> str:
    return f"{float(text):.4g}"


def _mark_steps(root: ET.Element):
    """Let the artists whose gid is "tb-step:K" appear one step after the other; the style sheet says how."""
    for element in root.iter():
        gid = element.get("id", "")
        if gid.startswith("tb-step:"):
            del element.attrib["id"]
            step = f"--step:{gid.removeprefix('tb-step:')}"
            style = ";".join(filter(None, [element.get("style"), step]))
            element.attrib |= {"class": "tb-step", "style": style}


def _group_links(root: ET.Element, links_by_group):
    """Gather the artists of each link into one `<a>`, or a plain group where none leads away."""
    for parent in list(root.iter()):
        groups = {}
        for child in list(parent):
            gid = child.get("id", "")
            if not gid.startswith("tb-link:"):
                continue
            if gid not in groups:
                href, name = links_by_group[gid.removeprefix("tb-link:")]
                link = ET.Element(_svg_tag("a" if href else "g"))
                if href:
                    link.attrib |= {
                        "href": href,
                        "class": "tb-link",
                        "aria-label": name,
                    }
                else:
                    link.set("class", "tb-coming")
                parent.insert(list(parent).index(child), link)
                groups[gid] = link
            parent.remove(child)
            del child.attrib["id"]
            groups[gid].append(child)


def _flatten(root: ET.Element):
    """Drop ids that nothing refers to and groups that group nothing."""
    references = set(
        re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", ET.tostring(root, "unicode"))
    )
    references = {url or href for url, href in references}
    for element in root.iter():
        gid = element.get("id")
        if gid and gid not in references and not gid.startswith("tb-fill"):
            del element.attrib["id"]
    _ungroup(root)


def _ungroup(parent):
    """Replace each group that has no attributes and at most one child by that child, innermost first."""
    for child in parent:
        _ungroup(child)
    children = []
    for child in parent:
        bare = child.tag == _svg_tag("g") and not child.attrib and len(child) <= 1
        children += list(child) if bare else [child]
    parent[:] = children


def _replace_images_with_masks(root, drawing):
    """Turn each picture that says it is a fill into a mask over a rectangle of its colour.

    A picture has its colours baked in; as the alpha mask of a rectangle it follows the theme.
    """
    for count, picture in enumerate(drawing.findobj(AxesImage)):
        if not hasattr(picture, "tb_fill"):
            raise ValueError(
                "fig: got a picture drawn with imshow, expected none, since its colours cannot "
                "follow the theme; use figures.heat_map"
            )
        png, hue, box, sharp = picture.tb_fill
        place = dict(
            zip(
                ("x", "y", "width", "height"), (f"{v * POINTS_PER_PX:.2f}" for v in box)
            )
        )
        parent, at = next(
            (parent, at)
            for parent in root.iter()
            for at, child in enumerate(parent)
            if child.get("id") == picture.get_gid()
        )
        group = ET.Element(_svg_tag("g"))
        mask = ET.SubElement(
            group, _svg_tag("mask"), id=f"mask{count}", style="mask-type:alpha"
        )
        data = "data:image/png;base64," + base64.b64encode(png).decode()
        ET.SubElement(
            mask,
            _svg_tag("image"),
            {
                "href": data,
                "preserveAspectRatio": "none",
                "style": "image-rendering:" + ("pixelated" if sharp else "auto"),
            }
            | place,
        )
        ET.SubElement(
            group,
            _svg_tag("rect"),
            {"mask": f"url(#mask{count})", "style": f"fill:{css_variable(hue)}"}
            | place,
        )
        parent[at] = group


def _set_root_attributes(root, drawing, alt, aria_role):
    width, height = (side / POINTS_PER_PX * 72 for side in drawing.get_size_inches())
    root.attrib = {
        "viewBox": root.get("viewBox"),
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
        "class": "tb-svg",
        "role": aria_role,
        "aria-label": alt,
        "style": (
            "max-width:100%;height:auto;background:var(--tb-page, #ffffff);"
            "padding:var(--tb-pad, 8px);box-sizing:content-box;"  # air on a dark notebook
            "font-family:inherit;font-variant-numeric:tabular-nums;stroke-linejoin:round"
        ),
    }


def _prefix_ids(root: ET.Element):
    """Put a hash of the content before every id, so that two figures of a page never clash."""
    text = ET.tostring(root, "unicode")
    prefix = "tb" + hashlib.sha256(text.encode()).hexdigest()[:10] + "-"
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == "id":
                element.set(name, prefix + value)
            elif name == "href" and value.startswith("#"):
                element.set(name, "#" + prefix + value[1:])
            elif "url(#" in value:
                element.set(name, value.replace("url(#", f"url(#{prefix}"))
