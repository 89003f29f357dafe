"""SVG text whose colours and fonts are attributes, so that every viewer draws it.

Many viewers know no CSS variables, and some read no style sheet at all. They draw an element without a fill in solid black.
`flat` writes the style of each class into its elements. It also turns nested drawings and outlines under letters into plain
groups and copies, because converters draw these differently.
"""

import copy
from collections.abc import Mapping
from xml.etree import ElementTree

from seqsep.report.styles import Style

SVG = "{http://www.w3.org/2000/svg}"
INK = "#131a22"
SOFT = "#566270"
LINE = "#dce1e7"
GROUND = "#ffffff"
MARK = "#d55e00"
HUB = "#0072b2"
COLOUR = "colour of the class"
"""Stands for the colour of the style whose slug is a class of the element."""
TEXT = {"font-family": "Helvetica, Arial, 'DejaVu Sans', sans-serif", "font-size": "12.5", "fill": INK}
RULES: Mapping[str, Mapping[str, str]] = {
    "ground": {"fill": GROUND},
    "title": {"font-size": "20", "font-weight": "bold"},
    "heading": {"font-size": "15", "font-weight": "bold"},
    "soft": {"font-size": "14", "font-weight": "normal", "fill": SOFT},
    "caption": {"font-size": "12.5", "fill": SOFT},
    "tick": {"font-size": "11.5", "fill": SOFT},
    "small": {"font-size": "10", "fill": SOFT},
    "value": {"font-weight": "bold"},
    "climb": {"font-weight": "bold", "fill": MARK},
    "grid": {"stroke": LINE, "fill": "none"},
    "line": {"stroke": COLOUR, "stroke-width": "2", "fill": "none", "stroke-linejoin": "round", "stroke-linecap": "round"},
    "line.least-state": {"stroke-width": "3"},
    "line.v1": {"stroke-dasharray": "7 5"},
    "line.v2": {"stroke-dasharray": "2 4"},
    "line.v3": {"stroke-dasharray": "9 3 2 3"},
    "line.v4": {"stroke-dasharray": "12 5"},
    "line.v5": {"stroke-dasharray": "7 3 2 3 2 3"},
    "line.faint": {"stroke-width": "1.2", "stroke-opacity": "0.3"},
    "guide": {"stroke": SOFT, "stroke-dasharray": "1 4", "fill": "none"},
    "leader": {"stroke": COLOUR, "stroke-dasharray": "1 3", "fill": "none", "stroke-opacity": "0.8"},
    "area": {"fill": COLOUR, "fill-opacity": "0.2", "stroke": "none"},
    "fill": {"fill": COLOUR},
    "dot": {"stroke": GROUND, "stroke-width": "0.8"},
    "steps": {"stroke": INK, "stroke-width": "1.6", "stroke-linejoin": "round", "fill": "none", "stroke-opacity": "0.75"},
    "edge": {"stroke": SOFT, "stroke-width": "2", "fill": "none"},
    "vertex": {"fill": GROUND, "stroke": HUB, "stroke-width": "2"},
    "cell": {"fill": MARK},
    "box": {"fill": "none", "stroke": LINE},
}
"""The attributes of each class, or of elements with all of several classes. A later rule replaces an earlier one."""
OUTLINED = {"stroke": GROUND, "stroke-width": "4", "stroke-linejoin": "round"}
"""The copy under letters that are on lines."""


def flat(svg: str, styles: Mapping[str, Style]) -> str:
    """Return a drawing with the style of each class as attributes; `styles` have the colours, by slug.

    >>> flat('<svg xmlns="http://www.w3.org/2000/svg"><rect class="ground"/></svg>', {})
    '<svg xmlns="http://www.w3.org/2000/svg"><rect class="ground" fill="#ffffff" /></svg>'
    """
    ElementTree.register_namespace("", SVG[1:-1])
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        for name, value in _attributes(element, styles).items():
            element.set(name, value)
    for parent in list(root.iter()):
        _outline_letters(parent)
        for child in parent:
            if child.tag == f"{SVG}svg":
                _into_group(child)
    return ElementTree.tostring(root, encoding="unicode")


def _attributes(element: ElementTree.Element, styles: Mapping[str, Style]) -> dict[str, str]:
    classes = set(element.get("class", "").split())
    found = dict(TEXT) if element.tag == f"{SVG}text" else {}
    for names, attributes in RULES.items():
        if classes.issuperset(names.split(".")):
            found |= attributes
    colour = next((styles[name].light for name in sorted(classes & styles.keys())), INK)
    return {name: colour if value == COLOUR else value for name, value in found.items()}


def _outline_letters(parent: ElementTree.Element) -> None:
    """Put a white outline under each text that stands on lines."""
    for place, child in reversed(list(enumerate(parent))):
        if child.tag == f"{SVG}text" and "mark" in child.get("class", "").split():
            below = copy.deepcopy(child)
            below.tail = ""
            for name, value in (OUTLINED | {"fill": GROUND, "aria-hidden": "true"}).items():
                below.set(name, value)
            parent.insert(place, below)


def _into_group(nested: ElementTree.Element) -> None:
    """Turn a nested drawing, whose box begins at 0 0, into a group that is moved and scaled."""
    *_, width, _ = nested.attrib.pop("viewBox", f"0 0 {nested.get('width', '1')} 1").split()
    scale = float(nested.attrib.pop("width", width)) / float(width)
    nested.attrib.pop("height", None)
    at = [float(nested.attrib.pop(name, "0")) for name in ("x", "y")]
    nested.tag = f"{SVG}g"
    nested.set("transform", f"translate({at[0]:g} {at[1]:g}) scale({scale:g})")
