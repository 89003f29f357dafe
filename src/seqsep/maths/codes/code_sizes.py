"""The number of sign vectors that can be nearly orthogonal: exact tails, bounds by counting, and classical upper bounds.

Vectors are in {-1, 1}^k, and T_i . T_j = k - 2 (the number of places where they differ). So T_i . T_j <= gamma k exactly if
they differ in at least d = ceil((1 - gamma) k / 2) places: gamma-orthogonal vectors are the words of a binary code of
distance d. Sources: MacWilliams and Sloane 1977, chapters 1 and 2 (Hamming's and Plotkin's bounds, and Varshamov's argument).
"""

import math
from collections.abc import Callable
from fractions import Fraction


def least_distance(dimension: int, coherence: Fraction) -> int:
    """Return d = ceil((1 - gamma) k / 2): two vectors with T_i . T_j <= gamma k differ in at least d places.

    >>> least_distance(31, Fraction(7, 31))
    12
    """
    return math.ceil((1 - coherence) * dimension / 2)


def too_near(dimension: int, coherence: Fraction, two_sided: bool = False) -> int:
    """Count those of the 2^k sign vectors whose sum is above gamma k; if `two_sided`, of magnitude above gamma k (gamma >= 0).

    >>> too_near(4, Fraction(1, 4)), too_near(4, Fraction(1, 4), two_sided=True)  # sums of 2 and 4, or -2 and -4
    (5, 10)
    """
    count = 0
    ways = 1
    for minus in range(least_distance(dimension, coherence)):
        count += ways
        ways = ways * (dimension - minus) // (minus + 1)
    return 2 * count if two_sided else count


def enough_coordinates(pairs: int, coherence: Fraction, two_sided: bool = False) -> int:
    """Return a dimension k with `pairs` * too_near(k) < 2^k: then that number of random products are all at most gamma k with
    some chance.

    By bisection between 0 and Hoeffding's k, at which exp(-k gamma^2 / 2), twice that if `two_sided`, is below 1 / `pairs`.
    So k suffices and k - 1 does not; as `too_near` jumps with the parity of k, a smaller one may suffice as well.

    >>> enough_coordinates(1023, Fraction(1, 4)), hoeffding_coordinates(1023, Fraction(1, 4))
    (151, 222)
    """

    def suffices(dimension: int) -> bool:
        return pairs * too_near(dimension, coherence, two_sided) < 1 << dimension

    return _bisected(suffices, 0, hoeffding_coordinates(2 * pairs if two_sided else pairs, coherence))


def hoeffding_coordinates(pairs: int, coherence: Fraction) -> int:
    """The least k with `pairs` * exp(-k gamma^2 / 2) < 1, by Hoeffding's inequality for a sum of k signs.

    >>> hoeffding_coordinates(1, Fraction(1, 4))
    1
    """
    return math.floor(2 * math.log(pairs) / coherence**2) + 1


def _bisected(suffices: Callable[[int], bool], fails: int, works: int) -> int:
    while works - fails > 1:
        middle = (fails + works) // 2
        if suffices(middle):
            works = middle
        else:
            fails = middle
    return works


def most_words(dimension: int, distance: int) -> int:
    """An upper bound of the words of a binary code of length k and distance d: the least of Hamming's and Plotkin's bounds.

    A code of odd d becomes one of d + 1 by a parity bit. For even d and 2 d > k there are at most 2 floor(d / (2 d - k)) words,
    for k = 2 d at most 4 d, and each coordinate more at most doubles them. Balls of radius (d - 2) / 2 in k - 1 coordinates,
    without the parity bit, are disjoint.

    >>> [most_words(4, 2), most_words(7, 3), most_words(6, 3), most_words(5, 6)]
    [8, 16, 8, 1]
    """
    if distance <= 1:
        return 1 << dimension
    if distance > dimension:
        return 1
    if distance % 2:
        dimension += 1
        distance += 1
    if 2 * distance > dimension:
        return 2 * (distance // (2 * distance - dimension))
    radius = (distance - 2) // 2
    ball = sum(math.comb(dimension - 1, differing) for differing in range(radius + 1))
    hamming = (1 << dimension - 1) // ball
    plotkin = 4 * distance << dimension - 2 * distance
    return min(hamming, plotkin)


def least_possible(count: int, coherence: Fraction) -> int:
    """The least k in which the bounds of `most_words` leave room for `count` vectors with T_i . T_j <= gamma k.

    >>> least_possible(16, Fraction(1, 4)), least_possible(1024, Fraction(1, 4))
    (5, 24)
    """
    dimension = 1
    while most_words(dimension, least_distance(dimension, coherence)) < count:
        dimension += 1
    return dimension
