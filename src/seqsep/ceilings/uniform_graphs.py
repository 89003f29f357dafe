r"""IsTree on uniform graphs: trees against near misses, by fair coins in the edges read so far.

    accuracy <= 1 - sum_L n (n - 2) / (4 K P L) sum_d max(0, max_i (t_i r_d(L) - s_i B))              (1)

holds for IsTree(distribution="uniform") on n vertices with a state of B bits, whatever is written behind the prompt. L edges, 1
to n - 2, are still to be read, and r_d(L) is how many coins the state should hold at that time, on average (3). (t_i, s_i) are
the lines (2), P = (n - 1)(n - 2) / 2, K = max (l - 1)(n - l) / l over l = 3 .. n - 1. Another graph than a tree or a near miss
(a quarter) counts as answered right. For B = 0 and large n the right side tends to 3/4, and so it does for any B / n that tends
to 0; who says NO if one of B watched vertices has no edge is right with nearly 3/4, for a large B and a larger n.
Marked graphs. Let G be a near miss in an order of its edges, l the length of its cycle and k the vertices of the component without
one. A mark is a vertex v of the cycle and a vertex v' of the other component; s = vw is the later of v's two edges on the cycle
and e = uv the earlier. Then T = G - s + vv' is a tree, with vv' in the place of s. Seen from w, v is behind e and v' behind v.
From T in its order, w and the edge vv' we get G and its mark back; any T, w and vv' do if v's edge towards w comes before vv'
and does not end at w. Two edges of a tree that share no vertex are a mark of it: s = v'w is the later, e = uv the earlier, w and
u the ends between. Then T = G - s + vv' in the same way. So G is T without the edge vv' and with vw or v'w in its place: a near
miss for vw, a tree for v'w.
Weights. Let M be the vertices of the component of w and u in T without e and vv'. A mark of a near miss gets the weight M / K
times 1 / (4 P N), N = n^(n - 2) (n - 1)! the number of trees in order; one of a tree q times as much. Then no graph gets more
than its probability. Near miss: it comes from l k (n - k) trees and pairs, each of at most P pairs and n - l edges off the
cycle, so it has at least l k (n - k) / (n - l) times 1 / (4 P N). Its marks have M = n - k - (vertices that hang at v, v among
them); those sum to n - k over v, so the M of all marks sum to k (l - 1)(n - k): at most K times l k (n - k) / (n - l). Tree: it
has 2 P times 1 / (4 P N), and at most P - (n - 2) = (n - 2)(n - 3) / 2 marks, since a tree has n - 2 pairs of edges at least
that share a vertex; M <= n - 2. So q = 2 K / (n - 4 + 2 / (n - 1)) is allowed, and min(2, q) is taken.
Coins. Draw T in order and w uniformly; let the last L edges be late. Where an edge from u != w that is not late reaches, away
from w, a vertex v of a component of late edges, choose one of v's late edges vv', or none: with probability f(vv') M / (n - 2),
where f is a function of the late edges that sums to at most 1 over the edges at any vertex. Now u may be joined to v' in place of
v: this is a tree of the same late edges, w, M and probabilities, and the chosen edges exclude each other in nothing, as they lie
in different components. So given U, that is all but to which ends of the chosen edges their u are joined, these ends are
independent fair coins. The state before the late edges knows them; a chosen edge that comes first of the late ones (1 of L, of
coins no trace) makes a mark, and the graph is asked for as vw or as v'w.
Error. Let p be the probability, given U and the state, that u is joined to v. For vw a near miss has weight p, a tree q (1 - p);
for v'w it is 1 - p and q p. So the two answers err with phi(p) = min(p, q (1 - p)) + min(1 - p, q p) at least, which is min(1, (1
+ q) p) for p <= 1/2 and symmetric. For any a < 1/2 with h(a) in bits and

    s = (1 + q) / log2((1 - a) / a),   t = (1 + q) a + s (1 - h(a)) <= 1,   phi(p) >= t - s (1 - h(p)),               (2)

as h is concave and has slope log2((1 - a) / a) at a. Coins that are independent given U have sum E[1 - h(p)] <= I(coins; state
| U) <= B. Summed over the chosen edges: sum E phi >= t r - s B, r their expected number. Weight for weight that is (1): a draw of
(T, w) has probability 1 / (n N), so that a chosen edge counts n (n - 2) / (4 K P L).
Choices. At a late edge let g be the larger of its ends' numbers of late edges. f = 1 / g where g >= d, else 0, is allowed for
every d, and these f sum to 1 over d >= 1: every mark counts once. The expected number of edges chosen is

    r_d(L) = L (n - 1 - L) / (n - 2) / (n (n - 2)) sum_A S_A E[1(g >= d) / g | A].                                    (3)

vv' is late with L of n - 1 edges, and e is not with n - 1 - L of the n - 2 others. S_A is the mean, over the trees that have the
edge vv', of the sum over w of M if A edges leave v and v' but for vv' and e: there are 2 n^(n - 3) such trees, and C(n - 2, M)
M^(M - 1) M (M - 1) ways to choose the part of w and u, u and w, 2 ends for u, C(x, A) A x^(x - A - 1) 2^A for the x = n - 2 - M
vertices behind v and v'. Of the A edges H are late, out of L - 1 late ones among n - 3, and each is at v or v' by a fair coin.
"""

