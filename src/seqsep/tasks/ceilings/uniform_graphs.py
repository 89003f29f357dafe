"""IsTree on uniform graphs: trees against near misses, by fair coins in the edges read so far.

    accuracy <= 1 - sum_L n (n - 2) / (4 K P L) max(0, max_s (sum_g g r_g(L) t(s / g) - s B))          (1)

holds for IsTree(distribution="uniform") on n vertices with a state of B bits, whatever the model itself writes after the
prompt: a retriever or a thought that is given may bring the edges back. L edges, 1 to n - 2, are still to be read; r_g(L) is
how many coins of g questions each the state should hold then, on average, by (3); t(s) is (2); P = (n - 1)(n - 2) / 2; K is
the largest (l - 1)(n - l) / l, l = 3 .. n - 1. Graphs drawn neither as trees nor as near misses, a quarter, count as answered
right, and of the rest no more than the near misses, a quarter too, as wrong: (1) is never below 3/4. Draws are taken as exact.
Of the task's, of 32 bits each, two are equal with a chance below n^2 / 2^33, and then the order is not random: 10^-6 at n = 64,
but 3 % at n = 2^14, more than (1) is above 3/4 there.
It does not say that a state of 0.17 n bits answers wrongly, though the exact answer takes some n log n (`answer_bits`); nor
that a scheme comes near. NO if one of B watched vertices has no edge, else YES, is right on 3/4 in the limit of large B and
larger n.

Proof. Edges come in random order. A randomized model does no better than with its best coins.
Marks. In a near miss, l is the length of the cycle and k the vertices of the component without one. A mark is a vertex v of the
cycle with a vertex v' of the other component. Of v's two edges on the cycle let f = vw be the later and e = uv the earlier one.
Then T = G - f + vv', with vv' in the place of f, is a tree in an order. Rooted at w, v is below e and v' below v. Conversely
take T in an order, w, and an edge vv' of T, v' below v, such that v's edge e to its parent u != w comes before vv': this is one
mark of one near miss. With v'w in the place of vv' it is a tree instead, and a mark of a tree is two edges that share no
vertex: f = v'w the later, e = uv the earlier, w and u the ends between them. So T, w and vv' ask: tree for v'w, near miss for
vw.
Weights. Let M be the vertices of T - e - vv' in the component of u and w, and N = n^(n - 2) (n - 1)! the number of trees in
order. A mark of a near miss gets the weight M / (4 K P N), one of a tree q times as much. No graph gets more than its
probability. A near miss comes from l k (n - k) trees with one of at most P pairs and one of n - l edges off the cycle: it has
at least l k (n - k) / ((n - l) 4 P N). The M at v is n - k less the vertices that hang at v, v among them; these sum to n - k
over v, so M sums to k (l - 1)(n - k), at most K l k (n - k) / (n - l). A tree has 1 / (2 N), that is 2 P / (4 P N). It has n -
2 pairs of edges or more that share a vertex, so at most P - (n - 2) = (n - 2)(n - 3) / 2 marks, each with M <= n - 2. So q = 2
K / (n - 4 + 2 / (n - 1)) is allowed; q is the smaller of this and 2.
Coins. Draw T in order and w uniformly, and let the last L edges be late. They form components. Into each that is without w
leads an edge e = uv that is not late, u nearer to w. If u != w, choose one of v's late edges vv', if any, or none: with
probability M / (g (n - 2)), g the larger of the numbers of late edges at v and at v'. That sums to at most 1 at any v. With uv'
in the place of uv the tree has the same late edges, and the component the same vertices: M, which is n less their number and
that of all below them, g and the probability are the same, and so is all that belongs to other components. Hence, given U, that
is the tree, w, the set of late edges and the choices, except which end of each chosen edge is joined to its u, these ends are
independent fair coins. The state before the late edges has read them. Of the late edges, whose order U leaves out, each is the
first with probability 1 / L, independently of coins and state. If it is a chosen vv', replace it by vw or v'w: these are the
two graphs above. A mark has its f at one place, so it belongs to one L, and errors of different L add up.
Errors. Let p be the probability that v is the end joined to u, given U and the state. For vw the weights are p of a near miss
and q (1 - p) of a tree, for v'w they are 1 - p and q p. So the model, given U and the order too, is wrong by at least
phi(p) = min(p, q (1 - p)) + min(1 - p, q p). As q >= 1, which `tree_weight` requires, this is min(1, (1 + q) p) for p <=
1/2, and symmetric.
With h the binary entropy in bits, phi(p) >= t(s) - s (1 - h(p)),

    t(s) = min(1, (1 + q) a + s (1 - h(a))),   s = (1 + q) / log2((1 - a) / a),                                     (2)

as h is concave and has slope log2((1 - a) / a) at a, and what 1 cuts off rises with s. As coins are independent given U, the
sum of their E[1 - h(p)] is at most I(coins; state | U) <= B. Count a chosen edge g times, so that every mark counts once: the
sum of E[g phi] is at least that of E[g t(s / g)] less s B. A draw of T and w has probability 1 / (n N) and an edge is chosen
with M / (g (n - 2)), so that a chosen edge's phi counts n (n - 2) g / (4 K P L), which is (1).
Number. The expected number of chosen edges with this g is

    r_g(L) = L (n - 1 - L) / (n - 2) / (n (n - 2)) sum_A S_A P(g | A) / g:                                          (3)

L of n - 1 edges are late, and n - 1 - L of the n - 2 others are not. S_A is the part with A, in the mean over trees with the
edge vv', of the sum of M over w with u != w; A is the number of edges at v and v' except vv' and e. There are 2 n^(n - 3) such
trees, C(n - 2, M) M^(M - 2) M (M - 1) choices of u's part, u and w, 2 ends for u, and C(x, A) A x^(x - A - 1) 2^A forests on
the x = n - 2 - M vertices below v and v'. Each of the A edges is one of n - 3, L - 1 of them late, and at v or v' by a fair
coin.
Limit. For B = o(n), (1) tends to 3/4. Without state it is about 1 - 1/4 of the mean of (l - 1)(n - l) / (l K) over near misses;
K < n, and l, about sqrt n, is above any number and below any part of n in almost all of them, so the mean tends to 1. With
state take s = 2 G: q tends to 2, and then t(s / g) = 1 for g <= G. A coin with g > G has a vertex of more than G edges, as a
part of all edges has that is small for large G, whatever n. A late edge is chosen with 1 / g at most, so sum_g g r_g(L) <= L,
and what (1) loses to B is at most the sum over L of min(L, s B) n (n - 2) / (4 K P L), about min(L, s B) / (2 n L): in all c /
2 from L < c n, for any c, and s B log(1 / c) / n from the others.
"""

