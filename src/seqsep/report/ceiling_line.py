"""The provable ceiling on accuracy as a line over bits of state, between the bits that a figure shows."""

from collections.abc import Iterable

from seqsep.ceilings import ceiling
from seqsep.report.result_table import Cell
from seqsep.tasks import Task

POINTS = 200


def bits_span(task: Task, cells: Iterable[Cell]) -> tuple[float, float]:
    """The bits from which and to which the states of a task are drawn; what the task asks for lies among them."""
    asked = task.answer_bits()
    bits = [cell.state_bits for cell in cells] or [1]
    bits += [asked] if asked else []
    return max(1.0, min(bits) / 5), 3.0 * max(bits)


def ceiling_line(task: Task, low: float, high: float) -> tuple[tuple[int, float], ...]:
    """(bits, ceiling) between two numbers of bits, without those for which no bound is known.

    >>> from seqsep.tasks import IndexLookup
    >>> ceiling_line(IndexLookup(20), low=1.0, high=500.0)[-1]
    (500, 1.0)
    """
    ratio = high / low
    bits = sorted({round(low * ratio ** (place / POINTS)) for place in range(POINTS + 1)})
    heights = {number: ceiling(task, number) for number in bits}
    return tuple((number, height) for number, height in heights.items() if height is not None)
