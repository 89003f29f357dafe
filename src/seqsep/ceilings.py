"""Ceilings: the highest accuracy that a state of so many bits allows, and from which length it is below 1.

    B >= N (log2 S - h(e) - e log2(S - 1)),   e <= 1 - 1/S                    (*)

holds for index lookup with N uniform and independent symbols from an alphabet of S, a uniform question, and a state of B bits
that is computed before the question is seen. e is the error rate over symbols and question, so 1 - e is the accuracy, a
fraction; h is the binary entropy in bits.

Source: Fano's inequality at each position and the data-processing inequality.
Proof. Let Z be the state, X_i the symbols, e_i the error rate when position i is asked. Z takes at most 2^B values, so
B >= H(Z) >= I(X_1 .. X_N; Z) >= sum_i I(X_i; Z), the last step since the X_i are independent. The answer to question i is a
function of Z (and of coins independent of X), so Fano gives I(X_i; Z) >= log2 S - h(e_i) - e_i log2(S - 1). The right side is
convex in e_i, as h is concave, so by Jensen the sum over i is at least N times its value at e, the mean of the e_i. That value
falls from log2 S at e = 0 to 0 at e = 1 - 1/S: the least e that (*) allows is its smaller root, and accuracy is at most 1 - e.

Associative recall of N pairs, with uniform and independent values given the keys, is the same: (*) holds given the keys.

    accuracy <= 2^B / V                                               (**)

holds for examples that are right only if every answer in them is right, if the V lists of answers are equally likely and
independent of the questions' order: multi-query recall with n pairs (V = S^n, or S (S - 1) .. (S - n + 1) if values differ),
nearest neighbour with n labels of S kinds (V = S^n), and next characters in equality (V = S^(N/2)).
Proof. Fix the order and the state Z before the first question. Later inputs are questions, or answers that are already due.
While all answers are right these are the model's own, so at most one list of answers is right throughout. There are at most
2^B states for V lists.

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

The bounds hold for every model, trained or built: no accuracy above the ceiling is possible. For an accuracy below it, the
state does not forbid it.
"""

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import inf, log2, nextafter, perm

from seqsep.exact.integers import ceil_log2
from seqsep.tasks import AssociativeRecall, Equality, IndexLookup, MultiQueryRecall, NearestNeighbor, Task

DIGITS = 50
MARGIN = Decimal(10) ** -44
LEAST_ERROR = Decimal(10) ** -32