from functools import cache
from math import comb, inf, lgamma, log, log2, nextafter

import numpy as np
from jaxtyping import Float64

from seqsep.ceilings.fano import require

MOST_EDGES = 24
"""More edges than these at the ends of one count as no coin."""
LINES = 48
ROUNDING = 1e-6
"""So much of the coins is left out for what floats lose: logarithms of factorials of 2^14 are right to 10^-9."""


@cache
def uniform_graph_ceiling(vertices: int, state_bits: int) -> float:
    """The ceiling (1) for IsTree on uniform graphs of n >= 4 vertices, computed in floats from coins that are too few by 10^-6.

    It rises with the bits and is 1.0 where (1) says nothing: from about n / 8 bits on.

    >>> [round(uniform_graph_ceiling(vertices=256, state_bits=bits), 3) for bits in (0, 1, 8, 64)]
    [0.757, 0.791, 0.904, 1.0]
    """
    call = f"uniform_graph_ceiling(vertices={vertices}, state_bits={state_bits})"
    require(vertices >= 4 and state_bits >= 0, call, "vertices is at least 4, state_bits at least 0")
    late = np.arange(1, vertices - 1)
    pairs = (vertices - 1) * (vertices - 2) / 2
    a_coin = vertices * (vertices - 2) / (4 * _largest(vertices) * pairs * late)
    error = 0.0
    for coins in coins_asked(vertices):
        found = np.zeros(len(late))
        for most, slope in lines(tree_weight(vertices)):
            np.maximum(found, most * coins * (1 - ROUNDING) - slope * state_bits, out=found)
        error += float(a_coin @ found)
    return nextafter(1 - error, inf) if error > 0 else 1.0


def _largest(vertices: int) -> float:
    """K: the largest (l - 1)(n - l) / l, l = 3 .. n - 1."""
    return max((length - 1) * (vertices - length) / length for length in range(3, vertices))


def tree_weight(vertices: int) -> float:
    """q, the weight of a marked tree beside that of a marked near miss; at most 2.

    >>> round(tree_weight(vertices=64), 3)
    1.632
    """
    return min(2.0, 2 * _largest(vertices) / (vertices - 4 + 2 / (vertices - 1)))


@cache
def lines(tree_weight: float) -> tuple[tuple[float, float], ...]:
    """Lines (t, s) of (2) for the weight q >= 1, the first of them with t = 1 up to rounding.

    >>> [(round(t, 2), round(s, 2)) for t, s in lines(tree_weight=2.0)[:2]]
    [(1.0, 1.44), (0.98, 1.3)]
    """
    rises = 1 + tree_weight
    low, high = 0.0, 1 / rises
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _line(middle, rises)[0] <= 1 else (low, middle)
    return tuple(_line(low * 0.85**number, rises) for number in range(LINES))


def _line(error: float, rises: float) -> tuple[float, float]:
    entropy = -error * log2(error) - (1 - error) * log2(1 - error)
    slope = rises / log2((1 - error) / error)
    return rises * error + slope * (1 - entropy), slope


@cache
def coins_asked(vertices: int) -> Float64[np.ndarray, "least late"]:
    """r_d(L) of (3) for d = 1, 2, .. and L = 1 .. n - 2, rows for d; n >= 4.

    >>> coins_asked(vertices=4).round(4).tolist()
    [[0.0938, 0.0938]]
    """
    late = np.arange(1, vertices - 1)
    sums = branch_sums(vertices)
    share_of = np.zeros((len(sums), len(late)))  # sum over A of S_A times the chance of H late edges
    for edges, total in enumerate(sums):
        for late_ones in range(edges + 1):
            chance = np.full(len(late), total * comb(edges, late_ones))
            for number in range(edges):
                left = late - 1 - number if number < late_ones else vertices - 2 - late - (number - late_ones)
                chance *= np.maximum(left, 0) / (vertices - 3 - number)
            share_of[late_ones] += chance
    coins = np.zeros((len(sums), len(late)))
    for late_ones, share in enumerate(share_of):
        for one_end in range(late_ones + 1):
            most = 1 + max(one_end, late_ones - one_end)
            coins[:most] += share * comb(late_ones, one_end) / 2**late_ones / most
    return coins * late * (vertices - 1 - late) / (vertices * (vertices - 2) ** 2)


def branch_sums(vertices: int) -> Float64[np.ndarray, "edges"]:
    """S_A for A = 0, 1, .. up to n - 4 or MOST_EDGES; n >= 4.

    >>> branch_sums(vertices=5).round(4).tolist()
    [2.16, 0.64]
    """
    logs = np.array([lgamma(number + 1) for number in range(vertices)])
    behind = np.arange(1, vertices - 3)
    part = vertices - 2 - behind
    ways = logs[vertices - 2] - logs[part] - logs[behind] + part * np.log(part) + np.log(part - 1)
    whole = (vertices - 2) * log(vertices - 2) + log(vertices - 3)
    sums = [np.exp(whole - (vertices - 3) * log(vertices))]
    for edges in range(1, min(vertices - 4, MOST_EDGES) + 1):
        fits = behind >= edges
        x = behind[fits]
        forests = logs[x - 1] - logs[edges - 1] - logs[x - edges] + edges * log(2) + (x - edges) * np.log(x)
        sums.append(np.exp(ways[fits] + forests - (vertices - 3) * log(vertices)).sum())
    return np.array(sums)
