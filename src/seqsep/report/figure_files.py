"""Figures and tables of an experiment as files, and what the page shows of them."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from seqsep.core.files import read_bytes
from seqsep.report.captions import CURVES, HEATMAP, STATES, USED_BITS
from seqsep.report.experiment_table import NamedTable
from seqsep.report.figures.chart_picture import draw_picture
from seqsep.report.figures.panels import draw_curves, draw_states
from seqsep.report.figures.results import draw_results
from seqsep.report.figures.sheet import write_figure
from seqsep.report.figures.used_bits import draw_used_bits
from seqsep.report.page.ledger_picture import separation_picture
from seqsep.report.plain_table import PlainTable
from seqsep.report.table_files import write_tables


@dataclass(frozen=True)
class ShownFigure:
    """A figure on the page: its SVG as a data address, what it is, and its caption."""

    source: str
    title: str
    caption: str


@dataclass(frozen=True)
class ShownExperiment:
    """An experiment on the page: its figures, and a table if the page has none elsewhere."""

    name: str
    question: str
    figures: tuple[ShownFigure, ...]
    table: PlainTable | None = None
    positions: PlainTable | None = None


def write_separation(folder: Path) -> None:
    """Write figures/separation: the separation in bits, which depends on no rows."""
    write_figure(draw_picture(separation_picture(), columns=2), folder / "figures", "separation")


def write_experiment(named: NamedTable, folder: Path) -> ShownExperiment:
    """Write figures/NAME, NAME-curves and NAME-state, tables/NAME; return what the page shows of them.

    Where models differ in their states alone, at one rate, NAME-state is the only figure.
    """
    write_tables(named.table, folder / "tables", named.name)
    return ShownExperiment(named.name, named.question, tuple(shown_figures(named, folder)))


def shown_figures(named: NamedTable, folder: Path) -> list[ShownFigure]:
    """Write the figures of a table; return what the page shows of them."""
    return [
        ShownFigure(write_as_data(figure, folder, f"{named.name}{suffix}"), title, caption)
        for suffix, title, figure, caption in _drawn(named)
    ]


def _drawn(named: NamedTable) -> Sequence[tuple[str, str, Figure, str]]:
    """Return the figures of a table: the end of the file's name, its subject, the figure, and its caption."""
    if named.is_of_states:
        return [("-state", "bits of state that are used", draw_used_bits(named.table, USED_BITS), USED_BITS)]
    return (
        ("", "accuracy by length, and over learning rates", draw_results(named.table, HEATMAP), HEATMAP),
        ("-curves", "accuracy while training", draw_curves(named.table, CURVES), CURVES),
        ("-state", "accuracy and bits of state", draw_states(named.table, STATES), STATES),
    )


def write_as_data(figure: Figure, folder: Path, name: str) -> str:
    """Write a figure's files and return its SVG as a data address."""
    *_, vector = write_figure(figure, folder / "figures", name)
    code = base64.b64encode(read_bytes(vector)).decode("ascii")
    return f"data:image/svg+xml;base64,{code}"
