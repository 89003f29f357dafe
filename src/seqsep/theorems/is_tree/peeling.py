"""Two attention layers of width 28 decide whether edges form a tree, with a chain of thought of 2n - 1 tokens.

The chain of thought ("thought") removes one leaf after another, as one would on paper. A recurrent model without attention
needs Theta(n log n) bits of state: see `is-tree-state`.

Source: Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7: a Transformer of constant size with O(log n) precision, and O(n)
tokens.

Input. The prompt is [BOS] u ~ v u ~ v .., with n' - 1 edges on the vertices 1 .. n', for any n' <= n, in any order. Loops and
repeated edges are allowed.

Thought. It writes one token, called a pointer, for each vertex from 1 to n', in this order. The pointer to vertex i is written
i'. If the vertex of the last token is a leaf, the next token is its only neighbour, and the edge between them is removed. This
is a climb. Otherwise the next token is the next pointer. After the last pointer and its climbs, the answer is YES if all edges
were climbed, and NO if not. `tasks.trees.peeling` proves that this answer is right.

We differ:
* The paper follows Algorithm 1, a depth-first tour, with nine layers (`tour`). Here the thought removes leaves, and two layers
  are enough. A leaf has one neighbour. So attention finds it without a search: it adds up all neighbours, and the sum is this
  one.
* A vertex i is embedded as (i, i^2), and the read-out has a separate matrix.
* Numbers are multiples of 1/L from -L to L, and have p = bit_length(2 L^2) bits. If they are rounded down, L = T^2 for n >= 7,
  where T = 5n - 3 is the number of tokens read. Then p is 27 at n = 16 and 35 at n = 64. If they are rounded to the nearest, L
  is a power of two, and p is 28 and 36.

Margins. These hold for every n, every n' <= n and every list of n' - 1 edges. Here eta = floor(ln 2 L^2) + 1, and m = n' - 1
is the number of edges:
* Scores may tie for the greatest. Every other score is lower by at least 2 eta in layer 1, and by at least eta in layer 2. So
  attention is exact with either rounding (`blocks.hard_maximum`).
* M keys that tie have the weight w = floor(L/M)/L each. At a leaf M <= 2m.
* The logit of the next token is above every other logit by at least w_0 = floor(L/2m)/L (`proved`, for n' = n). A star whose
  centre is the last vertex attains this.
* Attention weights are rounded to multiples of 1/L, and no other number that is used is rounded. Only losing scores, losing
  logits and the inner sums of hidden units that are 0 are cut off at the end of the grid.

Floating point. In float64 only one thing is proved: the weights of losing keys are below 1/(4 L^4) in layer 1. This matters,
since these weights disturb the numbers that layer 1 looks up. Layer 2 computes its scores from them, and there the M keys that
tie must have nearly equal scores. If layer 1 had the scale eta in place of 2 eta, float64 would answer the star of 64 vertices
wrongly.

Residual stream. It has 28 coordinates:
* the token and its time: [vertex, its square | is_number | is_pointer | bos | time, its square | one];
* the heads of layer 1: [before: 2 | two_before: 2 | last | has | start];
* the hidden units of layer 1: [high: 2 | low: 2 | signed_high | signed_low | sign];
* layer 2: [total | high_degree | high_unit | low_degree | low_unit | not_leaf].

The proof continues at `_peeling_layers`, `_look_back`, `_progress`, `_peeling_layers.sort_edges`,
`_peeling_layers.counting_heads`, `_peeling_layers.flag_unless_leaf` and `_peeling_layers.read_out`.
"""

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.tasks.trees.peeling import Pointed, peel
from seqsep.tasks.trees.tokens import tokens_of_a_run
from seqsep.theorems.base import Claim, Number, Theorem
from seqsep.theorems.blocks import (
    Spaces,
    first,
    gated,
    hard_scale,
    head,
    last,
    least_grid,
    match_needs,
    number,
    offset,
    side_by_side,
    uniform_weight,
    with_squares,
)
from seqsep.theorems.is_tree import _peeling_layers as layers
from seqsep.theorems.is_tree._construction import ThoughtConstruction
from seqsep.theorems.is_tree._peeling_layers import SHARED, Affine, heights
from seqsep.theorems.options import GridRounding, Length

