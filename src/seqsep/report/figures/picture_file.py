"""How a figure becomes a file: equal figures give equal bytes, and the file appears whole."""

from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from seqsep.core.files import write_file
from seqsep.core.names import printable

FORMATS = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""The endings of pictures, and what matplotlib would else write of this moment."""


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
    """The figure as the text of an SVG file."""
    return _drawn(figure, ".svg", dots_per_inch=72).decode("utf-8")


def _drawn(figure: Figure, kind: str, dots_per_inch: int) -> bytes:
    picture = BytesIO()
    with rc_context({"svg.hashsalt": "seqsep"}):
        figure.savefig(picture, format=kind[1:], dpi=dots_per_inch, metadata=FORMATS[kind])
    data = picture.getvalue()
    if kind != ".svg":
        return data
    text = printable(data.decode("utf-8"))  # labels stand in its comments
    return text.replace("<svg ", '<svg fill="#000000" ', 1).encode("utf-8")  # black is written for viewers that know no default
