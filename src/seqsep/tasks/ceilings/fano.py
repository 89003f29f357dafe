"""Fano's inequality read backwards: from the nats that a state misses about an answer to the highest accuracy.

    missing <= h(e) + e log(k - 1),   e <= 1 - 1/k,

for an answer of k classes that is wrong with chance e. The right side is concave in e and rises from 0 to log k, so the least e
that it allows is its smaller root, and the accuracy is at most 1 - e. All is rounded so that the accuracy is never too small.
"""

from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from math import inf, nextafter

DIGITS = 50
MARGIN = Decimal(10) ** -44
LEAST_ERROR = Decimal(10) ** -32


def highest_accuracy(missing_nats: Decimal, classes: int) -> float:
    """Return the highest accuracy on answers of `classes` classes, at least 2, with `missing_nats` nats missing. It is at most
    1.0, rounded up.

    `missing_nats` may be too large by at most 10^-44.

    >>> round(highest_accuracy(Decimal(2).ln() / 2, classes=2), 3)  # half a bit is missing
    0.89
    """
    if missing_nats <= MARGIN:
        return 1.0
    with localcontext(Context(prec=DIGITS, rounding=ROUND_CEILING)):
        # MARGIN exceeds what 50 digits lose here, so every error rate of the iteration is proved to be below the root.
        missing = missing_nats - MARGIN
        log_wrong_classes = Decimal(classes - 1).ln()
        error = LEAST_ERROR
        step = LEAST_ERROR
        while step >= LEAST_ERROR:
            # Newton's method: h(e) + e log(k - 1) is concave in the error, so a step from below the root ends below it.
            log_error = error.ln()
            log_right = (1 - error).ln()
            entropy_nats = error * (log_wrong_classes - log_error) - (1 - error) * log_right
            step = max(Decimal(0), (missing - entropy_nats) / (log_wrong_classes - log_error + log_right))
            error += step
        accuracy = Decimal(1) - (error if error > LEAST_ERROR else 0)
    return min(1.0, float_above(accuracy))


def float_above(number: Decimal) -> float:
    """Return the least float that is not below a decimal number.

    >>> float_above(Decimal("0.25")), float_above(Decimal("1e-400"))
    (0.25, 5e-324)
    """
    nearest = float(number)
    return nearest if Decimal(nearest) >= number else nextafter(nearest, inf)


def rounded_up(exact: Fraction) -> float:
    """Return the least float that is not below a fraction, or the next one.

    >>> rounded_up(Fraction(1, 4))
    0.25
    """
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else nextafter(nearest, inf)


def require(condition: bool, call: str, expected: str) -> None:
    """Raise ValueError with the call as written and what was expected, unless the condition holds.

    >>> require(1 > 0, "ceiling(..)", "state_bits is at least 0")
    """
    if not condition:
        raise ValueError(f"{call}: {expected}")


def nats_of_bits(state_bits: int) -> Decimal:
    """Return a state's bits in nats, to as many digits as the context has.

    >>> round(nats_of_bits(2), 6)
    Decimal('1.386294')
    """
    return state_bits * Decimal(2).ln()
