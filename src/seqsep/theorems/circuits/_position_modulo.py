"""Layer 1 of the proof of Theorem 4.8: a feed-forward part that computes the position modulo C + 1 from the position.

The proof gives no weights. In the paper's arithmetic, each operation is rounded, and rounding divides. So 2 m units are enough
for m = C + 1 (`modulo_part`). With exact numbers no part of so few units computes it (`least_pieces`).
"""

from collections.abc import Sequence

import numpy as np

from seqsep.maths.arithmetic.grid import Array, Grid
from seqsep.maths.networks.network import GatedFeedForward, LinearLayer, Network, whole


def modulo_part(modulus: int, positions: int, rounding: str = "nearest") -> Network:
    """Return a network that gives i mod m at each place i = 0 .. n - 1, by one part of 2 m equal units relu(a i + b) c.

    L = 2^b >= 8 m n steps a unit, so p = O(log m n). Write i = q m + r.

    *Rounding to the nearest.* a i + b = (2 i - (m - 1)) / L and c = 1 / (2 m), off by at most 1/2 step. The product is q + (r
    - (m - 1)/2) / m steps, off by at most i / L < 1 / (8 m). It is rounded to q, since |r - (m - 1)/2| / m <= 1/2 - 1/(2 m).

    *Rounding down.* a i + b = (2 i + 1) / L and c = 1 / (2 m), up to a step more. The product is q + (r + 1/2) / m steps and
    less than 1 / (4 m) more. It is rounded to q.

    A unit adds -L/2 times q steps, which is -q/2. So 2 m units leave i - m q of i.

    >>> from seqsep.maths.networks.executor import run
    >>> run(modulo_part(modulus=3, positions=5), np.zeros((1, 5), dtype=np.int64)).logits.floats()[0, :, 0].tolist()
    [0.0, 1.0, 2.0, 0.0, 1.0]
    """
    steps = 1 << (8 * modulus * positions - 1).bit_length()
    grid = Grid(steps, "nearest", "once") if rounding == "nearest" else Grid(steps)
    units = 2 * modulus
    shift = 1 - modulus if rounding == "nearest" else 1
    factor = (steps + modulus) // units if rounding == "nearest" else -(-steps // units)
    place = np.arange(positions)[:, None]
    part = GatedFeedForward(
        gate=Array(np.tile([2, 0], (units, 1)), grid.step),
        gate_bias=Array(np.full(units, shift), grid.step),
        inner=whole(np.zeros((units, 2))),
        inner_bias=Array(np.full(units, factor), grid.step),
        outer=whole(np.array([[0], [-(steps // 2)]]) * np.ones((1, units), dtype=np.int64)),
        outer_bias=whole([0, 0]),
    )
    nothing_before = LinearLayer(whole([[0]]), whole([[0, 0]]), whole([[0], [0]]))
    return Network(
        name="position-modulo",
        grid=grid,
        spaces={"place": slice(0, 1), "remainder": slice(1, 2)},
        symbols=whole(np.zeros((1, 2))),
        positions=whole(np.concatenate([place, place], axis=1), by_index=True),
        layers=((nothing_before, part),),
        readout=whole([[0, 1]]),
        readout_bias=whole([0]),
    )


def least_pieces(values: Sequence[int]) -> int:
    """Return the least number of intervals on each of which the values are those of one polynomial of degree 2.

    A part of w units relu(a i + b)(c i + d), computed exactly, is a function of i with at most w kinks. So it has at most w + 1
    pieces. Three values are always of one polynomial. Each further value is, if the third difference that it ends is 0. It is
    best to make every interval as long as possible, since a part of a possible interval is possible too. For i mod m with m >=
    3 the intervals are the teeth, since the third difference at a tooth's end is -m. These are ceil(n / m) intervals for n
    values.

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
