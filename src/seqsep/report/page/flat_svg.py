"""SVG text whose colours and fonts are attributes, so that every viewer draws it: for the worked example of IsTree.

Many viewers know no CSS variables, and some read no style sheet at all. They draw an element without a fill in solid black.
Charts need none of this: matplotlib draws them (`figures.chart`).
"""

from collections.abc import Mapping
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
INK = "#131a22"
SOFT = "#566270"
LINE = "#dce1e7"
GROUND = "#ffffff"
MARK = "#d55e00"
HUB = "#0072b2"
TEXT = {"font-family": "Helvetica, Arial, 'DejaVu Sans', sans-serif", "font-size": "12.5", "fill": INK}
RULES: Mapping[str, Mapping[str, str]] = {
    "ground": {"fill": GROUND},
    "title": {"font-size": "20", "font-weight": "bold"},
    "heading": {"font-size": "15", "font-weight": "bold"},
    "soft": {"font-size": "14", "font-weight": "normal", "fill": SOFT},
    "caption": {"font-size": "12.5", "fill": SOFT},
    "value": {"font-weight": "bold"},
    "climb": {"font-weight": "bold", "fill": MARK},
    "edge": {"stroke": SOFT, "stroke-width": "2", "fill": "none"},
    "vertex": {"fill": GROUND, "stroke": HUB, "stroke-width": "2"},
    "cell": {"fill": MARK},
    "box": {"fill": "none", "stroke": LINE},
}
"""The attributes of each class."""


def flat(svg: str) -> str:
    """Return a drawing with the style of each class as attributes.

    >>> flat('<svg xmlns="http://www.w3.org/2000/svg"><rect class="ground"/></svg>')
    '<svg xmlns="http://www.w3.org/2000/svg"><rect class="ground" fill="#ffffff" /></svg>'
    """
    ElementTree.register_namespace("", SVG[1:-1])
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        text = TEXT if element.tag == f"{SVG}text" else {}
        for name, value in {**text, **RULES.get(element.get("class", ""), {})}.items():
            element.set(name, value)
    return ElementTree.tostring(root, encoding="unicode")
