"""Attention weights and other matrices as squares of an SVG: numbers where they fit, and a title in each square."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SMALL = 14
CELL = 24
LARGE = 36
MOST_LARGE = 10
MOST_CELLS = 20
SEEN = 0.005
MOST_WITH_NUMBERS = 26
MARGIN = 12
LETTER = 7.2


@dataclass(frozen=True)
class DrawnSquare:
    """A square: its place, its weight from 0 to 1, its number as text, and what a reader hears."""

    x: int
    y: int
    weight: float
    number: str
    title: str


@dataclass(frozen=True)
class DrawnSquares:
    """Squares with the words of their rows and columns, and the size of the picture."""

    name: str
    title: str
    summary: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    squares: tuple[DrawnSquare, ...]
    left: int
    cell: int

    @property
    def width(self) -> int:
        """The width of the picture."""
        return self.left + self.cell * len(self.columns) + MARGIN

    @property
    def height(self) -> int:
        """The height of the picture."""
        return self.cell * len(self.rows) + 26


def squares_of(
    name: str, title: str, weights: np.ndarray, rows: Sequence[str], columns: Sequence[str], unit: str = "%"
) -> DrawnSquares:
    """Return the squares of a matrix of numbers from 0 to 1; `name` begins its ids. Squares below 0.005 are empty.

    >>> drawn = squares_of("head", "Head 1", np.array([[1.0, 0.0], [0.25, 0.75]]), ["a", "b"], ["a", "b"])
    >>> [(one.number, one.title) for one in drawn.squares]
    [('100', 'a reads a: 100 %'), ('25', 'b reads a: 25 %'), ('75', 'b reads b: 75 %')]
    """
    longest = max(len(rows), len(columns))
    cell = LARGE if longest <= MOST_LARGE else CELL if longest <= MOST_CELLS or unit == "%" else SMALL
    with_numbers = longest <= MOST_WITH_NUMBERS and unit == "%"
    found = []
    for row, column in np.argwhere(weights > SEEN).tolist():
        weight = float(weights[row, column])
        share = f"{100 * weight:.0f}"
        said = f"{rows[row]} reads {columns[column]}: {share} %" if unit == "%" else f"{rows[row]}, {columns[column]}: {unit}"
        number = share if with_numbers else ""
        found.append(DrawnSquare(cell * column, cell * row, weight=round(weight, 3), number=number, title=said))
    left = round(max((len(text) for text in rows), default=0) * LETTER) + 10
    most = [f"{rows[row]} reads {columns[int(weights[row].argmax())]} most" for row in range(min(len(rows), 40))]
    summary = "; ".join(most) if unit == "%" else f"{len(found)} squares are filled"
    return DrawnSquares(
        name, title, f"{summary}.", rows=tuple(rows), columns=tuple(columns), squares=tuple(found), left=left, cell=cell
    )
