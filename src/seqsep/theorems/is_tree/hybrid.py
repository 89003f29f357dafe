"""A linear recurrence of 8 numbers and one attention layer decide IsTree with a chain of thought of 2n - 1 tokens.

In IsTree a model reads n - 1 edges and answers whether they form a tree on the vertices 1 .. n. Before its answer the network
writes a chain of thought, below called the thought. The recurrence replaces the first attention layer of `is-tree-peeling`,
and the network needs no positions. Its state is small: from n = 20 on, every recurrent model without attention needs a larger
one. Here each number of the state counts with as many bits as its range needs.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.7 (5.6 for IsTree): a linear recurrent model of a constant size with
O(log n) bits, followed by one attention layer.

Input. The prompt and the thought are those of `peeling`. The prompt has n' - 1 edges on the vertices 1 .. n'. The thought
writes one token, called a pointer, for each vertex from 1 to n', in this order. A step that removes a leaf is called a climb:
if the vertex of the last token is a leaf, the thought writes its only neighbour, and the edge between them is removed. After a
pointer the thought climbs until the vertex of the last token is not a leaf. `tasks.trees.peeling` proves that the answer after
the thought is right. From the hidden units of layer 1 on, the network is that of `peeling`. There, four heads look up numbers
in layer 1. Here, the recurrence stores these numbers. The network does not know n'.

We differ:
* The paper walks the tour of Algorithm 1. There each search for the next edge takes log n tokens, O(n log n) in total. In our
  thought the neighbour of a leaf needs no search.
* At a token, the recurrence adds C h_(t-1) to the residual stream. Here h_(t-1) is the state before the token, and C is a
  matrix.

Margins. These hold for every n, every n' <= n and every list of n' - 1 edges. Here eta = floor(ln 2 L^2) + 1 on the grid of
multiples of 1/L:
* The recurrence is exact: its numbers are whole and at most n^2 in magnitude.
* Scores may tie for the greatest. Every other score is lower by at least eta.
* The logit of the next token is above every other logit by at least w_0 = floor(L/(2n - 2))/L (`peeling.proved`).
* Attention weights are rounded to multiples of 1/L, and no other number that is used is rounded. Only losing scores, losing
  logits and the inner sums of hidden units that are 0 are cut off at the end of the grid.

State. There are 8 numbers of p bits, 280 bits at n = 64. If each number has as many bits as its range needs, they have 3
ceil(log2(n + 1)) + 2 ceil(log2(n^2 + 1)) + 1 + ceil(log2 n) + ceil(log2(n + 2)) bits, which is 61 at n = 64. A recurrent model
without attention needs 219 bits at n = 64 for lists that may have loops and repeated edges, whatever thought it writes
(`state`). This model may have fewer, since its attention layer reads the complete prompt.

Residual stream. It has 26 coordinates. First are the token and the stored numbers: [vertex: 2 | is_number | bos | one | last |
has | edges | excess | before: 2 | two_before: 2]. Then come those that layers 1 and 2 of `peeling` write: [high: 2 | low: 2 |
signed_high | signed_low | sign | total | high_degree | high_unit | low_degree | low_unit | not_leaf].

The proof continues at `_peeling_layers`, `_remember`, `_progress`, `_peeling_layers.sort_edges`,
`_peeling_layers.counting_heads`, `_peeling_layers.flag_unless_leaf` and `_peeling_layers.read_out`.
"""

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.maths.networks.network import LinearLayer, Network, whole
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.tasks.trees.tokens import tokens_of_a_run
from seqsep.theorems.base import Choice, Claim, Erratum, Number, Theorem
from seqsep.theorems.blocks import (
    Spaces,
    hard_scale,
    least_grid,
    linear_layer,
    match_needs,
    running_sum,
    shift_register,
    with_squares,
)
from seqsep.theorems.is_tree import _peeling_layers as layers
from seqsep.theorems.is_tree._construction import ThoughtConstruction
from seqsep.theorems.is_tree._peeling_layers import SHARED, Affine, heights
from seqsep.theorems.is_tree.peeling import proved
from seqsep.theorems.options import GridRounding, Length

