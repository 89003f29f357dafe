"""Three attention layers decide whether edges form a tree, with the chain of thought of the paper: a tour of 2n - 1 tokens.

The chain of thought ("thought") is Algorithm 1 of the paper, a depth-first tour of the graph. The paper uses nine layers.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7 with Algorithm 1 and Lemma C.29.

Input. There are n' - 1 edges without loops and repetitions on the vertices 1 .. n', for any n' <= n, in any order.
`tasks.trees.tour` has the thought in our form and in the form of the paper. They differ in one token: our form writes the
vertex that closes a cycle, and then NO. The paper writes NO at once. The thought has each vertex that the tour visits, from
vertex 1 on, and then YES or NO.

We differ:
* The paper gives each edge a counter 1/k and finds the next edge with one of its attention
  blocks, `MatchNext`, from these reciprocals. For inputs of up to n^A tokens, the scores are squared differences times
  n^(4A + 3).
* Here each edge of a vertex v is stored with the edge of v before it. If vy and vz follow each other among the edges of v,
  layer 2 stores y at vz. So if the tour returns from y to v, the next edge of v is the one at which y is stored. Layer 3 finds
  it by a match of two numbers, v and y.
* The network notices a cycle after it has written the vertex that closes it, which is one token later than in the paper. So it
  needs no layer that looks ahead.
* The read-out has a separate matrix. The paper reads out with the embeddings of the vertices, which cannot select a vertex
  (errata).

Sizes. There are 3 layers of 5, 3 and 2 heads, in width 38. The network reads T = 5n - 3 tokens. Its numbers are multiples of
1/L, and have p = bit_length(2 L^2) bits. If they are rounded down, L = T^2 for n >= 7, and p is 27 at n = 16 and 35 at n = 64.
If they are rounded to the nearest, L is a power of two, and p is 28 and 36. The paper has 9 layers. Its factor n^(4A + 3),
with n^A = T, needs at least 2 ceil((4A + 3) log2 n) + 1 bits, 105 at n = 64.

Margins. These hold for every n, every n' <= n and every such list. Here eta = floor(ln 2 L^2) + 1:
* In every head one key scores above all others: by at least 2 eta in layer 1, and by at least eta in the other layers. So with
  either rounding its weight is 1 (`blocks.hard_maximum`), and every number that is used is whole.
* The logit of the next token is above every other logit by at least 1.
* Some numbers are cut off at the end of the grid, without effect: losing scores, the inner sums of hidden units that are 0,
  and the key of the first ~ in layer 3.

Floating point. In float64 only one thing is proved: the weights of losing keys are below 1/(4 L^4) in layer 1.

The proof continues at `_tour_layers`, `_tour_layers.look_back`, `_tour_layers.write_incidences`, `_tour_layers.find_earlier`,
`_tour_layers.flag_cycle`, `_tour_layers.find_next`, `_tour_layers.choose_next` and `_tour_layers.read_out`.
"""

import math

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import Network, whole
from seqsep.tasks.trees.tokens import Tokens, tokens_of_a_run
from seqsep.tasks.trees.tour import tour
from seqsep.theorems.base import Claim, Erratum, Number, Theorem
from seqsep.theorems.blocks import Spaces, hard_scale, least_grid, match_needs, with_squares
from seqsep.theorems.is_tree import _tour_layers as layers
from seqsep.theorems.is_tree._construction import ThoughtConstruction
from seqsep.theorems.options import GridRounding, Length

CLAIM = Claim(
    name="is-tree-tour",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7",
    statement="Three causal attention layers of width 38 decide IsTree with the tour of Algorithm 1 as their chain of thought",
)
WIDTH = 38
ENTRIES = 9_461
FARTHEST = 4


def build(length: Length, rounding: GridRounding = "floor") -> Network:
    """The network for graphs of up to n = `length` vertices, tokens as in `Tokens(length)`.

    `rounding`: "floor", B.2's grid, or "nearest", the paper's own grid (`blocks.least_grid`). Raises ValueError for a length
    below 1 or another rounding.

    >>> network = build(length=64)
    >>> network.width, network.precision, [len(layer.heads) for layer, _ in network.layers]
    (38, 35, [5, 3, 2])
    """
    if length < 1:
        raise ValueError(f"build(length={length}): expected at least 1 vertex")
    spaces = _spaces()
    grid = _grid(length, rounding)
    tokens = tokens_of_a_run(length)
    eta = hard_scale(grid.steps)
    readout, readout_bias = layers.read_out(spaces, length)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(spaces, length), by_index=True),
        positions=whole(with_squares(np.arange(tokens)) @ spaces["time"] + spaces["one"], by_index=True),
        layers=(
            (layers.look_back(spaces, tokens, 2 * eta), layers.write_incidences(spaces, length)),
            (layers.find_earlier(spaces, tokens, eta), layers.flag_cycle(spaces, length, tokens)),
            (layers.find_next(spaces, tokens, eta), layers.choose_next(spaces, length)),
        ),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=_generators() * grid.precision,
    )


