"""With a token for each pair of vertices, one attention layer decides IsTree with a chain of thought of 3n - 2 tokens.

In IsTree a model reads n - 1 edges and answers whether they form a tree on the vertices 1 .. n. The chain of thought
("thought") first copies each edge as one token, and then removes one leaf after another. The price is a vocabulary that grows
as n^2.

Source: our own. Compare Theorem 4.7 of Wen, Dang, Lyu 2025 (arXiv:2402.18510), which has nine layers and 2n - 1 tokens.

Input. There are n - 1 edges without loops and repetitions on the vertices 1 .. n, in any order. n is fixed, because a token's
place determines which edge is copied next.

Thought. First it writes each edge of the prompt as one token. Then it writes the pointers 1' .. n', where i' is the pointer to
vertex i. After each pointer it removes leaves: if the vertex x of the last token is a leaf with the neighbour y, the next
token is the climb xy, whose vertex is y (`_pair_thought`).

Idea. In `peeling` the first layer writes the sorted ends of each edge with a sign, and the second layer reads them. Here the
embedding of a pair has the sorted ends and the sign. So one layer is enough. To copy an edge, two heads look up its two ends.
To remove a leaf, two heads count the edges at a vertex. A fifth head finds the last pointer.

Margins. These hold for every n and every such list. Here eta = floor(ln 2 L^2) + 1 on the grid of multiples of 1/L, and m = n
- 1:
* Scores may tie for the greatest. Every other score is lower by at least eta (`blocks.hard_maximum`).
* The logit of the next token is above every other logit by at least w_0 = floor(L/2m)/L. If 2m keys tie, this is the weight of
  each.
* Attention weights are rounded to multiples of 1/L, and no other number that is used is rounded. Only losing scores, losing
  logits and the inner sums of hidden units that are 0 are cut off at the end of the grid.

Sizes. The vocabulary has 2 n (n - 1) + 2n + 4 tokens, so embedding and read-out have O(n^2) rows. Each row is a polynomial of
its pair, so O(1) numbers of p bits generate all rows. Here p = bit_length(2 L^2). If numbers are rounded down, L = T^2 for
n >= 3, with T = 6n - 4 tokens read.

Residual stream. It has 27 coordinates:
* the token and its place: [vertex: 2 | end | is_pointer | bos | time: 2 | one | asked: 2 | copying];
* the heads: [first_end | second_end | last];
* the edge, from the embedding of a pair: [high: 2 | low: 2 | signed_high | signed_low | sign]. These are the larger and the
  smaller end with their squares, both ends times the sign, and the sign;
* the counts: [total | high_degree | high_unit | low_degree | low_unit | not_leaf] (`_peeling_layers.counting_heads`).

The proof continues at `_copy_and_count`, `_peeling_layers.counting_heads`, `_peeling_layers.flag_unless_leaf` and `_read_out`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Int64

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import AttentionLayer, Network, whole
from seqsep.theorems.base import Claim, Number, Outcome, Theorem
from seqsep.theorems.blocks import (
    ROUNDINGS,
    Rows,
    Spaces,
    gated,
    hard_scale,
    head,
    last,
    least_grid,
    match,
    match_needs,
    number,
    peaks,
    side_by_side,
    with_squares,
)
from seqsep.theorems.is_tree import _graphs as drawn
from seqsep.theorems.is_tree import _peeling_layers as layers
from seqsep.theorems.is_tree import _trials as trials
from seqsep.theorems.is_tree._construction import ThoughtConstruction
from seqsep.theorems.is_tree._pair_thought import Paired, copy_and_peel
from seqsep.theorems.is_tree._peeling_layers import SHARED, heights
from seqsep.theorems.is_tree.peeling import proved
from seqsep.theorems.options import GraphCount, GridRounding, Length, LengthFrom2, Seed

CLAIM = Claim(
    name="is-tree-one-layer",
    source="Wen, Dang, Lyu 2025 (arXiv:2402.18510), Theorem 4.7",
    statement="With tokens for pairs of vertices one attention layer of width 27 decides IsTree, with a chain of thought of "
    "3n - 2 tokens",
)
WIDTH = 27
ENTRIES = 3_669


def build(length: Length, rounding: GridRounding = "floor") -> Network:
    """The network for graphs of exactly n = `length` vertices, tokens as in `Paired(length)`; `rounding` as in `peeling`.

    Raises ValueError for a length below 1 or another rounding.

    >>> network = build(length=64)
    >>> network.width, network.precision, [len(layer.heads) for layer, _ in network.layers]
    (27, 36, [5])
    """
    if length < 1:
        raise ValueError(f"build(length={length}): expected at least 1 vertex")
    spaces = _spaces()
    grid = _grid(length, rounding)
    readout, readout_bias = _read_out(spaces, length)
    return Network(
        name=CLAIM.name,
        grid=grid,
        spaces=spaces.slices,
        symbols=whole(_symbols(spaces, length), by_index=True),
        positions=whole(_positions(spaces, length), by_index=True),
        layers=((_copy_and_count(spaces, length, hard_scale(grid.steps)), layers.flag_unless_leaf(spaces, length)),),
        readout=whole(readout, by_index=True),
        readout_bias=whole(readout_bias, by_index=True),
        code_bits=_generators() * grid.precision,
    )


def _spaces() -> Spaces:
    token = {"vertex": 2, "end": 1, "is_pointer": 1, "bos": 1}
    place = {"time": 2, "one": 1, "asked": 2, "copying": 1}
    return Spaces(**token, **place, first_end=1, second_end=1, last=1, **SHARED)


def _tokens_of_a_run(length: int) -> int:
    """T = 6n - 4: [BOS], three tokens for each edge, and a thought of 3n - 2."""
    return 6 * length - 4


def _silence(length: int) -> int:
    """The amount that lowers the logits of tokens out of their turn: n^2 more than in `peeling`, as a climb has two ends."""
    return heights(length).silence + length**2


def _grid(length: int, rounding: str) -> Grid:
    """The least grid that holds T^2, eta T and the read-out's silence."""
    tokens = _tokens_of_a_run(length)

    def needed(eta: int) -> int:
        return max(match_needs(tokens, (eta, 1)), _silence(length))

    return least_grid(tokens, needed, rounding)


