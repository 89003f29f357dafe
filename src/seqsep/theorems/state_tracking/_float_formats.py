"""Rounding to bfloat16, float16 and float32 by our own arithmetic, so that every processor gives the same numbers.

A sum or product of two numbers of these formats is computed in float64 and then rounded to the format, to nearest, ties to
even. This is the correctly rounded result, because 53 >= 2 p + 2 for the p = 8, 11 or 24 digits of a format (Figueroa 1995).
"""

from typing import Annotated, NamedTuple

import numpy as np
from jaxtyping import Float64

from seqsep.core.options import OneOf


class FloatFormat(NamedTuple):
    """A binary format.

    Fields:
        digits: p, the number of binary digits of a normal number.
        least: the exponent of the least positive number.
        most: the greatest number.
    """

    digits: int
    least: int
    most: float


FORMATS = {
    "bfloat16": FloatFormat(8, -133, (2 - 2.0**-7) * 2.0**127),
    "float16": FloatFormat(11, -24, 65504.0),
    "float32": FloatFormat(24, -149, (2 - 2.0**-23) * 2.0**127),
}
FormatName = Annotated[str, OneOf(*FORMATS), "The format of numbers; by default each."]
Numbers = Float64[np.ndarray, "..."]


def in_format(numbers: Numbers | float, name: str) -> Numbers:
    """Round to nearest, ties to even. Raises OverflowError for a result beyond the greatest number.

    >>> in_format(1 / 3, "bfloat16").item(), in_format(2049.0, "float16").item()
    (0.333984375, 2048.0)
    """
    chosen = FORMATS[name]
    values = np.asarray(numbers, dtype=np.float64)
    exponents = np.maximum(np.frexp(values)[1] - chosen.digits, chosen.least)
    result = np.asarray(np.ldexp(np.rint(np.ldexp(values, -exponents)), exponents))
    if (np.abs(result) > chosen.most).any():
        raise OverflowError(f"in_format({name!r}): beyond {chosen.most}")
    return result
