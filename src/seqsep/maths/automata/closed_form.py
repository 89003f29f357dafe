"""A closed form of the number of classes over the length N, if one fits the numbers of all lengths exactly.

The forms are floor((a N + b) / d) with d up to 4, quadratic polynomials, and 2^(a N + b) + c. A form has fewer parameters than
there are lengths. It is a fit: it describes these lengths, and proves nothing about others.
"""

from collections.abc import Sequence
from fractions import Fraction

FEWEST = 3
MOST_DIVISOR = 4
AROUND = (-1, 0, 1)


def closed_form(classes: Sequence[tuple[int, int]]) -> str | None:
    """Return a form that gives the number of classes at every length, or None.

    >>> closed_form([(2, 2), (3, 3), (4, 3), (5, 4), (6, 4)]), closed_form([(4, 3), (8, 5), (12, 7)])
    ('floor((N + 3) / 2)', 'N / 2 + 1')
    >>> closed_form([(1, 3), (2, 5), (3, 9), (4, 17)]), closed_form([(1, 1), (2, 4), (3, 9), (4, 16)])
    ('2^N + 1', 'N^2')
    >>> closed_form([(1, 2), (2, 7), (3, 1), (4, 9)]) is None
    True
    """
    if len(classes) < FEWEST:
        return None
    return _linear(classes) or _quadratic(classes) or _power(classes) or _floor(classes)


def _linear(points: Sequence[tuple[int, int]]) -> str | None:
    first, low = points[0]
    last, high = points[-1]
    slope = Fraction(high - low, last - first)
    start = low - slope * first
    if any(slope * length + start != count for length, count in points):
        return None
    return _sum([(slope, "N"), (start, "")])


def _quadratic(points: Sequence[tuple[int, int]]) -> str | None:
    if len(points) < FEWEST + 1:
        return None
    (x, p), (y, q), (z, r) = points[:3]
    square = (Fraction(r - p, z - x) - Fraction(q - p, y - x)) / (z - y)
    slope = Fraction(q - p, y - x) - square * (x + y)
    start = p - square * x * x - slope * x
    if any(square * length**2 + slope * length + start != count for length, count in points):
        return None
    return _sum([(square, "N^2"), (slope, "N"), (start, "")])


def _power(points: Sequence[tuple[int, int]]) -> str | None:
    """Return 2^(a N + b) + c, with a > 0 and c of -1, 0 or 1."""
    if len(points) < FEWEST + 1:
        return None
    for more in AROUND:
        counts = [count - more for _, count in points]
        if any(count < 1 or count & (count - 1) for count in counts):
            continue
        exponents = [(length, count.bit_length() - 1) for (length, _), count in zip(points, counts, strict=True)]
        exponent = _linear(exponents) if exponents[-1][1] > exponents[0][1] else None
        if exponent is not None:
            power = f"2^{exponent}" if exponent == "N" else f"2^({exponent})"
            return power if not more else f"{power} {'+' if more > 0 else '-'} 1"
    return None


def _floor(points: Sequence[tuple[int, int]]) -> str | None:
    if len(points) < FEWEST + 1:
        return None
    first, low = points[0]
    last, high = points[-1]
    for divisor in range(2, MOST_DIVISOR + 1):
        about = round(Fraction(divisor * (high - low), last - first))
        for slope in (about + more for more in AROUND):
            for start in range(divisor * low - slope * first, divisor * (low + 1) - slope * first):
                if slope > 0 and all((slope * length + start) // divisor == count for length, count in points):
                    return f"floor(({_sum([(Fraction(slope), 'N'), (Fraction(start), '')])}) / {divisor})"
    return None


def _sum(terms: Sequence[tuple[Fraction, str]]) -> str:
    """Return a sum of terms as a person writes it."""
    text = ""
    for factor, name in terms:
        if factor == 0:
            continue
        size = abs(factor)
        above = f"{size.numerator} {name}".strip() if size.numerator != 1 or not name else name
        term = above if size.denominator == 1 else f"{above} / {size.denominator}"
        sign = ("-" if factor < 0 else "") if not text else " - " if factor < 0 else " + "
        text += f"{sign}{term}"
    return text or "0"
