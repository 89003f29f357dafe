"""docs/is-tree-separation.svg: a Transformer's weights and cache, what hybrids remember, and the least recurrent state.

`make pages` writes it; a test compares the committed file with this code.
"""

from collections.abc import Sequence
from functools import lru_cache

from seqsep.core.names import required
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.formatting import count
from seqsep.report.is_tree_ledger import (
    CACHE,
    HYBRID,
    HYBRID_BY_RANGE,
    TRANSFORMER,
    VERTICES,
    WALK,
    WALK_BY_RANGE,
    StoredBits,
    crossing,
    least_state,
)
from seqsep.report.page.ledger_charts import RECURRENT, power_of_ten
from seqsep.report.styles import Style
from seqsep.theorems.is_tree.many_vertices import at_least

STYLES: dict[StoredBits, Style] = {
    TRANSFORMER: Style("is-tree-transformer", "weights", light="#d55e00", dark="#ff8a3c", marker="o"),
    HYBRID: Style("is-tree-hybrid", "hybrid, p bits each", light="#0072b2", dark="#53b4ee", marker="s"),
    WALK: Style("is-tree-walk", "walk, p bits each", light="#009e73", dark="#2fcfa2", marker="^"),
    HYBRID_BY_RANGE: Style("is-tree-hybrid-range", "hybrid, by range", light="#7a5cc9", dark="#b49bff", marker="D"),
    CACHE: Style("is-tree-cache", "cache", light="#b5179e", dark="#f48fe0", marker="*"),
    WALK_BY_RANGE: Style("is-tree-walk-range", "walk, by range", light="#c48600", dark="#f6c344", marker="P"),
}
AXIS = "n, vertices (both axes logarithmic)"
MOST_REMEMBERED = 1024
REMEMBERED = (WALK, HYBRID, HYBRID_BY_RANGE, WALK_BY_RANGE)


def is_tree_picture() -> str:
    """Return the picture as SVG text, which is the same on every machine."""
    return picture_svg(_picture())


@lru_cache(maxsize=1)
def _picture() -> ChartPicture:
    whole = required(crossing(TRANSFORMER), "the crossing of the Transformer")
    return ChartPicture(
        title=f"IsTree: from n = {whole:,} on, a recurrent state has more bits than this Transformer's weights",
        subtitle=(
            "Is a list of n - 1 edges a tree? Weights are compared with run-time state. The Transformer's cache is in "
            "neither of them."
        ),
        panels=tuple(reversed(is_tree_panels())),
        caption=(
            "Black: the least state of any recurrent model, with any thought. Weights: all weights of a two-layer Transformer. "
            "Cache: its keys and values up to the end of its thought, 5n - 3 tokens. Hybrid: the state of a recurrence in "
            "front of one attention layer. Walk: the state of a model with a retriever. Both read the input again, in a cache "
            "or a list that no curve of the second panel has. Number at a name: the first n at which "
            "the least state has more bits. This does not show that a Transformer keeps less while it runs: its cache is "
            "larger than the state at every n drawn."
        ),
    )


def is_tree_panels() -> tuple[PicturePanel, ...]:
    """Return the two charts: bits remembered up to n = 1,024, and the bits of the Transformer's weights up to n = 65,536."""
    return (
        PicturePanel(
            "State of two other models",
            "in bits, without what they read again",
            _chart(
                "Bits remembered",
                "Bits of state of the hybrid and of the walk with a retriever, each number at p bits or by its range",
                REMEMBERED,
                last=MOST_REMEMBERED,
                powers=range(1, 5),
            ),
        ),
        PicturePanel(
            "Weights and cache",
            "of the two-layer Transformer, in bits",
            _chart(
                "Bits of weights and of cache",
                "Bits of all weights of the two-layer Transformer that peels leaves, and of its cache",
                (TRANSFORMER, CACHE),
                last=VERTICES[-1],
                powers=range(1, 10),
            ),
        ),
    )


def _chart(title: str, what: str, lines: Sequence[StoredBits], *, last: int, powers: range) -> Chart:
    """Return some lines next to the least state, up to n = `last`, with a dot where the least state becomes larger."""
    drawn_lines = [_line(stored, last) for stored in lines]
    least = tuple((float(vertices), float(bits)) for vertices, bits in least_state() if vertices <= last)
    drawn_lines.append(LineData(RECURRENT, "", RECURRENT.title, least))
    crossed = "; ".join(f"{line.name} from n = {line.value} on" for line in drawn_lines if line.value)
    heights = tuple((10.0**power, power_of_ten(power)) for power in powers[:: 1 + len(powers) // 7])
    ticks = [vertices for vertices in VERTICES if vertices <= last][:: 2 if last <= MOST_REMEMBERED else 3]
    return Chart(
        title,
        f"{what}, over n from {VERTICES[0]} to {last:,}, next to the least state of any recurrent model, which is larger than "
        f"{crossed}.",
        lines=tuple(drawn_lines),
        x=Axis(float(VERTICES[0]), float(last), tuple((float(tick), count(tick)) for tick in ticks), AXIS, log=True),
        y=Axis(10.0 ** powers[0], 10.0 ** powers[-1], heights, log=True),
    )


def _line(stored: StoredBits, last: int) -> LineData:
    points = tuple((float(vertices), float(bits)) for vertices, bits in stored.points if vertices <= last)
    first = crossing(stored)
    style = STYLES[stored]
    if first is None or first > last:
        return LineData(style, "", style.title, points)
    dot = (float(first), float(at_least(first)))
    return LineData(style, count(first), style.title, points, dots=(dot,))
