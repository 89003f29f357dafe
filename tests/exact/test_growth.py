"""The kind of growth and its slope, on sequences whose growth is known."""

import math

from seqsep.exact.growth import growth


def test_growth():
    assert growth([(2, 4), (3, 8)]) is None
    linear = growth([(length, 2**length) for length in range(2, 12)])
    assert (linear.kind, round(linear.slope, 9), linear.unit) == ("linear", 1, "bits per token")
    logarithmic = growth([(length, length**3) for length in range(2, 12)])
    assert (logarithmic.kind, round(logarithmic.slope, 9)) == ("logarithmic", 3)
    assert growth([(length, 1 if length % 2 else 6) for length in range(2, 12)]).kind == "constant"
    assert growth([(length, 1 if length % 2 else 2**length) for length in range(2, 14)]).kind == "linear"
    assert growth([(1, 2), (2, 3), (4, 4)]).points == ((1, 1.0), (2, math.log2(3)), (4, 2.0))
