"""The page of the worked example, is-tree.html: figure 3's graph, five networks' thoughts, and what each head attends to.

Like the report's first page it needs neither the network nor JavaScript, and the same code gives the same bytes.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from seqsep.core.files import write_file
from seqsep.report.formatting import count
from seqsep.report.page.templates import environment, source
from seqsep.report.worked_example import SEEN, AttendingHead, WorkedExample, worked_example
from seqsep.report.worked_networks import NETWORKS
from seqsep.theorems.is_tree.figure_3 import EDGES

FILE = "is-tree.html"
CELL = 10
LONGEST_UPRIGHT = 2
PLACES = {1: (40, 40), 5: (140, 40), 3: (240, 40), 4: (40, 140), 6: (140, 140), 2: (240, 140)}
"""The place of each vertex, in the units of the drawing."""


@dataclass(frozen=True)
class DrawnEdge:
    """An edge of the graph: its ends, the middle between them, and the text that is there."""

    ends: tuple[tuple[int, int], tuple[int, int]]
    middle: tuple[float, float]
    upright: bool
    text: str


@dataclass(frozen=True)
class DrawnWeights:
    """A head's weights as squares, those of a weight in percent as one path, and the text of every token.

    Labels of columns are turned if some token has more than two letters.
    """

    head: AttendingHead
    id: str
    squares: tuple[tuple[int, str], ...]
    tokens: tuple[str, ...]
    prompt: int
    turned: bool

    @property
    def side(self) -> int:
        """The side of the whole table."""
        return CELL * len(self.tokens)

    @property
    def left(self) -> int:
        """The margin for the labels of rows."""
        return 30 if self.turned else 18

    @property
    def below(self) -> int:
        """The margin for the labels of columns."""
        return 30 if self.turned else 14


@dataclass(frozen=True)
class DrawnExample:
    """A network's part of the page: its id, its name without the task's, its run, sizes, graph and heads."""

    id: str
    example: WorkedExample
    sizes: tuple[str, ...]
    edges: tuple[DrawnEdge, ...]
    weights: tuple[DrawnWeights, ...]


def write_is_tree_page(folder: Path) -> Path:
    """Write `folder`/is-tree.html and return its path."""
    path = folder / FILE
    write_file(path, is_tree_page())
    return path


def is_tree_page(examples: tuple[WorkedExample, ...] | None = None) -> str:
    """Return the page as text: of these examples, or else of every network of `NETWORKS` in our construction."""
    worked = tuple(worked_example(words) for words in NETWORKS) if examples is None else examples
    return (
        environment()
        .get_template("is_tree_page.html")
        .render(
            css=Markup(source("page.css")),  # our own files
            own_css=Markup(source("is_tree_page.css")),
            prompt=worked[0].run.shown[: worked[0].run.prompt],
            edges=_edges(None),
            edge_numbers={frozenset(edge): number for number, edge in enumerate(EDGES, 1)},
            places=PLACES,
            drawn=[_drawn(example) for example in worked],
            cell=CELL,
        )
    )


def _drawn(example: WorkedExample) -> DrawnExample:
    name = example.words.writer.name
    weights = tuple(_weights(name, example, head) for head in example.heads)
    return DrawnExample(name, example, sizes=_sizes(example), edges=_edges(example), weights=weights)


def _sizes(example: WorkedExample) -> tuple[str, ...]:
    """Return the row of the table of sizes: layers and heads, width, precision, weights in bits, vocabulary, chain of thought,
    answer.
    """
    network = example.run.network
    layers = ", ".join(f"{heads} head{'s' if heads > 1 else ''}" if heads else "recurrence" for heads in example.heads_by_layer)
    return (
        layers,
        count(network.width),
        count(network.precision),
        count(network.ledger().program),
        count(len(network.readout.integers)),
        count(len(example.run.written) - 1),
        example.run.written[-1],
    )


def _edges(example: WorkedExample | None) -> tuple[DrawnEdge, ...]:
    """Return the edges with their numbers in the prompt, or with the numbers of the tokens that go along them."""
    drawn = []
    for number, (u, v) in enumerate(EDGES, 1):
        along = (number,) if example is None else example.goes_along(frozenset((u, v)))
        first = PLACES[u]
        second = PLACES[v]
        middle = ((first[0] + second[0]) / 2, (first[1] + second[1]) / 2)
        drawn.append(DrawnEdge((first, second), middle, first[0] == second[0], text=" · ".join(map(str, along))))
    return tuple(drawn)


def _weights(name: str, example: WorkedExample, head: AttendingHead) -> DrawnWeights:
    read = tuple(_short(token) for token in example.run.shown[:-1])
    squares: dict[int, str] = {}
    for row, place in np.argwhere(head.weights > SEEN).tolist():
        share = round(100 * float(head.weights[row, place]))
        square = f"M{CELL * place + 0.5} {CELL * row + 0.5}h{CELL - 1}v{CELL - 1}h{1 - CELL}z"
        squares[share] = squares.get(share, "") + square
    return DrawnWeights(
        head=head,
        id=f"{name}-{head.number.replace('.', '-')}",
        squares=tuple(sorted(squares.items())),
        tokens=read,
        prompt=example.run.prompt,
        turned=any(len(token) > LONGEST_UPRIGHT for token in read),
    )


def _short(token: str) -> str:
    """Return a token as a label: [BOS] as B, and a pair without spaces."""
    return {"[BOS]": "B"}.get(token, token.replace(" -> ", "→").replace(" ", ""))