def _symbols(spaces: Spaces, length: int) -> Int64[np.ndarray, "tokens width"]:
    """A vertex i of the prompt holds `end` = i, a pointer i' is at the vertex i, and pairs hold their sorted ends.

    A pair is an edge uv or a climb x->y. The sign is 1 for an edge and -1 for a climb. A climb is at the vertex y. Edges and
    ends are at no vertex, which is 0.
    """
    tokens = Paired(length)
    index = np.arange(1, length + 1)
    pointers = with_squares(index) @ spaces["vertex"] + spaces["is_pointer"]
    pairs = np.array(tokens.pairs, dtype=np.int64).reshape(-1, 2)
    climbs = _sorted_pairs(spaces, pairs, sign=-1) + with_squares(pairs[:, 1]) @ spaces["vertex"]
    ends = index[:, None] * spaces["end"]
    return np.concatenate([spaces["bos"], ends, spaces.nothing(3), pointers, _sorted_pairs(spaces, pairs, sign=1), climbs])


def _sorted_pairs(spaces: Spaces, pairs: Int64[np.ndarray, "pairs 2"], sign: int) -> Int64[np.ndarray, "pairs width"]:
    high = pairs.max(axis=1)
    low = pairs.min(axis=1)
    sorted_ends = with_squares(high) @ spaces["high"] + with_squares(low) @ spaces["low"]
    signed = sign * (high[:, None] * spaces["signed_high"] + low[:, None] * spaces["signed_low"] + spaces["sign"])
    return np.asarray(sorted_ends + signed)


def _positions(spaces: Spaces, length: int) -> Int64[np.ndarray, "time width"]:
    """Position t = 0 .. T - 1 holds t and 1. If edge k is to be copied next, t = 3m + k - 1, it has `copying` = 1 and `asked`
    = 3k.

    3k is the place of the edge's second end. Elsewhere `asked` = 0, the place of [BOS].
    """
    time = np.arange(_tokens_of_a_run(length))
    edges = length - 1
    copying = (time >= 3 * edges) & (time < 4 * edges)
    asked = np.where(copying, 3 * (time - 3 * edges + 1), 0)
    table = with_squares(time) @ spaces["time"] + with_squares(asked) @ spaces["asked"]
    return np.asarray(table + copying[:, None] * spaces["copying"] + spaces["one"])