from functools import cache
from math import comb, inf, lgamma, log, log2, nextafter

import numpy as np
from jaxtyping import Float64

from seqsep.tasks.ceilings.fano import require

MOST_EDGES = 24
"""More edges than these at the ends of one count as no coin."""
SLOPES = 96
ROUNDING = 1e-6
"""So much of the coins is left out for what floats lose: logarithms of factorials of 2^14 are right to 10^-9."""


@cache
def uniform_graph_ceiling(vertices: int, state_bits: int) -> float:
    """Return an upper limit of the accuracy on IsTree with uniform graphs.

    It holds for every chain of thought that the model writes itself. It rises with the bits, and it is never below 3/4. It is
    computed in floats. A margin of 10^-6 in the formula ensures that rounding does not make it too low. For large states the
    formula gives no limit, and the result is 1.0. At every tested n, up to 2^14, these are the states of 0.17 n bits and more.

    Arguments:
        vertices: n, vertices of a graph; from 4.
        state_bits: B, bits of the state before the last edges are read; from 0.

    >>> [round(uniform_graph_ceiling(vertices=256, state_bits=bits), 3) for bits in (0, 1, 8, 64)]
    [0.757, 0.79, 0.894, 1.0]
    """
    call = f"uniform_graph_ceiling(vertices={vertices}, state_bits={state_bits})"
    require(vertices >= 4 and state_bits >= 0, call, "vertices is at least 4, state_bits at least 0")
    if state_bits > vertices:
        return 1.0
    coins = coins_asked(vertices) * (1 - ROUNDING)
    questions = np.arange(1, len(coins) + 1)
    found = np.zeros(vertices - 2)
    for slope in np.geomspace(0.25, 2.5 * len(coins), SLOPES):
        errors = questions * [least_error(slope / number, tree_weight(vertices)) for number in questions]
        np.maximum(found, errors @ coins - slope * state_bits, out=found)
    pairs = (vertices - 1) * (vertices - 2) / 2
    a_coin = vertices * (vertices - 2) / (4 * _largest(vertices) * pairs * np.arange(1, vertices - 1))
    error = float(a_coin @ found)
    return nextafter(1 - error, inf) if error > 0 else 1.0


def _largest(vertices: int) -> float:
    """Return K, the largest (l - 1)(n - l) / l, l = 3 .. n - 1."""
    return max((length - 1) * (vertices - length) / length for length in range(3, vertices))


@cache
def tree_weight(vertices: int) -> float:
    """Return q, the weight of a marked tree relative to that of a marked near miss. It is between 1 and 2, as (2) needs it.

    >>> round(tree_weight(vertices=64), 3)
    1.632
    """
    weight = min(2.0, 2 * _largest(vertices) / (vertices - 4 + 2 / (vertices - 1)))
    require(weight >= 1, f"tree_weight(vertices={vertices})", "q >= 1")
    return weight


def least_error(slope: float, tree_weight: float) -> float:
    """Return t(s) of (2), s = `slope` > 0, q >= 1: a coin is wrong with probability t(s) - s I at least if the state has I bits
    about it.

    >>> [round(least_error(slope, tree_weight=2.0), 3) for slope in (2.0, 1.0, 0.5)]
    [1.0, 0.83, 0.489]
    """
    rises = 1 + tree_weight
    error = 1 / (1 + 2 ** (rises / slope))
    entropy = -error * log2(error) - (1 - error) * log2(1 - error)
    return min(1.0, rises * error + slope * (1 - entropy))


@cache
def coins_asked(vertices: int) -> Float64[np.ndarray, "most late"]:
    """Return r_g(L) of (3) for g = 1, 2, .. and L = 1 .. n - 2, rows for g; n >= 4.

    >>> coins_asked(vertices=4).round(4).tolist()
    [[0.125, 0.125]]
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
            more = max(one_end, late_ones - one_end)
            coins[more] += share * comb(late_ones, one_end) / 2**late_ones / (1 + more)
    return coins * late * (vertices - 1 - late) / (vertices * (vertices - 2) ** 2)


def branch_sums(vertices: int) -> Float64[np.ndarray, "edges"]:
    """Return S_A for A = 0, 1, .. up to n - 4 or MOST_EDGES; n >= 4.

    >>> branch_sums(vertices=5).round(4).tolist()
    [2.16, 0.96]
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
