"""The bits that pass from some positions through one attention layer to its answer, and the length at which they are too few.

H heads, values of m coordinates. Two arithmetics, whose proofs are in the files that run them:

    sums    a maximum, a sum of weights and m sums of weighted values a head, each a number of p bits: H (m + 2) p bits
            (`theorems.retrieval.composition_one_layer`)
    exact   exact weights and sums, each of the m means of a head rounded once to one of 2^p numbers. A party with B possible
            inputs sees of the other's at most `cells`(m, (2^p - 1) B) kinds a head (`theorems.retrieval.one_layer`)

What they are too few for:

    composition   a function from [n] to [n], any value of which may be asked for: n log2 n bits, B = n
    induction     floor(n/2) symbols, each any but one of S: floor(n/2) log2(S - 1) bits, B = floor(n/2)
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, Context, Decimal, localcontext

from seqsep.maths.arithmetic.integers import ceil_log2

DIGITS = 50


def sums_bits(heads: int, width: int, precision: int) -> int:
    """H (m + 2) p, for m = `width` coordinates a head.

    >>> sums_bits(heads=32, width=128, precision=16)
    66560
    """
    return heads * (width + 2) * precision


def cells(width: int, thresholds: int) -> int:
    """The most parts into which m T hyperplanes divide m + 1 dimensions: sum over i <= m + 1 of C(m T, i).

    >>> cells(width=1, thresholds=3), cells(width=2, thresholds=2)  # three lines in the plane, four planes in space
    (7, 15)
    """
    hyperplanes = width * thresholds
    total = term = 1
    for size in range(1, width + 2):
        term = term * (hyperplanes - size + 1) // size
        total += term
    return total


def exact_bits(heads: int, width: int, precision: int, questions: int) -> int:
    """ceil(H log2 cells(m, (2^p - 1) B)): the number of a part for each head, for B = `questions` inputs of the other party.

    >>> exact_bits(heads=1, width=1, precision=1, questions=3), exact_bits(heads=32, width=128, precision=16, questions=5000)
    (3, 122527)
    """
    return word_bits(cells(width, ((1 << precision) - 1) * questions), heads)


def composition_bits(values: int, symbols: int | None = None) -> int:
    """ceil(log2 S^n): the bits that tell all functions from [n] to S symbols apart, S = n by default.

    >>> composition_bits(8), composition_bits(8, symbols=2)
    (24, 8)
    """
    return word_bits(values if symbols is None else symbols, values)


def induction_bits(length: int, symbols: int) -> int:
    """ceil(log2 (S - 1)^floor(n/2)): the bits of every second symbol of n, each any but the one that is asked about.

    >>> induction_bits(9, symbols=5), induction_bits(9, symbols=3)
    (8, 4)
    """
    return word_bits(symbols - 1, length // 2)


def word_bits(symbols: int, length: int) -> int:
    """ceil(N log2 S), exactly: the bits that tell all words of N symbols apart.

    >>> word_bits(3, 10), word_bits(4, 10), word_bits(10, 10**9)
    (16, 20, 3321928095)
    """
    whole = ceil_log2(symbols)
    if symbols == 1 << whole:
        return whole * length
    digits = DIGITS
    while True:
        # N log2 S is irrational here, so enough digits tell which two whole numbers it is between.
        with localcontext(Context(prec=digits)):
            bits = length * (Decimal(symbols).ln() / Decimal(2).ln())
            slack = bits.scaleb(5 - digits)
            low = (bits - slack).to_integral_value(ROUND_CEILING)
            if low == (bits + slack).to_integral_value(ROUND_CEILING):
                return int(low)
        digits *= 2


def composition_bites_from(message: Callable[[int], int]) -> int:
    """The least n from which a message of `message(n)` bits tells too little for composition over [n].

    `message` is one of a fixed number of bits, or `exact_bits` for B = n. After the least n at which it is too short it stays
    so, for p >= 8. With T = (2^p - 1) n, log2 cells is at least (m + 1) log2(T / 2), and by T/(T - 1) (m + 1) / (n ln 2) at
    most it grows from n to n + 1. So where the message, b bits, is below a = n log2 n, it grows by less than a / (4 n), and a
    by more than a / n + 1: the gap widens by more than 1 each time, and rounding up does not close it.

    >>> composition_bites_from(lambda values: 24), composition_bites_from(lambda values: sums_bits(32, 128, 16))
    (9, 5372)
    """
    return _first(lambda values: message(values) < composition_bits(values), least=2)


def induction_bites_from(message: Callable[[int], int], symbols: int) -> int:
    """The least n from which a message of `message(floor(n/2))` bits tells too little for induction heads over S symbols.

    `message` is as for composition, in B, and stays too short by the same reason: a is B log2(S - 1) and grows by a / B, of
    which the message takes less than a quarter. Raises ValueError for fewer than 4 symbols, where the gap may widen by less
    than 1 each time.

    >>> induction_bites_from(lambda questions: exact_bits(32, 128, 16, questions), symbols=32_000)
    16788
    """
    if symbols < 4:
        raise ValueError(f"induction_bites_from(symbols={symbols}): at least 4 symbols")
    return 2 * _first(lambda questions: message(questions) < induction_bits(2 * questions, symbols), least=1)


def least_width(needed: int, message: Callable[[int], int]) -> int:
    """The least m whose message, `message(m)` bits, is at least `needed`.

    >>> least_width(1000, lambda width: sums_bits(heads=2, width=width, precision=16))
    30
    """
    return _first(lambda width: message(width) >= needed, least=1)


def _first(holds: Callable[[int], bool], least: int) -> int:
    """The first number from `least` on for which it holds, as it then does for all greater ones: by doubling and halving."""
    high = least
    while not holds(high):
        high *= 2
    low = high // 2 if high > least else least - 1
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
