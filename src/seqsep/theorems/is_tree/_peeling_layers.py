"""The layers that two networks for leaf peeling share: they sort edges, count a vertex's edges, and read out the next token.

In `peeling` an attention layer looks up the two tokens before each token, and the last and the first pointer. From these the
number of pointers and the number of climbs follow. In `hybrid` a linear recurrence stores all this. The rest is the same.

Symbols: n is the number of vertices, T = 5n - 3 the number of tokens, and m the number of edges of the prompt. x is the vertex
of the last token. The vertex of a pointer x' is x. A climb is a vertex y that the thought writes after a vertex x: it removes
the edge xy.

Places of edges. An edge u ~ v of the prompt is stored at its second end v. Its other end is two tokens back. A climb from x to
y is stored at y. Its other end is the vertex one token back. Every other place stores the edge (0, 0). Three numbers
distinguish the places: `before` is the vertex one token back (0 for ~, and 1 for [BOS]), `is_number` is 1 at vertices, and
`has` is 1 if a pointer was written up to here.

    second end of an edge    is_number = 1, before = 0, has = 0
    first end of an edge     is_number = 1, before >= 1 (a vertex, or [BOS]), has = 0
    end of a climb           is_number = 1, before >= 1, has = 1
    ~ or a pointer           is_number = 0, before >= 1
    [BOS]                    is_number = 0, before = 1 (`peeling`) or 0 (`hybrid`); its vertex and two_before are 0
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from seqsep.maths.networks.network import AttentionLayer, FeedForward, Head
from seqsep.tasks.trees.tokens import tokens_of_a_run
from seqsep.theorems.blocks import Number, Rows, Spaces, Units, count, feed_forward, match, number, peaks, side_by_side

SHARED = {
    "high": 2,
    "low": 2,
    "signed_high": 1,
    "signed_low": 1,
    "sign": 1,
    "total": 1,
    "high_degree": 1,
    "high_unit": 1,
    "low_degree": 1,
    "low_unit": 1,
    "not_leaf": 1,
}


class Affine(NamedTuple):
    """A number that the residual stream holds up to a constant: rows @ x + bias."""

    rows: Rows
    bias: int

    def times(self, factor: int) -> "Affine":
        """The number times a constant."""
        return Affine(factor * self.rows, factor * self.bias)

    def plus(self, other: "Affine") -> "Affine":
        """The sum of two numbers."""
        return Affine(self.rows + other.rows, self.bias + other.bias)


class Heights(NamedTuple):
    """The constants of the read-out: the height of the logits of each kind of token (`read_out`)."""

    depth: int
    silence: int
    slope: int


def heights(vertices: int) -> Heights:
    """depth h = (n + 1)^2 + n T, silence c = 4 n^2 + h, slope (n + 1)^2.

    >>> heights(64)
    Heights(depth=24513, silence=40897, slope=4225)
    """
    slope = (vertices + 1) ** 2
    depth = slope + vertices * tokens_of_a_run(vertices)
    return Heights(depth, 4 * vertices**2 + depth, slope)


def generators(width: int, own_rows: int = 4) -> int:
    """The numbers that generate embeddings and read-out: each row is a + b i + c i^2 for its index i, except for a few rows.

    Vertices and pointers have three coefficients for each coordinate, and in the read-out for the bias. [BOS], ~, NO and YES
    have rows of their own, and `own_rows` counts those of the embedding.
    """
    polynomials = 2 * 3
    return (own_rows + polynomials) * width + (4 + polynomials) * (width + 1)


def sort_edges(spaces: Spaces, vertices: int) -> FeedForward:
    """Write the edge that is stored at a place as its larger end, its smaller end, their squares, and a sign: 14 hidden units.

    For each kind of edge there is a number `closed`. It is 0 at the places that store such an edge, and at most -1 elsewhere.
    For edges of the prompt it is -before, and for climbs it is is_number + has - 2. (At [BOS] of `hybrid` -before is 0. There
    both ends are 0, so 0 is written as well.)

    The ends are at most n, and their squares at most n^2. So a unit relu(end + n closed) is the end at the right places, and 0
    elsewhere. For squares n^2 replaces n. Two more units write the sign. At an edge of the prompt relu(is_number - before) =
    1, and it is added. At a climb relu(is_number + has - 1) = 1, and it is subtracted. Both are 0 elsewhere. The spaces
    `signed_high` and `signed_low` hold the two ends times the sign.
    """
    one_back = number(spaces, "before")
    two_back = number(spaces, "two_before")
    is_number = spaces["is_number"]
    of_prompt = Affine(-one_back.value, 0)
    climb = Affine(is_number + spaces["has"], -2)
    no_bias = np.array([0])
    units = [
        *_sorted(spaces, vertices, two_back, closed=of_prompt, sign=1),
        *_sorted(spaces, vertices, one_back, closed=climb, sign=-1),
        Units(is_number - one_back.value, no_bias, spaces["sign"]),
        Units(climb.rows, no_bias - 1, -spaces["sign"]),
    ]
    return feed_forward(units, spaces.nothing()[0])


def _sorted(spaces: Spaces, vertices: int, other: Number, closed: Affine, sign: int) -> list[Units]:
    """Return the larger end, the smaller end and their squares, where not closed; the ends times the sign too."""
    own = number(spaces, "vertex")
    high = number(spaces, "high")
    low = number(spaces, "low")
    signed = Ends(high.value + sign * spaces["signed_high"], low.value + sign * spaces["signed_low"])
    squares = Ends(high.square, low.square)
    return [
        *_sorted_pair(own.value, other.value, closed.times(vertices), write=signed),
        *_sorted_pair(own.square, other.square, closed.times(vertices**2), write=squares),
    ]


class Ends(NamedTuple):
    """The spaces in which the larger and the smaller of two numbers are written."""

    high: Rows
    low: Rows


def _sorted_pair(a: Rows, b: Rows, closed: Affine, write: Ends) -> list[Units]:
    """max(a, b) = a + relu(b - a) and min(a, b) = b - relu(b - a), for a, b >= 0."""
    bias = np.array([closed.bias])
    return [
        Units(a + closed.rows, bias, write.high),
        Units(b + closed.rows, bias, write.low),
        Units(b - a + closed.rows, bias, write.high - write.low),
    ]


def count_edges(spaces: Spaces, vertices: int, eta: int) -> AttentionLayer:
    """The layer of the two heads of `counting_heads`."""
    return side_by_side(*counting_heads(spaces, vertices, eta))


def counting_heads(spaces: Spaces, vertices: int, eta: int) -> tuple[Head, Head]:
    """Count the edges of x that are left and add up their other ends, by two heads.

    One head counts the edges whose larger end is x, the other those whose smaller end is x. The first head has the scores -eta
    (high_j - x)^2. They are 0 at [BOS] and at the places j whose edge has the larger end x. Elsewhere they are at most -eta: a
    place without an edge has high = 0, and x >= 1. Let M places tie at 0. Then each has the weight w = floor(L/M)/L. The head
    retrieves

        S w,  rho w  and  w,   rho = sum of signs,  S = sum of signs times the smaller ends.

    A climb x -> y is stored as the edge xy with the sign -1. As ends are sorted, it has the same ends as the edge that it
    takes away. So rho is the number of edges left with x as their larger end, and S is the sum of their other ends.

    The second head does the same for the smaller ends. Its numbers are w', rho' and S'. The heads write `high_degree` = rho w,
    `high_unit` = w, `low_degree` = rho' w', `low_unit` = w' and `total` = S w + S' w'. The first head also writes T rho w to
    `not_leaf`, and `flag_unless_leaf` adds the rest.
    """
    label = number(spaces, "vertex")
    one = spaces["one"]
    bos = spaces["bos"]
    present = one - bos
    scale = (eta, 1)
    gate = tokens_of_a_run(vertices)
    at_high = match(label, number(spaces, "high"), one, factors=scale, present=present)
    at_low = match(label, number(spaces, "low"), one, factors=scale, present=present)
    low_ends = np.concatenate([spaces["signed_low"], spaces["sign"]])
    high_ends = np.concatenate([spaces["signed_high"], spaces["sign"]])
    of_high = np.concatenate([spaces["total"], spaces["high_degree"] + gate * spaces["not_leaf"]])
    of_low = np.concatenate([spaces["total"], spaces["low_degree"]])
    return (
        count(at_high, bos, unit=spaces["high_unit"], values=low_ends, totals=of_high),
        count(at_low, bos, unit=spaces["low_unit"], values=high_ends, totals=of_low),
    )


def flag_unless_leaf(spaces: Spaces, vertices: int) -> FeedForward:
    """Four hidden units write `not_leaf`, which is 0 if x is a leaf, and at least 1 otherwise. With a = rho w and b = rho' w'
    it is

        T min(a, b) + T relu(a - w) + T relu(b - w') + relu(1 - T a - T b),   T min(a, b) = T a - T relu(a - b).

    First we show T w >= 1. The places that tie hold edges or climbs, or are [BOS]. So there are M <= 2m + 1 <= 2n - 1 of them,
    and L/M exceeds L/T by more than 1. In the same way T w' >= 1. Also rho and rho' are at least 0, as no edge is climbed
    twice.

    If x is a leaf, one of rho and rho' is 1 and the other 0. Then every term is 0: min(a, b) = 0, a <= w, b <= w', and T a + T
    b >= 1.

    If x is not a leaf, one term is at least 1. There are three cases:
    * If both rho and rho' are at least 1, then T min(a, b) >= T min(w, w') >= 1. A loop at x is in this case, since x is both
      of its ends.
    * If rho is at least 2, then T (a - w) >= T w >= 1. If rho' is at least 2, then T (b - w') >= T w' >= 1.
    * If both are 0, the last term is 1.
    """
    gate = tokens_of_a_run(vertices)
    high = spaces["high_degree"]
    low = spaces["low_degree"]
    flag = spaces["not_leaf"]
    no_bias = np.array([0])
    units = [
        Units(high - low, no_bias, -gate * flag),
        Units(high - spaces["high_unit"], no_bias, gate * flag),
        Units(low - spaces["low_unit"], no_bias, gate * flag),
        Units(-gate * (high + low), no_bias + 1, flag),
    ]
    return feed_forward(units, spaces.nothing()[0])


def read_out(spaces: Spaces, vertices: int, remaining: Affine, missing: Affine) -> tuple[Rows, Int64[np.ndarray, "tokens"]]:
    """The logits of [BOS], the vertices, ~, NO, YES and the pointers, in this order.

    Let s = S w + S' w' and r = rho w + rho' w' (`counting_heads`). Let p = `last` be the number of pointers so far, and F =
    `not_leaf`. The constants are slope = (n + 1)^2, h = slope + n T and c = 4 n^2 + h (`heights`). The logits are

        vertex i    2 i s - i^2 r - c F - c (1 - has)
        pointer i'  2 i (p + 1) - i^2 - h
        NO          slope + 1 - h + slope * remaining       remaining = 3 (p - n') in the thought, at most -3 in the prompt
        YES         the logit of NO, and 1 + missing        missing = 3 (climbs - m) in the thought, at most 0 in the prompt

    and -c for [BOS] and ~. The right token has the greatest logit in the thought and at the end of the prompt, where p = 0 and
    has = 0:

    * Let has = 1 and let x be a leaf, so F = 0. The right token is its neighbour y. One of S and S' is y, and the other is 0.
      So s = y w and r = w, where w is the weight in the head that counts x's only edge. Vertex i has w (y^2 - (y - i)^2). So y
      has at least w, and every other vertex has at least w less. The pointers have at most (n + 1)^2 - h. NO and YES have at
      most slope + 2 - h. All of these are below 0 for n >= 2.
    * Otherwise vertices have at most 4 n^2 - c = -h. The reason is that r >= 0, and that |s| <= 2n, since the weights of a
      head add up to at most 1.
    * Then, if p < n', the right token is the pointer (p + 1)'. It has (p + 1)^2 - h >= 1 - h, one above any other pointer. NO
      and YES have at most slope + 1 - h - 3 slope <= -h.
    * If p = n', the right token is the answer. Pointers have at most (n + 1)^2 - h = slope - h, and NO has one more. YES is 1
      above NO if all m edges were climbed, and at least 2 below it if not.
    """
    constants = heights(vertices)
    vertex = np.arange(1, vertices + 1)
    degree = spaces["high_degree"] + spaces["low_degree"]
    silent = constants.silence * (spaces["has"] - spaces["not_leaf"])
    vertices_out = peaks(vertex, spaces["total"], degree) + silent
    pointers_out = 2 * vertex[:, None] * spaces["last"]
    no = remaining.times(constants.slope).plus(Affine(spaces.nothing(), constants.slope + 1 - constants.depth))
    yes = no.plus(missing).plus(Affine(spaces.nothing(), 1))
    nothing = spaces.nothing()
    rows = np.concatenate([nothing, vertices_out, nothing, no.rows, yes.rows, pointers_out])
    silence = np.full(vertices + 2, -constants.silence)
    pointer_bias = 2 * vertex - vertex**2 - constants.depth
    return rows, np.concatenate([silence, [no.bias, yes.bias], pointer_bias])
