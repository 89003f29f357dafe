"""The size ledger of IsTree on the report's page: the two charts of docs/is-tree-separation.svg, and their numbers."""

from dataclasses import dataclass
from functools import lru_cache

from seqsep.report.figures.chart_picture import PicturePanel
from seqsep.report.formatting import count
from seqsep.report.is_tree_ledger import STORED, VERTICES, crossing, least_state
from seqsep.report.page.is_tree_picture import STYLES, is_tree_panels
from seqsep.report.page.ledger_charts import RECURRENT
from seqsep.report.styles import Style

SAMPLED = VERTICES[1::4]
"""The numbers of vertices of the table."""

IS_TREE_STYLES: dict[str, Style] = {style.slug: style for style in STYLES.values()}


@dataclass(frozen=True)
class BitsRow:
    """A model in the table: its style, its bits at each n of `SAMPLED`, and the first n at which the least state is larger."""

    style: Style
    bits: tuple[str, ...]
    crossing: str = ""


@dataclass(frozen=True)
class IsTreeBits:
    """The charts, the numbers of vertices of the table's columns, and its rows."""

    panels: tuple[PicturePanel, ...]
    sampled: tuple[str, ...]
    rows: tuple[BitsRow, ...]


@lru_cache(maxsize=1)
def is_tree_bits() -> IsTreeBits:
    """Return the bits of weights and of state of the built models of IsTree, next to the least state of any recurrent model."""
    least = dict(least_state())
    rows = [BitsRow(RECURRENT, tuple(count(least[vertices]) for vertices in SAMPLED))]
    for stored in STORED:
        bits = tuple(count(stored.bits_at(vertices)) for vertices in SAMPLED)
        rows.append(BitsRow(STYLES[stored], bits, count(crossing(stored))))
    return IsTreeBits(is_tree_panels(), tuple(count(vertices) for vertices in SAMPLED), tuple(rows))