CLAIM = Claim(
    name="is-tree-peeling",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7",
    statement="Two causal attention layers of width 28 decide IsTree with a chain of thought of 2n - 1 tokens, which peels "
    "leaves",
)
WIDTH = 28
ENTRIES = 3_864


def build(length: Length, rounding: GridRounding = "floor") -> Network:
    """The network for graphs of up to n = `length` vertices, tokens as in `Pointed(length)`.

    `rounding`: "floor", B.2's grid, or "nearest", the paper's own grid (`blocks.least_grid`). Raises ValueError for a length
    below 1 or another rounding.

    >>> network = build(length=64)
    >>> network.width, network.precision, [len(layer.heads) for layer, _ in network.layers]
    (28, 35, [4, 2])
    """
    if length < 1:
        raise ValueError(f"build(length={length}): expected at least 1 vertex")
    spaces = _spaces()
    grid = _grid(length, rounding)
    eta = hard_scale(grid.steps)
    readout, readout_bias = layers.read_out(spaces, length, *_progress(spaces))
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(spaces, length), by_index=True),
        positions=whole(_positions(spaces, tokens_of_a_run(length)), by_index=True),
        layers=(
            (_look_back(spaces, length, 2 * eta), layers.sort_edges(spaces, length)),
            (layers.count_edges(spaces, length, eta), layers.flag_unless_leaf(spaces, length)),
        ),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=(layers.generators(WIDTH) + 3 * WIDTH) * grid.precision,
    )


def _spaces() -> Spaces:
    token = {"vertex": 2, "is_number": 1, "is_pointer": 1, "bos": 1, "time": 2, "one": 1}
    looked_up = {"before": 2, "two_before": 2, "last": 1, "has": 1, "start": 1}
    return Spaces(**token, **looked_up, **SHARED)


def _grid(length: int, rounding: str) -> Grid:
    """The least grid that holds T^2, 2 eta (T + 1) and the read-out's silence c: Kc = 2 for n >= 7, where 2 eta (T + 1) <= T^2.

    Times and their squares are below T^2, entries of queries and keys at most 2 eta (T + 1), and those of the read-out at
    most c. Larger than these are only scores and logits that lose, and inner sums of hidden units that are 0.
    """
    tokens = tokens_of_a_run(length)

    def needed(eta: int) -> int:
        return max(match_needs(tokens, (2 * eta, 1)), 2 * eta * (tokens + 1), heights(length).silence)

    return least_grid(tokens, needed, rounding)


def _symbols(spaces: Spaces, length: int) -> Int64[np.ndarray, "tokens width"]:
    """A vertex holds (i, i^2) and is_number; a pointer (i, i^2) and is_pointer; ~ and the answers, which end a run, hold 0."""
    vertices = with_squares(np.arange(1, length + 1)) @ spaces["vertex"]
    nothing = spaces.nothing()
    between_and_answers = spaces.nothing(3)
    return np.concatenate(
        [spaces["bos"] + nothing, vertices + spaces["is_number"], between_and_answers, vertices + spaces["is_pointer"]]
    )


def _positions(spaces: Spaces, tokens: int) -> Int64[np.ndarray, "time width"]:
    """Time t = 0 .. T - 1, [BOS] at 0, and a constant 1."""
    return np.asarray(with_squares(np.arange(tokens)) @ spaces["time"] + spaces["one"])


