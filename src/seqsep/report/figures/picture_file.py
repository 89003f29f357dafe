"""A figure as a file or as text: equal figures give equal bytes, and the file appears whole."""

import re
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from matplotlib import rc_context
from matplotlib.figure import Figure

from seqsep.core.files import write_file
from seqsep.core.names import printable

FORMATS = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The endings of pictures, and the notes of this moment that matplotlib would otherwise write."""
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def require_format(path: Path) -> None:
    """Raise ValueError unless a picture's name ends in .png, .svg or .pdf.

    >>> require_format(Path("states.jpg"))
    Traceback (most recent call last):
    ValueError: states.jpg: expected a picture that ends in .png, .svg or .pdf, found '.jpg'
    """
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"{path}: expected a picture that ends in .png, .svg or .pdf, found {path.suffix or 'no ending'!r}")


def save_figure(figure: Figure, path: Path, dots_per_inch: int) -> None:
    """Write the figure in the format of the path's ending. Raises as `require_format` and `seqsep.core.files.write_file` do."""
    require_format(path)
    write_file(path, _drawn(figure, path.suffix.lower(), dots_per_inch))


def svg_text(figure: Figure) -> str:
    """Return the figure as the text of an SVG file; its words are paths."""
    return _drawn(figure, ".svg", dots_per_inch=72).decode("utf-8")


def plain_svg(figure: Figure, title: str, summary: str, name: str, for_page: bool = False) -> str:
    """Return the figure as SVG text of paths and words only, which every viewer draws; its ids begin with `name`.

    It has no style sheet, no definitions and no links. `for_page` replaces each colour by a CSS variable of its name, such as
    --c-0072b2, which a page sets for its dark scheme.
    """
    with rc_context({"svg.fonttype": "none"}):
        drawn = ElementTree.fromstring(_drawn(figure, ".svg", dots_per_inch=72))
    shapes = {path.get("id"): path.get("d", "") for path in drawn.iter(f"{SVG}path")}
    _, _, width, height = drawn.get("viewBox", "").split()
    head = {"viewBox": f"0 0 {width} {height}", "role": "img", "aria-labelledby": f"{name}-title {name}-text"}
    root = ElementTree.Element("svg", head | ({"class": "chart"} if for_page else {"xmlns": SVG[1:-1], "width": width}))
    ElementTree.SubElement(root, "title", {"id": f"{name}-title"}).text = printable(title)
    ElementTree.SubElement(root, "desc", {"id": f"{name}-text"}).text = printable(summary)
    for element in drawn.iter():
        look = {"fill": "#000000", **dict(re.findall(r"([a-z-]+):\s*([^;]+)", element.get("style", "")))}
        look |= {"font-family": FONT} if "font-family" in look else {}
        at = {axis: _short(element.get(axis, "0")) for axis in ("x", "y")}
        if element.tag == f"{SVG}path" and not element.get("id"):
            ElementTree.SubElement(root, "path", look | {"d": _short(element.get("d", ""))})
        elif element.tag == f"{SVG}use":
            shape = {"d": _short(shapes[element.get(LINK, "")[1:]]), "transform": f"translate({at['x']} {at['y']})"}
            ElementTree.SubElement(root, "path", look | shape)
        elif element.tag == f"{SVG}text":
            moved = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))  # a text of several lines
            at |= {"x": _short(moved[1]), "y": _short(moved[2])} if moved else {}
            ElementTree.SubElement(root, "text", look | at).text = element.text
    ElementTree.indent(root, "")
    text = ElementTree.tostring(root, "unicode")
    return re.sub(r'"#([0-9a-f]{6})"', r'"var(--c-\1, #\1)"', text) if for_page else text


def _short(numbers: str) -> str:
    """Return the numbers of a path with two digits after the point, on one line."""
    shorter = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), numbers)
    return " ".join(shorter.split())


def _drawn(figure: Figure, kind: str, dots_per_inch: int) -> bytes:
    picture = BytesIO()
    with rc_context({"svg.hashsalt": "seqsep"}):
        figure.savefig(picture, format=kind[1:], dpi=dots_per_inch, metadata=FORMATS[kind])
    data = picture.getvalue()
    if kind != ".svg":
        return data
    text = printable(data.decode("utf-8"))  # labels are in its comments
    return text.replace("<svg ", '<svg fill="#000000" ', 1).encode("utf-8")  # black is written for viewers that know no default
