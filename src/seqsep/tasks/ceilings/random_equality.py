"""Equality of random halves: the highest accuracy of a state of B bits, exactly.

    accuracy <= 1 - q (M + r - K) / (2 M^2),   M = q K + r,  0 <= r < K                          (****)

holds for equality's variant `random` with M = S^(N/2) words as halves and K = 2^B states before the second half is read: a is
uniform; with chance 1/2, b = a, else b is uniform and independent. Some function from words to states, with some answers to a
state and b, has exactly this accuracy. If K divides M it is 1 - (1/K - 1/M) / 2; otherwise it is less by r (K - r) / (2 K
M^2), which is at most K / (8 M^2).

Source: counting; it is the mean over inputs where Theorem 11 of Bhattamishra et al. 2024 (arXiv:2406.09347) has every input.

Proof. Coins do not help: the best of their outcomes does as well as their mean. So let the states be classes of words, m in
one of them. (a, b) has chance 1 / (2 M) + 1 / (2 M^2) if a = b, else 1 / (2 M^2). Take a state and b. If b is not in its
class, "not equal" is always right. If b is, "equal" is wrong on the m - 1 other words, of weight (m - 1) / (2 M^2), and "not
equal" on b alone, of weight (M + 1) / (2 M^2): "equal" is better, as m - 1 < M + 1. So a class is wrong with weight m (m - 1)
/ (2 M^2) at least. m (m - 1) is convex, and moving a word from a class to one smaller by two or more lowers the sum: it is
least for r classes of q + 1 words and K - r of q, which is r q (q + 1) + (K - r) q (q - 1) = q (M + r - K). These classes
attain it. Without the rounding, sum m^2 >= M^2 / K; the difference is r (K - r) / K.

It falls as M grows. Of M + 1 words in K classes leave one out, at random: the mean share of pairs in one class among all M (M
- 1) / 2 pairs stays, so the least share s(M) has s(M) <= s(M + 1), and the error is s(M) (M - 1) / (2 M), of which both
factors rise.

It is reached by the text between the halves. A model that has no more than B bits also later, while it reads b, may stay
below: the ceiling asks for the state before b alone.
"""

from fractions import Fraction

from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks.ceilings.fano import require, rounded_up

MOST_SYMBOLS = 256
"""Longer halves count as so long: they have 2^256 words at least, and the ceiling is lower by less than 2^-256."""


def random_equality_accuracy(words: int, states: int) -> Fraction:
    """Return the exact highest accuracy on equality of random halves, which some code attains.

    With M words and K states let M = q K + r and 0 <= r < K. The result is 1 - q (M + r - K) / (2 M^2).

    Arguments:
        words: M, number of different halves; from 1.
        states: K, number of states before the second half is read; from 1.

    Raises ValueError for less than one word or state.

    >>> random_equality_accuracy(words=8, states=2), random_equality_accuracy(words=9, states=2)
    (Fraction(13, 16), Fraction(65, 81))
    """
    call = f"random_equality_accuracy(words={words}, states={states})"
    require(words >= 1 and states >= 1, call, "words and states are at least 1")
    least = words // states
    larger = words % states
    return 1 - Fraction(least * (words + larger - states), 2 * words**2)


def random_equality_ceiling(half: int, alphabet: int, state_bits: int) -> float:
    """Return the highest accuracy on equality of random halves as a float, rounded up.

    The best code of B bits is wrong on a share of less than 2^-B / 2 of the inputs. So the result is 1.0 for 52 bits or more.

    Arguments:
        half: symbols of each half; from 1.
        alphabet: S, symbols to choose from; from 1.
        state_bits: B, bits of one example's state; from 0.

    Raises ValueError for an empty half or alphabet, or a negative state.

    >>> random_equality_ceiling(half=3, alphabet=2, state_bits=1)
    0.8125
    """
    call = f"random_equality_ceiling(half={half}, alphabet={alphabet}, state_bits={state_bits})"
    require(half >= 1 and alphabet >= 1 and state_bits >= 0, call, "half and alphabet at least 1, state_bits at least 0")
    words = alphabet ** min(half, MOST_SYMBOLS)
    return rounded_up(random_equality_accuracy(words, 1 << min(state_bits, ceil_log2(words))))