def _look_back(spaces: Spaces, length: int, scale: int) -> AttentionLayer:
    """Layer 1 has four heads of scale B = 2 eta. In each head one key scores at least B above all others, and the head copies
    from it.

    * One head finds the token before. Its scores are -B (t_j - t + 1)^2, which is 0 at this token. The head copies the vertex
      and its square to `before`. If the token before is [BOS], `before` is 1. At t = 0 [BOS] sees only itself.
    * One head finds the token two places before in the same way. At t = 1 there is none. Then [BOS] wins: it has -B, and the
      token itself has -4 B.
    * One head finds the last pointer. Its scores are B t_j, less B T unless j is a pointer or [BOS]. A pointer has B t_j >= B,
      [BOS] has 0, and any other token at most B (T - 1) - B T = -B. The head gives p = `last` and `has` = 1. Without a
      pointer, [BOS] gives 0 and 0.
    * One head finds the first pointer. Its scores are -B t_j, less B T at [BOS], and less B (T + 1) at other tokens that are
      not pointers. Pointers have at least -B (T - 1), [BOS] has -B T, and others at most -B (T + 2). The head gives the
      pointer's time as `start`; [BOS] gives T.
    """
    tokens = tokens_of_a_run(length)
    time = number(spaces, "time")
    one = spaces["one"]
    bos = spaces["bos"]
    vertex = number(spaces, "vertex")
    other = one - spaces["is_pointer"] - bos
    before = np.concatenate([vertex.value + bos, vertex.square])
    pointer = np.concatenate([vertex.value, spaces["is_pointer"]])
    last_pointer = last(time.value, one, scale) + gated(one, -scale * tokens * other)
    first_pointer = first(time.value, one, scale) + gated(one, -scale * (tokens * bos + (tokens + 1) * other))
    return side_by_side(
        head(offset(time, one, 1, scale), before, spaces["before"]),
        head(offset(time, one, 2, scale), spaces["vertex"], spaces["two_before"]),
        head(last_pointer, pointer, np.concatenate([spaces["last"], spaces["has"]])),
        head(first_pointer, time.value + tokens * bos, spaces["start"]),
    )


def _progress(spaces: Spaces) -> tuple[Affine, Affine]:
    """`remaining` = 3 (p - n') = 3 p - start - 2, and `missing` = 3 (climbs - m) = 3 t - 4 (start - 1) - 3 p.

    The read-out uses both. `remaining` is 0 after the last pointer, and `missing` is 0 after the last climb. The pointer 1'
    comes after [BOS] and 3 m tokens, so start = 3 m + 1 = 3 n' - 2. From there on, p pointers and the climbs have been
    written, so t = 3 m + p + climbs. At a token of the prompt start = T and p = 0. There remaining = -T - 2 <= -3, and missing
    <= 3 (T - 1) - 4 (T - 1) <= 0.
    """
    remaining = Affine(3 * spaces["last"] - spaces["start"], -2)
    time = spaces["time"][:1]
    missing = Affine(3 * time - 4 * spaces["start"] - 3 * spaces["last"], 4)
    return remaining, missing


def proved(length: int, grid: Grid) -> float:
    """Return w_0, the least lead of the next token: the weight of 2m keys that tie, m = n - 1, or 1 without edges.

    Let x be a leaf that has degree d in the prompt. Then d edges and d - 1 climbs have x as an end, and [BOS] ties with them.
    These are 2d <= 2m keys.
    """
    return float(uniform_weight(grid, max(1, 2 * (length - 1))))


def bound(length: Length, rounding: GridRounding = "floor") -> dict[str, Number]:
    """Every size with explicit constants.

    core = 3 * 4 * d * p * (4 + 2): keys of 4 rows. program = p E, E = 3,864 whatever n is: 2,128 of attention, 1,082 of
    hidden units, 654 that generate the tables.
    """
    precision = _grid(length, rounding).precision
    return {
        "width": WIDTH,
        "heads": 4,
        "layers": 2,
        "precision": precision,
        "core_bits": 3 * 4 * WIDTH * precision * 6,
        "program_bits": ENTRIES * precision,
        "thought_tokens": 2 * length - 1,
    }


CONSTRUCTION = ThoughtConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    tokens=Pointed,
    think=peel,
    proved=proved,
    as_printed=lambda length: {"layers": 9},
)
THEOREM = Theorem(
    CLAIM,
    **CONSTRUCTION.functions,
    sides=("upper",),
    shown="A run checks the sizes that it builds.",
    not_shown="This does not show that the network is right at other sizes. The proof covers every n.",
)
