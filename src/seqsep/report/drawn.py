"""An experiment as files and for the page: three figures as PDF, PNG and SVG, two tables, and the figures' captions."""

import base64
from dataclasses import dataclass
from pathlib import Path

from seqsep.report.cell_table import write_tables
from seqsep.report.cells import Grid, draw_grid
from seqsep.report.looks import write_figure
from seqsep.report.panels import curves_caption, draw_curves, draw_states, states_caption
from seqsep.report.separation_plot import draw_separation


@dataclass(frozen=True)
class Picture:
    """A figure on the page: its SVG as a data address, what it is, and its caption."""

    source: str
    title: str
    caption: str


@dataclass(frozen=True)
class Drawn:
    """An experiment on the page."""

    name: str
    question: str
    pictures: tuple[Picture, ...]


def draw_ledger(folder: Path) -> None:
    """Write figures/separation: the separation in bits, which depends on no rows."""
    write_figure(draw_separation(), folder / "figures", "separation")


def draw_experiment(grid: Grid, folder: Path, name: str, question: str) -> Drawn:
    """Write figures/NAME, NAME-curves and NAME-state, tables/NAME; returns what the page shows of it."""
    write_tables(grid, folder / "tables", name)
    pictures = []
    for suffix, title, figure, caption in (
        ("", "accuracy by length, and over learning rates", draw_grid(grid), grid.caption()),
        ("-curves", "accuracy while training", draw_curves(grid), curves_caption(grid)),
        ("-state", "accuracy and bits of state", draw_states(grid), states_caption(grid)),
    ):
        *_, vector = write_figure(figure, folder / "figures", f"{name}{suffix}")
        code = base64.b64encode(vector.read_bytes()).decode("ascii")
        pictures.append(Picture(f"data:image/svg+xml;base64,{code}", title, caption))
    return Drawn(name, question, tuple(pictures))