def _copy_and_count(spaces: Spaces, length: int, eta: int) -> AttentionLayer:
    """Five heads: two look up the ends of the edge to copy, one the last pointer, and two count the edges at a vertex.

    * Two heads look up the ends of the next edge: v = `second_end` at the place `asked`, and u = `first_end` two places
      before. Their scores are -eta (t_j - asked)^2 and -eta (t_j - asked + 2)^2, and the right key leads by eta. If no edge is
      to be copied, `asked` is 0. Then [BOS] wins in both heads, and u = v = 0.
    * One head finds the last pointer. Its scores are eta t_j, less eta T unless j is a pointer or [BOS]. It gives the vertex p
      = `last` of this pointer, or 0 from [BOS] if there is none.
    * Two heads count edges, as in the second layer of `peeling` (`_peeling_layers.counting_heads`). There and in
      `flag_unless_leaf` T is 5n - 3, the number of tokens that `peeling` reads. This works because the tokens of edges and
      climbs have sorted ends. A token without a vertex has x = 0, which matches only tokens without ends. So both counts are
      0, and the token does not count as a leaf.
    """
    tokens = _tokens_of_a_run(length)
    one = spaces["one"]
    time = number(spaces, "time")
    asked = number(spaces, "asked")
    other = one - spaces["is_pointer"] - spaces["bos"]
    last_pointer = last(time.value, one, eta) + gated(one, -eta * tokens * other)
    look_up = [
        head(match(asked.plus(-2, one), time, one, factors=(eta, 1)), spaces["end"], spaces["first_end"]),
        head(match(asked, time, one, factors=(eta, 1)), spaces["end"], spaces["second_end"]),
        head(last_pointer, spaces["vertex"][:1], spaces["last"]),
    ]
    return side_by_side(*look_up, *layers.counting_heads(spaces, length, eta))


def _read_out(spaces: Spaces, length: int) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """Compute the logits. The logit of the next token is above every other logit by at least w_0.

    x is the vertex of the last token, and p = `last`. Let s = S w + S' w' and r = rho w + rho' w'
    (`_peeling_layers.counting_heads`), and F = `not_leaf` (`_peeling_layers.flag_unless_leaf`). The constants are slope = (n +
    1)^2, h = slope + n (5n - 3) and d = 5 n^2 + h. With u = `first_end` and v = `second_end` the logits are:

        edge ij     2 i u - i^2 + 2 j v - j^2 - d (1 - copying)
        climb ij    2 i x - i^2 + 2 j s - j^2 r - d F
        pointer i'  2 i (p + 1) - i^2 - h
        NO          slope + 1 - h - (2n + 4) (n - p)
        YES         the logit of NO, and 1 + 3 (t - 5m - p)
        others      -d

    * Let uv be the next edge to be copied. Edge ij has u^2 + v^2 - (u - i)^2 - (v - j)^2. For ij = uv this is above 0, and for
      every other pair it is at least 1 less. Climbs are far below 0, since F >= 1.
    * Let x be a leaf with the neighbour y. Then s = y w and r = w, so climb ij has x^2 - (x - i)^2 + w (y^2 - (y - j)^2). The
      climb xy is above 0. It is above climbs from other vertices by at least 1, and above climbs to other vertices by at least
      w.
    * Otherwise F >= 1, and climbs have at most n^2 + 4 n^2 - d = -h. If p < n, the pointer (p + 1)' has (p + 1)^2 - h >= 1 -
      h. This is at least 1 above other pointers. It is (n - p) (n - p + 2) - 1 >= 2 above NO, and so at least 1 above YES.
    * If p = n, NO is 1 above all pointers. If all m edges were climbed, the last token has t = 3m + m + n + m = 5m + n, and
      YES is 1 above NO. Otherwise t is less, and YES is at least 2 below NO.

    If no edge is to be copied, edges have at most -d. Pointers and answers are below 0, as in `_peeling_layers.read_out`.
    """
    slope = heights(length).slope
    depth = heights(length).depth
    silence = _silence(length)
    tokens = Paired(length)
    pairs = np.array(tokens.pairs, dtype=np.int64).reshape(-1, 2)
    first = pairs[:, :1]
    second = pairs[:, 1:]
    degree = spaces["high_degree"] + spaces["low_degree"]
    edges = 2 * first * spaces["first_end"] + 2 * second * spaces["second_end"] + silence * spaces["copying"]
    climbs = 2 * first * spaces["vertex"][:1] + peaks(second[:, 0], spaces["total"], degree) - silence * spaces["not_leaf"]
    pointers = 2 * np.arange(1, length + 1)[:, None] * spaces["last"]
    no = (2 * length + 4) * spaces["last"]
    yes = no + 3 * spaces["time"][:1] - 3 * spaces["last"]
    rows = np.concatenate([spaces.nothing(length + 2), no, yes, pointers, edges, climbs])
    no_bias = slope + 1 - depth - (2 * length + 4) * length
    index = np.arange(1, length + 1)
    bias = [
        np.full(length + 2, -silence),
        [no_bias, no_bias + 1 - 15 * (length - 1)],
        2 * index - index**2 - depth,
        -(pairs**2).sum(axis=1) - silence,
        -(pairs[:, 0] ** 2),
    ]
    return rows, np.concatenate(bias)


