"""The kind of growth and its slope, on sequences whose growth is known."""

import math

from seqsep.maths.automata.growth import growth


def test_growth():
    assert growth([(2, 4), (3, 8)]) is None
    linear = growth([(length, 2**length) for length in range(2, 12)])
    assert (linear.kind, round(linear.slope, 9), linear.unit) == ("linear", 1, "bits per token")
    logarithmic = growth([(length, length**3) for length in range(2, 12)])
    assert (logarithmic.kind, round(logarithmic.slope, 9)) == ("logarithmic", 3)
    assert growth([(length, 1 if length % 2 else 6) for length in range(2, 12)]).kind == "constant"
    assert growth([(length, 1 if length % 2 else 2**length) for length in range(2, 14)]).kind == "linear"
    assert growth([(1, 2), (2, 3), (4, 4)]).points == ((1, 1.0), (2, math.log2(3)), (4, 2.0))


def test_the_middle_length_is_of_the_lower_half():
    """Of three lengths two are the lower half, of four also two: what is reached there and never passed is constant."""
    assert growth([(2, 2), (3, 4), (4, 4)]).kind == "constant"
    assert growth([(2, 2), (3, 2), (4, 4)]).kind != "constant"
    assert growth([(2, 2), (3, 4), (4, 4), (5, 4)]).kind == "constant"
    assert growth([(2, 2), (3, 2), (4, 4), (5, 4)]).kind != "constant"


def test_a_little_more_is_more():
    """One class more at the last length, of 2^40: no constant, though the bits differ by 10^-12 only."""
    assert growth([(2, 2**40), (3, 2**40), (4, 2**40 + 1)]).kind != "constant"
    assert growth([(2, 2**40), (3, 2**40), (4, 2**40)]).kind == "constant"


def test_lines_and_records_say_what_was_fitted():
    """For 1, 3, 5 bits at N = 2, 4, 8 the line through N leaves residuals 2/7, -3/7, 1/7: sqrt(2/21) bits."""
    logarithmic = growth([(2, 2), (4, 8), (8, 32)])
    assert logarithmic.line().startswith("logarithmic over N = 2 to 8: 2 bits per doubling of N (off by ")
    assert logarithmic.record()["fits"]["linear"] == {"slope": 0.642857, "intercept": 0.0, "error": 0.308607}
    assert logarithmic.record()["fits"]["logarithmic"] == {"slope": 2.0, "intercept": -1.0, "error": 0.0}
    assert logarithmic.record()["points"] == [[2, 1.0], [4, 3.0], [8, 5.0]]
    nearly = growth([(2, 4), (4, 16), (8, 257)])
    errors = "off by 0.00087 bits, root mean square; logarithmic: 0.47"
    assert nearly.line() == f"linear over N = 2 to 8: 1 bits per token ({errors})"
    either = growth([(2, 2), (4, 4), (6, 8), (8, 11)])
    assert either.line().startswith("logarithmic, hardly better than linear, over N = 2 to 8: ")
    constant = growth([(2, 4), (4, 4), (8, 4)])
    assert (constant.line(), constant.slope, constant.unit) == ("constant over N = 2 to 8", 0.0, "bits per token")
