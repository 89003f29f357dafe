"""Every committed SVG draws without a browser: no CSS, a white ground, and a fill for all that is drawn."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = sorted(DOCS.rglob("*.svg"))
DRAWN = {"path", "rect", "circle", "ellipse", "polygon", "text", "use"}
WHITE = {"white", "#fff", "#ffffff"}
pytestmark = pytest.mark.unchecked


def kind(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def fill_of(element: ElementTree.Element) -> str | None:
    stated = re.search(r"(?:^|;)\s*fill:\s*([^;]+)", element.get("style", ""))
    return stated.group(1).strip() if stated else element.get("fill")


def drawn(element: ElementTree.Element, inherited: str | None = None) -> Iterator[tuple[ElementTree.Element, str | None]]:
    """Each element that is drawn, with its own fill or that of the nearest group around it."""
    if kind(element) in {"defs", "clipPath"}:
        return
    fill = fill_of(element) or inherited
    if kind(element) in DRAWN:
        yield element, fill
    for child in element:
        yield from drawn(child, fill)


def test_there_are_pictures() -> None:
    assert len(PICTURES) >= 6


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_viewer_without_css_draws_the_picture(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"var\(|--[a-z]|prefers-color-scheme|@import|@font-face|paint-order", text)
    assert not re.search(r"""(?:href|src)=["'](?!#)|url\((?!#)""", text)
    without = [element for element, fill in drawn(ElementTree.fromstring(text)) if fill is None]
    assert not without, f"{len(without)} elements without a fill, first {ElementTree.tostring(without[0])[:200]!r}"


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_the_ground_is_white(path: Path) -> None:
    first, fill = next(drawn(ElementTree.fromstring(path.read_text(encoding="utf-8"))))
    assert fill in WHITE, ElementTree.tostring(first)[:200]


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_no_style_sheet_colours_anything(path: Path) -> None:
    """matplotlib's own sheet sets joins and caps of lines, which change no colour."""
    root = ElementTree.fromstring(path.read_text(encoding="utf-8"))
    sheets = "".join(element.text or "" for element in root.iter() if kind(element) == "style")
    assert not re.search(r"(?<!-)(?:fill|stroke|color|font)\s*:", sheets)