def _spaces() -> Spaces:
    """A name for each number, two coordinates for one with its square."""
    return Spaces(
        vertex=2,
        is_between=1,
        bos=1,
        is_root=1,
        time=2,
        one=1,
        one_back=2,
        behind=1,
        two_back=2,
        two_behind=1,
        three_back=2,
        four_back=2,
        last_between=1,
        label=2,
        partner=1,
        earlier_label=2,
        earlier_partner=2,
        came=2,
        previous=2,
        parent=2,
        first_time=1,
        came_parent=1,
        stray=1,
        following=1,
        behind_parent=1,
        done=1,
    )


def _grid(length: int, rounding: str) -> Grid:
    """The least grid that holds T^2, 2 eta (T + 1), 2 eta (4 + 1)^2 and 4 n^2 + 1: Kc = 2 from n = 7 on.

    Times and their squares are below T^2, entries of queries and keys at most 2 eta (T + 1), and those of the read-out at most
    4 n^2 + 1. A token four places before the first is looked up by scores of up to 2 eta 5^2 (`blocks.offset`).
    """
    tokens = tokens_of_a_run(length)

    def needed(eta: int) -> int:
        scale = 2 * eta
        return max(match_needs(tokens, (scale, 1)), scale * (tokens + 1), scale * (FARTHEST + 1) ** 2, 4 * length**2 + 1)

    return least_grid(tokens, needed, rounding)


def _symbols(spaces: Spaces, length: int) -> Int64[np.ndarray, "tokens width"]:
    """A vertex holds (i, i^2), and vertex 1 is_root; the answers, which end a run, hold nothing."""
    vertices = with_squares(np.arange(1, length + 1)) @ spaces["vertex"]
    vertices[:1] += spaces["is_root"]
    return np.concatenate([spaces["bos"], vertices, spaces["is_between"], spaces.nothing(2)])


def _generators() -> int:
    """The numbers that generate the tables: the row of vertex i is a + b i + c i^2; [BOS], ~, NO, YES and vertex 1 have their
    own.

    The same in the read-out, with a bias; times have three coefficients.
    """
    rows = 3 + 5
    return rows * WIDTH + 3 * WIDTH + rows * (WIDTH + 1)


def bound(length: Length, rounding: GridRounding = "floor") -> dict[str, Number]:
    """Every size with explicit constants.

    core = 3 d p (5 * 4 + 3 * 6 + 2 * 10), from the rows of keys. program = p E with E = 9,461 whatever n is: 6,384 of
    attention, 2,347 of hidden units, 730 that generate the tables.
    """
    precision = _grid(length, rounding).precision
    return {
        "width": WIDTH,
        "heads": 5,
        "layers": 3,
        "precision": precision,
        "core_bits": 3 * WIDTH * precision * 58,
        "program_bits": ENTRIES * precision,
        "thought_tokens": 2 * length - 1,
    }


def printed_sizes(length: int) -> dict[str, Number | str]:
    """Return the layers and the least precision of the paper's proof: its scores n^(4A + 3) must be numbers, n^A = T.

    Its numbers of p bits, p odd, are below 2^((p - 1)/2) (Definition A.1).

    >>> printed_sizes(64)
    {'layers': 9, 'precision': 105}
    """
    exponent = 4 * math.log2(tokens_of_a_run(length)) + 3 * math.log2(length)
    return {"layers": 9, "precision": 2 * math.ceil(exponent) + 1}


CONSTRUCTION = ThoughtConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    tokens=Tokens,
    think=tour,
    simple=True,
    as_printed=printed_sizes,
    verified=(1_500, 12),
)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the sizes that it builds.",
    not_shown="This does not show that the network is right at other sizes. The proof covers every n.",
    errata=(
        Erratum(
            where="Theorem 4.7, layer 9 (C.27)",
            printed="the output n [-v, 1, -1, ..] against the embeddings i w_1 of the numbers selects the vertex v",
            found="the logit of number i is -n v i, so vertex 1 is greatest for every v",
            built="a separate read-out with the rows 2 i and the bias -i^2. Its logits are greatest at v (`blocks.peaks`)",
            test="tests/theorems/is_tree/test_tour.py::test_the_printed_read_out_selects_vertex_1",
        ),
        Erratum(
            where="Lemma C.19",
            printed="from x = 1/k, the next counter 1/(k + 1) is x - x^2 (case 2), with an error of at most its cube; the "
            "interval [2/5, 7/20] is excluded",
            found="the error is (1 + x)^2 times the cube of the next counter. This is above the cube for every k, and 1.56 "
            "times the cube at k = 4. The interval is empty",
            built="our construction has no counters. A mend is x - x^2 + x^3: for k >= 4 its error is at most 0.4 times the "
            "cube. The interval [7/20, 2/5] is meant",
            test="tests/theorems/is_tree/test_tour.py::test_the_printed_next_counter_misses_its_bound",
        ),
    ),
)