def ceiling(task: Task, state_bits: int) -> float | None:
    """The highest accuracy, as a fraction, on a task's evaluation examples with a state of `state_bits` bits.

    It is 1 for a state that can hold all that the task asks for (`answer_bits`), and None if no bound on average is known.

    >>> round(ceiling(IndexLookup(length=100, alphabet=64), state_bits=300), 3)
    0.654
    """
    if isinstance(task, IndexLookup):
        return index_lookup_ceiling(task.length, task.alphabet, state_bits)
    if isinstance(task, AssociativeRecall):
        return index_lookup_ceiling(task.length, task.values, state_bits)
    if isinstance(task, MultiQueryRecall):
        pairs = task.pair_count
        lists_of_values = perm(task.values, pairs) if task.form == "zoology" else task.values**pairs
        return counting_ceiling(lists_of_values, state_bits)
    if isinstance(task, Equality) and task.variant == "next":
        return counting_ceiling(task.symbols ** (task.length // 2), state_bits)
    if isinstance(task, NearestNeighbor):
        return counting_ceiling(task.classes ** (task.length // 2), state_bits)
    _require(state_bits >= 0, f"ceiling({task!r}, state_bits={state_bits})", "state_bits is at least 0")
    enough = task.answer_bits()
    return 1.0 if enough is not None and state_bits >= enough else None


def first_bitten_length(task: Task, state_bits: int, bits_per_token: int = 0) -> int | None:
    """The least length N of such a task at which the ceiling is below 1.

    The state has `state_bits` + N `bits_per_token` bits. None if there is no such length, or if no bound on average is known.

    >>> first_bitten_length(IndexLookup(length=100, alphabet=64), state_bits=300)
    51
    """
    if isinstance(task, IndexLookup):
        return length_where_it_bites(task.alphabet, state_bits, bits_per_token)
    if (isinstance(task, Equality) and task.variant == "next") or isinstance(task, NearestNeighbor):
        half = length_where_it_bites(task.classes, state_bits, 2 * bits_per_token)
        return None if half is None else 2 * half
    return None


def carried_bits(task: IndexLookup, accuracy: float) -> float:
    """The bits about its symbols that a state carries at least if it answers with this accuracy: the right side of (*).

    It is 0 at the accuracy of guessing and below. Accuracy is that over all examples; a measured one has an error of its own.

    >>> carried_bits(IndexLookup(length=100, alphabet=64), accuracy=1.0)
    600.0
    >>> round(carried_bits(IndexLookup(length=100, alphabet=64), accuracy=0.5))
    201
    """
    _require(0 <= accuracy <= 1, f"carried_bits({task!r}, accuracy={accuracy})", "accuracy is a fraction from 0 to 1")
    error = 1 - accuracy
    if error >= 1 - 1 / task.alphabet:
        return 0.0
    entropy_bits = 0.0
    if 0 < error < 1:
        entropy_bits = -error * log2(error) - accuracy * log2(accuracy)
    return max(0.0, task.length * (log2(task.alphabet) - entropy_bits - error * log2(max(1, task.alphabet - 1))))


@cache
def index_lookup_ceiling(length: int, alphabet: int, state_bits: int) -> float:
    """The highest accuracy on index lookup, as a fraction, by (*). It is rounded up, so never below the true bound.

    It is 1/S for an empty state and exactly 1.0 if state_bits >= length log2 alphabet, or if the true bound is closer to 1
    than a float can tell.

    >>> index_lookup_ceiling(length=100, alphabet=64, state_bits=600)
    1.0
    >>> round(index_lookup_ceiling(length=100, alphabet=64, state_bits=0), 9) == 1 / 64
    True
    """
    call = f"index_lookup_ceiling(length={length}, alphabet={alphabet}, state_bits={state_bits})"
    _require(length >= 1, call, "length is at least 1 symbol")
    first = length_where_it_bites(alphabet, state_bits)
    if first is None or length < first:
        return 1.0
    with localcontext(Context(prec=DIGITS, rounding=ROUND_CEILING)):
        symbols = Decimal(alphabet)
        # MARGIN exceeds what 50 digits lose here, so every error rate of the iteration is proved to lie below the root.
        missing_nats = symbols.ln() - Decimal(state_bits) / length * Decimal(2).ln() - MARGIN
        log_wrong_symbols = (symbols - 1).ln()
        error = LEAST_ERROR
        step = LEAST_ERROR
        while step >= LEAST_ERROR:
            # Newton's method: h(e) + e log(S - 1) is concave in the error, so a step from below the root ends below it.
            log_error = error.ln()
            log_right = (1 - error).ln()
            entropy_nats = error * (log_wrong_symbols - log_error) - (1 - error) * log_right
            step = max(Decimal(0), (missing_nats - entropy_nats) / (log_wrong_symbols - log_error + log_right))
            error += step
        accuracy = 1 - (error if error > LEAST_ERROR else 0)
    nearest = float(accuracy)
    return min(1.0, nearest if Decimal(nearest) >= accuracy else nextafter(nearest, inf))


def counting_ceiling(possibilities: int, state_bits: int) -> float:
    """The ceiling (**): 2^B / V for V = `possibilities` equally likely lists of answers, at most 1, rounded up.

    >>> counting_ceiling(possibilities=2**10, state_bits=8)
    0.25
    """
    call = f"counting_ceiling(possibilities={possibilities}, state_bits={state_bits})"
    _require(possibilities >= 1 and state_bits >= 0, call, "possibilities is at least 1, state_bits at least 0")
    if state_bits >= ceil_log2(possibilities):
        return 1.0
    return _rounded_up(Fraction(1 << state_bits, possibilities))


@cache
def double_star_ceiling(vertices: int, state_bits: int) -> float:
    """The ceiling (***) for IsTree on double stars of n >= 4 vertices in random order, rounded up.

    >>> round(double_star_ceiling(vertices=128, state_bits=0), 3), round(double_star_ceiling(vertices=128, state_bits=16), 3)
    (0.667, 0.852)
    """
    call = f"double_star_ceiling(vertices={vertices}, state_bits={state_bits})"
    _require(vertices >= 4 and state_bits >= 0, call, "vertices is at least 4, state_bits at least 0")
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
    return _rounded_up(total / (star_edges + 1))


def _rounded_up(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else nextafter(nearest, inf)


@cache
def length_where_it_bites(alphabet: int, state_bits: int, bits_per_token: int = 0) -> int | None:
    """The least length N with state_bits + N bits_per_token < N log2 alphabet. From there on the ceiling is below 1.

    It is exact for any sizes: 2^B < S^N is decided without forming either number. None if there is no such length: the state
    grows at least as fast as what is asked (an attention layer's cache), or an alphabet of one symbol asks for nothing.

    >>> length_where_it_bites(alphabet=64, state_bits=300)
    51
    >>> length_where_it_bites(alphabet=64, state_bits=300, bits_per_token=2048) is None
    True
    """
    call = f"length_where_it_bites(alphabet={alphabet}, state_bits={state_bits}, bits_per_token={bits_per_token})"
    _require(alphabet >= 1, call, "alphabet is at least 1 symbol")
    _require(state_bits >= 0 and bits_per_token >= 0, call, "state_bits and bits_per_token are at least 0")
    symbol_bits = ceil_log2(alphabet)
    if bits_per_token >= symbol_bits:
        return None
    if alphabet == 1 << symbol_bits:
        return state_bits // (symbol_bits - bits_per_token) + 1
    if state_bits == 0:
        return 1
    digits = DIGITS
    while True:
        # log2 S is irrational here, so N = B / (log2 S - g) is never whole and enough digits tell its two neighbours apart.
        with localcontext(Context(prec=digits)):
            shortfall = Decimal(alphabet).ln() / Decimal(2).ln() - bits_per_token
            slack = Decimal(10) ** (len(str(bits_per_token)) + 5 - digits)
            low = state_bits / (shortfall + slack)
            high = state_bits / max(shortfall - slack, slack)
            if low.adjusted() < digits - 10 and int(low - slack * low) == int(high + slack * high):
                return int(low) + 1
        digits *= 2


def _require(condition: bool, call: str, expected: str) -> None:
    if not condition:
        raise ValueError(f"{call}: {expected}")
