"""docs/is-tree-example.svg: the graph of the paper's figure 3, the thought about it, and what each head attends to.

`make pages` writes it; a test compares the committed file with this code.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from seqsep.report.attention_weights import attention_weights
from seqsep.report.page.flat_svg import flat
from seqsep.report.page.templates import environment
from seqsep.report.worked_networks import NETWORKS
from seqsep.theorems.is_tree.figure_3 import Example, figure_3

CELL = 16
PLACES = {1: (40, 50), 5: (140, 50), 3: (240, 50), 4: (40, 150), 6: (140, 150), 2: (240, 150)}
"""The place of each vertex: 5 and 6 are the hubs of two stars, the edge between 2 and 3 is the odd one."""


@dataclass(frozen=True)
class ClimbedEdge:
    """An edge: its ends, its place in the input, and which climb takes it away, both from 1."""

    ends: tuple[tuple[int, int], tuple[int, int]]
    middle: tuple[float, float]
    read: int
    climbed: int


@dataclass(frozen=True)
class DrawnHead:
    """A head's name, what it gives, and its cells that are not empty: column, row, opacity in percent."""

    name: str
    gives: str
    cells: tuple[tuple[int, int, int], ...]


def is_tree_example() -> str:
    """Return the picture as SVG text, which is the same on every machine."""
    example = figure_3()
    weights = attention_weights(example.network, np.array(example.tokens[:-1]))
    by_layer = [(layer, head) for layer, heads in enumerate(weights, 1) for head in heads]
    heads = [
        _head(f"layer {layer}: {words.name}", words.gives, shown[example.prompt - 1 :])
        for words, (layer, shown) in zip(NETWORKS[0].heads, by_layer, strict=True)
    ]
    text = (
        environment()
        .get_template("is_tree_example.html")
        .render(
            example=example,
            read=example.shown[:-1],
            behind=example.shown[example.prompt - 1 : -1],
            places=PLACES,
            edges=_edges(example),
            heads=heads,
            cell=CELL,
        )
    )
    return flat(text.strip()) + "\n"


def _head(name: str, gives: str, weights: Float64[np.ndarray, "written read"]) -> DrawnHead:
    cells = tuple((int(column), int(row), round(100 * weights[row, column])) for row, column in np.argwhere(weights > 0.005))
    return DrawnHead(name, gives, cells)


def _edges(example: Example) -> tuple[ClimbedEdge, ...]:
    """Return the edges in the order of the input: u ~ v is read at places 3 k + 1 and 3 k + 3."""
    drawn: list[ClimbedEdge] = []
    for place in range(1, example.prompt, 3):
        u = example.tokens[place]
        v = example.tokens[place + 2]
        ends = (PLACES[u], PLACES[v])
        middle = ((ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2)
        climbed = example.climbs.index(frozenset((u, v))) + 1
        drawn.append(ClimbedEdge(ends, middle, read=len(drawn) + 1, climbed=climbed))
    return tuple(drawn)