CLAIM = Claim(
    name="is-tree-hybrid",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 5.7",
    statement="A linear recurrence of 8 numbers and one attention layer decide IsTree with a chain of thought of 2n - 1 tokens",
)
WIDTH = 26
ENTRIES = 2_770
COUNTERS = ("last", "has", "edges", "excess")


def build(length: Length, rounding: GridRounding = "floor") -> Network:
    """The network for graphs of up to n = `length` vertices, tokens as in `Pointed(length)`; `rounding` as in `peeling`.

    Raises ValueError for a length below 1 or another rounding.

    >>> network = build(length=64)
    >>> network.width, network.precision, network.state_bits
    (26, 35, 280)
    """
    if length < 1:
        raise ValueError(f"build(length={length}): expected at least 1 vertex")
    spaces = _spaces()
    grid = _grid(length, rounding)
    readout, readout_bias = layers.read_out(spaces, length, *_progress(spaces))
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(spaces, length), by_index=True),
        layers=(
            (_remember(spaces), layers.sort_edges(spaces, length)),
            (layers.count_edges(spaces, length, hard_scale(grid.steps)), layers.flag_unless_leaf(spaces, length)),
        ),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=layers.generators(WIDTH, own_rows=5) * grid.precision,
    )


def _spaces() -> Spaces:
    token = {"vertex": 2, "is_number": 1, "bos": 1, "one": 1}
    return Spaces(**token, **dict.fromkeys(COUNTERS, 1), before=2, two_before=2, **SHARED)


def _grid(length: int, rounding: str) -> Grid:
    """The least grid that holds n^2, eta n, the number of tokens T, and the read-out's silence c: Kc = 2 for n >= 2."""

    def needed(eta: int) -> int:
        return max(match_needs(length, (eta, 1)), heights(length).silence)

    return least_grid(tokens_of_a_run(length), needed, rounding)


def _symbols(spaces: Spaces, length: int) -> Int64[np.ndarray, "tokens width"]:
    """A token's vector holds its own share of each counter; ~ and [BOS] are vertex 0, and so are the answers, which end a run.

    A pointer counts 1 in `last`, and 1' counts 1 in `has`. In `edges` ~ counts 1. In `excess` a vertex counts 1, and ~ counts
    -3.
    """
    vertices = with_squares(np.arange(1, length + 1)) @ spaces["vertex"]
    numbers = vertices + spaces["is_number"] + spaces["excess"]
    is_first = np.arange(length)[:, None] == 0
    pointers = vertices + spaces["last"] + is_first * spaces["has"]
    between = spaces["edges"] - 3 * spaces["excess"]
    table = np.concatenate([spaces["bos"], numbers, between, spaces.nothing(2), pointers])
    return np.asarray(table + spaces["one"])


def _remember(spaces: Spaces) -> LinearLayer:
    """Eight numbers. Four are `before` and `two_before`, the vertices of the last two tokens, with their squares.

    [BOS] counts as vertex 1 here. So `before` is 1 after [BOS], and 0 after ~, as `sort_edges` needs it. At [BOS] itself
    `before` is 0, since the state begins as 0.

    The other four numbers are running sums over all tokens so far. The state holds the sum over the earlier tokens, and the
    embedding of the token adds its own summand. `last` = p is the number of pointers so far. It is also the vertex of the last
    pointer, since they come in order. `has` = 1 if 1' is one of them. `edges` is the number of ~. `excess` is the number of
    vertex tokens, less three for each ~.
    """
    vertex = spaces["vertex"]
    before = spaces["before"]
    two_before = spaces["two_before"]
    counters = [spaces[name] for name in COUNTERS]
    return linear_layer(
        shift_register(vertex[:1] + spaces["bos"], {1: before[:1], 2: two_before[:1]}),
        shift_register(vertex[1:], {1: before[1:], 2: two_before[1:]}),
        *(running_sum(counter, counter) for counter in counters),
    )


