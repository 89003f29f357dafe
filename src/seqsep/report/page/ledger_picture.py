"""docs/separation.svg, for the README: the three panels of the separation in bits, and width against precision at N = 1,000.

`make pages` writes it; a test compares the committed file with this code.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from seqsep.report.index_lookup_ledger import index_lookup_ledger
from seqsep.report.page.ledger_charts import LEDGER_STYLES, crossing_text, frontier_figures, separation_figure
from seqsep.report.page.svg_chart import Chart
from seqsep.report.page.templates import environment, source
from seqsep.report.styles import Style


@dataclass(frozen=True)
class PicturePanel:
    """A chart with its heading: a name and what the chart shows."""

    name: str
    meaning: str
    chart: Chart


@dataclass(frozen=True)
class LedgerPicture:
    """The picture's title, its subtitle, and its panels."""

    title: str
    subtitle: str
    panels: tuple[PicturePanel, ...]

    @property
    def scale(self) -> float:
        """How much larger a panel is drawn if it stands alone."""
        return 1.4 if len(self.panels) == 1 else 1.0

    @property
    def width(self) -> int:
        """The width of the drawing: two panels a row, or one."""
        return 1040 if len(self.panels) > 1 else 800

    @property
    def height(self) -> int:
        """The height of the drawing: the rows of panels below the titles."""
        return 92 + round(360 * self.scale) * -(-len(self.panels) // 2)

    @classmethod
    def of_ledger(cls) -> "LedgerPicture":
        """The picture of `index_lookup_ledger()`."""
        crossed = crossing_text(index_lookup_ledger().crossing("parabola", "program"))
        totals = [PicturePanel(one.total, f"in bits: {one.meaning}", one.chart) for one in separation_figure().panels]
        narrow = frontier_figures()[0]
        frontier = PicturePanel(f"width and precision at N = {narrow.length:,}", "with their frontier", narrow.chart)
        return cls(
            title=f"From N = {crossed} on, every recurrent model needs more bits than this Transformer",
            subtitle=(
                "Index lookup, 64 symbols: parameter bits by position code beside the least recurrent state. Bold: the first N "
                "where that is larger; the fair total is program."
            ),
            panels=(*totals, frontier),
        )


def ledger_picture() -> str:
    """The picture as SVG text, light or dark as the reader's system is; the same on every machine."""
    return drawn(LedgerPicture.of_ledger(), LEDGER_STYLES)


def drawn(picture: LedgerPicture, styles: Mapping[str, Style]) -> str:
    """A picture as SVG text."""
    template = environment().get_template("ledger_picture.html")
    text = template.render(
        css=Markup(source("ledger_picture.css")),  # our own file
        styles=styles,
        picture=picture,
        summary=" ".join(panel.chart.summary for panel in picture.panels),
    )
    return text.lstrip() + "\n"
