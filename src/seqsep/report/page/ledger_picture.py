"""docs/separation.svg, for the README: weights, cache and least state over N in bits, and the weights by position code.

`make pages` writes it; a test compares the committed file with this code.
"""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from seqsep.core.names import required
from seqsep.report.formatting import count
from seqsep.report.index_lookup_ledger import LENGTHS, IndexLookupLedger, Total, index_lookup_ledger, least_state_bits
from seqsep.report.page.chart_layout import LineData
from seqsep.report.page.flat_svg import flat
from seqsep.report.page.ledger_charts import (
    CACHE,
    CODE_STYLES,
    FORMULA,
    LEDGER_STYLES,
    RECURRENT,
    TABLES,
    cache_line,
    crossing_text,
    formula_band,
    formula_words,
    sizes_over_lengths,
    total_chart,
    within,
)
from seqsep.report.page.svg_chart import Chart
from seqsep.report.page.templates import environment
from seqsep.report.styles import Style

TITLE_LETTER = 12.6
SOFT_LETTER = 7.7
CAPTION_LETTER = 6.9
"""The average widths of letters of each size in a wide font, in units of the drawing."""


@dataclass(frozen=True)
class PicturePanel:
    """A chart with its heading: a name and what the chart shows."""

    name: str
    meaning: str
    chart: Chart


@dataclass(frozen=True)
class LedgerPicture:
    """The picture's title, its subtitle, its panels one under the other, and a caption that can be read alone."""

    title: str
    subtitle: str
    panels: tuple[PicturePanel, ...]
    caption: str = ""

    @property
    def scale(self) -> float:
        """The factor by which the only panel of a picture is enlarged."""
        return 1.4 if len(self.panels) == 1 else 1.0

    @property
    def width(self) -> int:
        """The width of the drawing."""
        return 530 if len(self.panels) > 1 else 800

    @property
    def title_lines(self) -> list[str]:
        """The title in lines that fit."""
        return self._lines(self.title, TITLE_LETTER)

    @property
    def subtitle_lines(self) -> list[str]:
        """The subtitle in lines that fit."""
        return self._lines(self.subtitle, SOFT_LETTER)

    @property
    def caption_lines(self) -> list[str]:
        """The caption in lines that fit."""
        return self._lines(self.caption, CAPTION_LETTER)

    @property
    def top(self) -> int:
        """The top of the first panel."""
        return 28 + 25 * len(self.title_lines) + 19 * len(self.subtitle_lines)

    @property
    def panel_height(self) -> int:
        """The distance from one panel to the next."""
        return 44 + round(self.panels[0].chart.height * self.scale)

    @property
    def bottom(self) -> int:
        """The top of the caption."""
        return self.top + self.panel_height * len(self.panels) + 14

    @property
    def height(self) -> int:
        """The height of the drawing."""
        return self.bottom + 17 * len(self.caption_lines)

    def _lines(self, text: str, letter: float) -> list[str]:
        return textwrap.wrap(text, round((self.width - 40) / letter))

    @classmethod
    def of_ledger(cls) -> "LedgerPicture":
        """The picture of `index_lookup_ledger()`."""
        ledger = index_lookup_ledger()
        crossed = crossing_text(ledger.crossing("parabola", "program"))
        return cls(
            title=f"From N = {crossed} on, a recurrent state has more bits than this Transformer's weights",
            subtitle=(
                "Index lookup of N symbols out of 64. Weights are compared with run-time state. The Transformer's cache is in "
                "neither of them."
            ),
            panels=(
                PicturePanel("One network, counted in each way", "in bits; positions as (x, x²)", parabola_chart(ledger)),
                PicturePanel("Weights by position code", "in bits; the total program", total_chart(ledger, "program")),
            ),
            caption=(
                "Black: the least state of any recurrent model, 6 N bits. Program: every weight, except vectors that are "
                "computed from the index. Tables: those vectors are stored too. Cache: the keys and values of N symbols. The "
                "paper prints Θ(m d p H): the band has the constants c = 1 to 4. Bold: the first N at which the state has more "
                "bits. This does not show that a Transformer keeps less while it runs: its cache is larger than the state at "
                "every N."
            ),
        )


def parabola_chart(ledger: IndexLookupLedger) -> Chart:
    """The network with the parabola's code: its weights counted in each way, its cache, and the least recurrent state."""
    low, high = formula_band("parabola")
    crossed = required(ledger.crossing("parabola", "program").first, "the crossing of the parabola's code")
    dot = (float(crossed), float(least_state_bits(crossed)))
    program = LineData(CODE_STYLES["parabola"], count(crossed), "weights, program", _bits(ledger, "program"), dots=(dot,))
    lines = [
        LineData(FORMULA, formula_words("parabola"), FORMULA.title, low, band=(low, high)),
        program,
        LineData(TABLES, "", TABLES.title, _bits(ledger, "tables")),
        LineData(CACHE, "", "cache of N symbols", cache_line().points),
        LineData(RECURRENT, "", RECURRENT.title, tuple((float(at), float(bits)) for at, bits in ledger.recurrent)),
    ]
    return sizes_over_lengths(
        "Weights, cache and least state",
        f"Bits over N from 16 to {LENGTHS[-1]:,}: the Transformer's weights by two totals and by the paper's formula with "
        f"constants from 1 to 4, its cache, and the least recurrent state, which is larger than program from N = {crossed:,} "
        "on.",
        lines,
    )


def _bits(ledger: IndexLookupLedger, total: Total) -> tuple[tuple[float, float], ...]:
    return within(tuple((float(size.length), float(size.bits)) for size in ledger.line("parabola", total)))


def ledger_picture() -> str:
    """The picture as SVG text, which is the same on every machine."""
    return drawn(LedgerPicture.of_ledger(), LEDGER_STYLES)


def drawn(picture: LedgerPicture, styles: Mapping[str, Style]) -> str:
    """A picture as SVG text that every viewer draws, dark on white."""
    template = environment().get_template("ledger_picture.html")
    text = template.render(picture=picture, summary=" ".join(panel.chart.summary for panel in picture.panels))
    return flat(text.strip(), styles) + "\n"