def _progress(spaces: Spaces) -> tuple[Affine, Affine]:
    """`remaining` = 3 (p - n') = 3 (p - edges - 1), and `missing` = 3 (climbs - m) = 3 excess.

    The read-out uses both. `remaining` is 0 after the last pointer, and `missing` is 0 after the last climb. In the thought
    all m tokens ~ have been read. The vertex tokens are the 2m ends and the climbs, so excess = 2m + climbs - 3m. At the end
    of the prompt p = 0 and climbs = 0, so remaining = -3 (m + 1) <= -3 and missing = -3m <= 0.
    """
    remaining = Affine(3 * spaces["last"] - 3 * spaces["edges"], -3)
    return remaining, Affine(3 * spaces["excess"], 0)


def bits_by_range(length: int) -> int:
    """The bits of the eight numbers if each is counted by its range.

    Vertices 0 .. n and their squares twice, `last` 0 .. n, `has` 0 .. 1, `edges` 0 .. n - 1, and `excess` from -n after the
    last ~ to 1 after the first end of the first edge.

    >>> bits_by_range(64)
    61
    """
    vertex = ceil_log2(length + 1)
    square = ceil_log2(length**2 + 1)
    return 2 * (vertex + square) + vertex + 1 + ceil_log2(length) + ceil_log2(length + 2)


def bound(length: Length, rounding: GridRounding = "floor") -> dict[str, Number]:
    """Every size with explicit constants.

    core = 3 * 4 * d * p * 2: keys of 4 rows. program = p E with E = 2,770 whatever n is: 480 of the recurrence, 728 of
    attention, 1,006 of hidden units, 556 that generate the tables.
    """
    precision = _grid(length, rounding).precision
    return {
        "width": WIDTH,
        "heads": 2,
        "layers": 2,
        "precision": precision,
        "core_bits": 3 * 4 * WIDTH * precision * 2,
        "program_bits": ENTRIES * precision,
        "thought_tokens": 2 * length - 1,
        "state_numbers": 8,
        "state_bits": 8 * precision,
        "state_bits_by_range": bits_by_range(length),
    }


CONSTRUCTION = ThoughtConstruction(claim=CLAIM, build=build, bound=bound, tokens=Pointed, think=peel, proved=proved)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the sizes that it builds.",
    not_shown="This does not show that the network is right at other sizes. The proof covers every n.",
    errata=(
        Erratum(
            where="Theorem 5.7, the search for the next edge",
            printed="the search takes the match nearest to p + 2^i for i = 0 .. log2 n; the first one after p is the next edge",
            found="an edge takes three tokens, so two edges are up to 3 (n - 2) tokens apart, and 2^i must exceed half of it. "
            "For 5 vertices, edges 1 and 4 are 9 tokens apart, and i <= 2 misses edge 4. For n = 4 to 39, we took each pair of "
            "edges such that the search must find the second one from the first. With i <= log2 n it misses 2,146 of these "
            "9,138 pairs. If positions count edges instead of tokens, edges 1 and 3 of 4 vertices are equally near to 2, and a "
            "softmax averages them",
            built="no search. A search with positions in tokens and i up to log2 3n would be enough (`_doubling_search`)",
            test="tests/theorems/is_tree/test_hybrid.py::test_the_printed_search_misses_edges",
        ),
    ),
    choices=(
        Choice(
            where="Theorems 5.6 and 5.7, IsTree",
            printed="a chain of thought of O(n log n) tokens",
            found="O(n log n) tokens are more than needed: 2n - 1 tokens are enough, as for the Transformer of Theorem 4.7",
            built="the thought that peels leaves: a leaf's only neighbour is the sum of its neighbours and needs no search",
            test="tests/theorems/is_tree/test_hybrid.py::test_a_linear_thought_is_enough",
        ),
    ),
)
