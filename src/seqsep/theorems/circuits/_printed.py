"""The printed first layer of Theorem 4.8: a feed-forward part that computes the position modulo C + 1 from the position.

A part of w units relu(a i + b)(c i + d) is a function of i with at most w kinks: w + 1 pieces, each a polynomial of degree 2.
`least_pieces` is how many pieces values at 0, 1, 2, .. need.
"""

from collections.abc import Sequence


def least_pieces(values: Sequence[int]) -> int:
    """The least number of intervals on each of which the values are those of one polynomial of degree 2.

    Three values always are; each further one is if the third difference that it ends is 0. To take every interval as long as
    it goes is best, since a part of an interval that works works too. For i mod m with m >= 3 these are the teeth, since the
    third difference at a tooth's end is -m: ceil(n / m) intervals for n values.

    >>> least_pieces([i * i - 3 * i for i in range(50)]), least_pieces([i % 4 for i in range(50)])
    (1, 13)
    """
    pieces = 0
    begin = 0
    while begin < len(values):
        end = min(begin + 3, len(values))
        while end < len(values) and values[end] - 3 * values[end - 1] + 3 * values[end - 2] - values[end - 3] == 0:
            end += 1
        pieces += 1
        begin = end
    return pieces