def _generators() -> int:
    """The numbers that generate the tables.

    [BOS], ~, NO and YES have rows of their own. The row of a vertex or pointer i is a + b i + c i^2. The row of an edge or
    climb is a + b h + c h^2 + d l + e l^2, in its larger and its smaller end, or in its first and its second. Times have three
    coefficients while edges are copied and three otherwise.
    """
    rows = 4 + 2 * 3 + 2 * 5
    return (rows + 2 * 5) * WIDTH + 2 * 3 * WIDTH + rows * (WIDTH + 1)


def bound(length: Length, rounding: GridRounding = "floor") -> dict[str, Number]:
    """Every size with explicit constants.

    core = 3 * 4 * d * p * 5: keys of 4 rows. program = p E with E = 3,669 whatever n is: 1,890 of attention, 247 of
    hidden units, 1,532 that generate the tables.
    """
    precision = _grid(length, rounding).precision
    return {
        "width": WIDTH,
        "heads": 5,
        "layers": 1,
        "precision": precision,
        "core_bits": 3 * 4 * WIDTH * precision * 5,
        "program_bits": ENTRIES * precision,
        "vocabulary": 2 * length * (length - 1) + 2 * length + 4,
        "thought_tokens": 3 * length - 2,
    }


CONSTRUCTION = ThoughtConstruction(
    claim=CLAIM,
    build=build,
    bound=bound,
    tokens=Paired,
    think=copy_and_peel,
    simple=True,
    proved=proved,
    as_printed=lambda length: {"layers": 9, "thought_tokens": 2 * length - 1},
)


def check(
    length: LengthFrom2 = 8, rounding: GridRounding | None = None, graphs: GraphCount = 24, seed: Seed = 0
) -> list[Outcome]:
    """Build the network, on both grids or one, and require thought and answer, on the grid and in float64.

    Up to 4 vertices: every graph of n - 1 edges, in every order, either end of each edge first. Beyond: two stars and
    `graphs` hard graphs of n vertices. Raises ValueError for a length below 2 or another rounding; TheoremFails with the
    graph whose thought or answer is wrong.
    """
    if length < 2:
        raise ValueError(f"check(length={length}): expected at least 2 vertices")
    roundings = ROUNDINGS if rounding is None else (rounding,)
    return [_check(length, one, graphs, seed) for one in roundings]


def _check(length: int, rounding: str, graphs: int, seed: int) -> Outcome:
    asking = CONSTRUCTION.trial(length, rounding)
    asking.exhaustive = length <= trials.EVERY_LIST_UP_TO
    if asking.exhaustive:
        for vertices, some in trials.every_simple_list(length):
            if vertices == length:
                asking.put(length, some)
    else:
        asking.put(length, trials.stars(length))
        asking.put(length, drawn.hard_graphs(length, graphs, np.random.default_rng(seed)))
    return CONSTRUCTION.outcome(asking, rounding)


def verify(small: int = 1_800, large: int = 12, seed: int = 0) -> list[Outcome]:
    """Check every list of simple edges up to 5 vertices, every simple graph of 6, and hard ones.

    `small` hard graphs have 7 to 16 vertices, `large` ones, and two stars of each size, have 32, 64, 128 and 256.
    """
    outcomes = []
    for rounding in ROUNDINGS:
        for vertices, some in trials.every_simple_list(5):
            outcomes.append(_put(vertices, rounding, some))
        for vertices, some in trials.every_simple_graph(np.random.default_rng(seed)):
            if vertices > 5:
                outcomes.append(_put(vertices, rounding, some))
        outcomes += [_check(length, rounding, small // 6, seed) for length in (7, 9, 16)]
    return outcomes + [_check(length, ROUNDINGS[0], large // 4, seed) for length in (32, 64, 128, 256)]


def _put(length: int, rounding: str, graphs: drawn.Graphs) -> Outcome:
    asking = CONSTRUCTION.trial(length, rounding)
    asking.put(length, graphs)
    return CONSTRUCTION.outcome(asking, rounding)


def predictor(length: Length, rounding: GridRounding = "floor") -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Answer {"vertices": n, "edges": [[u, v], ..]} by {"answer": 1 or 0, "thought": [..]}, for n = `length` vertices exactly.

    `vertices` may be left out. The answer raises ValueError with the field's name for any other input, a loop or a repeated
    edge among them.
    """
    asking = CONSTRUCTION.trial(length, rounding)

    def answer(given: Mapping[str, Any]) -> dict[str, Any]:
        vertices, graph = drawn.read_graph(given, length)
        if vertices != length:
            raise ValueError(f"vertices: expected {length}, for which the network is built, found {vertices}")
        return asking.answer(vertices, graph)

    return answer


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run checks the sizes that it builds.",
    not_shown="This does not show that the network is right at other sizes. The proof covers every n.",
    bound=bound,
    build=build,
    predictor=predictor,
    verify=verify,
    certificate_witness=CONSTRUCTION.certificate_witness,
)
