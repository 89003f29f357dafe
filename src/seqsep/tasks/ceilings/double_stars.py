"""IsTree on double stars.

    accuracy <= E_s [P_0 + P_1 c(B, s - 1) + P_2 c(B, s - 2)],   c(B, r): the highest accuracy by (*), N = r, S = 2       (***)

holds for IsTree on the double stars of the paper's experiments (Wen, Dang, Lyu 2025, arXiv:2402.18510, section 6.1), edges in
random order, for a state of B bits before the odd edge is read, whatever is written afterwards. s is that edge's place,
uniform from 1 to n - 1; P_j is the chance that j of the star edges of its two ends came before. An answer that is left out
counts 1/2, as a coin does. For B = 0 it is 2/3: with chance 1/3 the odd edge comes first of the three, and then two labels
and two bits are enough to remember.
Proof. Let G be the hubs, the order of the star edges, and s. Given G, the coins that say to which hub each vertex is joined are
independent and fair, the odd edge is a uniform pair of the other vertices, independent of the coins, and the answer is whether
its ends got different ones. Let Z be the state before the odd edge, after r = s - 1 star edges, and give the later edges away.
If one end was read before, the answer tells its coin, and the end is uniform among the r: index lookup of r bits, which is (*).
If both were, the answer tells the parity of their coins: for a fixed first end the parities with each of the r - 1 others are
independent fair bits, and the second end is uniform among these: (*) with N = r - 1. If none was, the accuracy is at most 1.
"""

from fractions import Fraction
from functools import cache

from seqsep.tasks.ceilings.fano import require, rounded_up
from seqsep.tasks.ceilings.index_lookup import index_lookup_ceiling


@cache
def double_star_ceiling(vertices: int, state_bits: int) -> float:
    """Return an upper limit of the accuracy on IsTree with double stars, rounded up.

    It holds for edges in random order, and for every chain of thought that the model writes itself. If the model gives no
    answer, the example counts as half right. The *odd edge* of a double star is the only edge that does not end at a hub. The
    docstring of `seqsep.tasks.ceilings.double_stars` has the formula and its proof.

    Arguments:
        vertices: n, vertices of a graph; from 4.
        state_bits: B, bits of the state before the odd edge is read; from 0.

    >>> round(double_star_ceiling(vertices=128, state_bits=0), 3), round(double_star_ceiling(vertices=128, state_bits=16), 3)
    (0.667, 0.852)
    """
    call = f"double_star_ceiling(vertices={vertices}, state_bits={state_bits})"
    require(vertices >= 4 and state_bits >= 0, call, "vertices is at least 4, state_bits at least 0")
    star_edges = vertices - 2
    pairs = star_edges * (star_edges - 1)
    total = Fraction(0)
    for before in range(star_edges + 1):
        after = star_edges - before
        total += Fraction(after * (after - 1), pairs)
        if before and after:
            total += Fraction(2 * before * after, pairs) * Fraction(index_lookup_ceiling(before, 2, state_bits))
        if before >= 2:
            total += Fraction(before * (before - 1), pairs) * Fraction(index_lookup_ceiling(before - 1, 2, state_bits))
    return rounded_up(total / (star_edges + 1))
