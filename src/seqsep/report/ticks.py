"""Places of ticks and labels of an axis: ticks at round numbers, labels that do not collide."""

import math
from collections.abc import Sequence


def finite(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Return the points that can be drawn.

    >>> finite([(1.0, 0.5), (2.0, math.nan)])
    ((1.0, 0.5),)
    """
    return tuple(point for point in points if math.isfinite(point[0]) and math.isfinite(point[1]))


def spread_apart(heights: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return the heights moved as little as possible to be `gap` apart between `low` and `high`, in the same order.

    Labels that collide become one block, centred on the mean of what its members wished for (isotonic regression).

    >>> spread_apart([10.0, 12.0, 90.0], gap=10.0, low=0.0, high=100.0)
    [6.0, 16.0, 90.0]
    """
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    blocks: list[list[float]] = []
    for place, index in enumerate(order):
        blocks.append([heights[index] - place * gap])
        while len(blocks) > 1 and sum(blocks[-2]) / len(blocks[-2]) >= sum(blocks[-1]) / len(blocks[-1]):
            collided = blocks.pop()
            blocks[-1] += collided
    shifted = [sum(block) / len(block) for block in blocks for _ in block]
    highest = high - (len(order) - 1) * gap
    placed = [0.0] * len(heights)
    for place, index in enumerate(order):
        placed[index] = max(low, min(shifted[place], highest)) + place * gap
    return placed


def round_ticks(high: float, about: int = 5) -> tuple[float, ...]:
    """Return multiples of 1, 2, 2.5 or 5 times a power of ten from 0 to `high`.

    >>> round_ticks(2000.0, about=4)
    (0.0, 500.0, 1000.0, 1500.0, 2000.0)
    """
    rough = max(high, 1e-9) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * 0.999)
    return tuple(step * index for index in range(int(high / step * 1.0001) + 1))
