"""The width of a drawn text, and the lines in which it fits."""

import re
from functools import cache

from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties

DOTS_PER_INCH = 110
"""Of a PNG. Its letters stand on whole dots, so that its lines are wider, by some percent, than those of PDF and SVG."""
JOINT = re.compile(r"(?<=[+,@_-])(?=\S)|(?<=[a-z])(?=[A-Z])")
"""The places at which a long word may be divided."""
RENDERER = RendererAgg(1, 1, DOTS_PER_INCH)


@cache
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width in inches of a text's widest line in a PNG, of `size` points in matplotlib's default font.

    >>> text_width("", 12.0), text_width("wide", 12.0) > text_width("ill", 12.0)
    (0.0, True)
    """
    font = FontProperties(size=size, weight=weight)
    measured = [RENDERER.get_text_width_height_descent(line, font, ismath=False) for line in text.splitlines()]
    return max([float(width) for width, _, _ in measured], default=0.0) / DOTS_PER_INCH


def wrapped(text: str, width: float, size: float, weight: str = "normal") -> list[str]:
    """Return the lines of a text, each at most `width` inches wide. It is broken at spaces; in words too long also after +,
    comma, @, _ and -, and before a capital in a name.

    A size as (1, 64) stays whole. A part without such a place has its own line, however wide it is.

    >>> wrapped("one two three", 0.6, 10.0)
    ['one two', 'three']
    >>> wrapped("mamba+attention", 0.9, 10.0)
    ['mamba+', 'attention']
    >>> wrapped("one two three", 0.6, 10.0, "bold")
    ['one', 'two', 'three']
    """
    lines = [""]
    for word in re.findall(r"(?:\(\d+, \d+\)|\S)+\s*", text):
        fits_a_line = text_width(word.rstrip(), size, weight) <= width
        for piece in [word] if fits_a_line else JOINT.split(word):
            if lines[-1] and text_width((lines[-1] + piece).rstrip(), size, weight) > width:
                lines.append("")
            lines[-1] += piece
    return [line.rstrip() for line in lines]
