"""Numbers as a reader sees them. A number that is missing or not finite is an em dash.

Rounding never turns a number into a stronger claim: an accuracy below 1 is not shown as 100 %, nor
one below 99 %, from where on a length is learned, as 99 %.
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

DASH = "—"
LEARNED = 0.99
"""The accuracy from which on tables and sentences say that a model has learned a length."""


def known(value: float | None) -> bool:
    """Return True if there is a finite number to show."""
    return value is not None and math.isfinite(value)


def percent(fraction: float | None) -> str:
    """Return an accuracy in percent without the sign: one decimal, more if a value below 1 would read 100.0, or one below 0.99
    99.0.

    >>> percent(0.9956), percent(0.99996), percent(0.9896), percent(None)
    ('99.6', '99.996', '98.96', '—')
    """
    if fraction is None or not math.isfinite(fraction):
        return DASH
    for decimals in (1, 2, 3):
        text = f"{100 * fraction:.{decimals}f}"
        if not any(fraction < bar <= float(text) / 100 for bar in (LEARNED, 1)):
            return text
    return "<99" if fraction < LEARNED else "<100"


def percent_at_most(fraction: float | None) -> str:
    """Return an upper bound in percent: rounded up to one decimal, and never up to 100.

    >>> percent_at_most(0.5641), percent_at_most(0.99999)
    ('56.5', '<100')
    """
    if fraction is None or not math.isfinite(fraction):
        return DASH
    if fraction >= 1:
        return "100"
    tenths = math.ceil(Fraction(fraction) * 1000)
    return "<100" if tenths >= 1000 else f"{tenths / 10:.1f}"


def count(number: int | None) -> str:
    """Return a whole number with commas at the thousands."""
    return DASH if number is None else f"{number:,}"


def counts(numbers: Sequence[int]) -> str:
    """Return different whole numbers in order, or their range if there are more than four.

    >>> counts([5000, 20, 20])
    '20, 5,000'
    """
    different = sorted(set(numbers))
    if len(different) > 4:
        return f"{count(different[0])} to {count(different[-1])}"
    return ", ".join(count(number) for number in different) or DASH


def number(value: Any) -> str:
    """Return any value of a theorem's record: whole numbers exactly up to 15 digits, others to four significant digits."""
    if value is None:
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Integral):
        whole = int(value)
        return f"{whole:,}" if abs(whole) < 10**15 else f"{'-' * (whole < 0)}about 2^{abs(whole).bit_length() - 1}"
    if isinstance(value, Real):
        real = float(value)
        return f"{real:,.4g}" if math.isfinite(real) else DASH
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {number(part)}" for key, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(number(part) for part in value)
    return str(value)


def listed(words: Sequence[str]) -> str:
    """Return words joined as in a sentence, with commas and "and".

    >>> listed(["one", "two", "three"])
    'one, two and three'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
