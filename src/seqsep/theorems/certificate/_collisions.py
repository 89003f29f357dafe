"""A recurrence with two words that reach one state, as the file shows it, and the checker's work on it."""

from fractions import Fraction
from math import lcm

from seqsep.theorems.certificate._record import WitnessRecord
from seqsep.theorems.state_tracking.collision import StateCollision

MOST_STEPS = 1 << 15
MOST_VALUE = (1 << 31) - 1


def of_collision(call: str, collision: StateCollision) -> WitnessRecord:
    """Return the record, with all entries over their least common denominator.

    Raises ValueError for a number without a form.
    """
    recurrence = collision.recurrence
    entries = [Fraction(entry) for rows in recurrence.maps for row in rows for entry in row]
    divisor = lcm(*(entry.denominator for entry in entries))
    greatest = max([Fraction(divisor), *(abs(entry * divisor) for entry in entries)])
    if greatest > MOST_VALUE or recurrence.end > MOST_STEPS:
        raise ValueError(
            f"{call}: over a common denominator, numbers are at most 2^31 - 1 and L is at most 2^15; "
            f"found {greatest} and L = {recurrence.end}"
        )
    lengths = [sum(times for _, times in word) for word in collision.words]
    width = len(recurrence.start)
    shown = {
        "divisor": divisor,
        "maps": [[[int(entry * divisor) for entry in row] for row in rows] for rows in recurrence.maps],
        "start": list(recurrence.start),
        "steps": recurrence.end,
        "words": [[list(run) for run in word] for word in collision.words],
    }
    return WitnessRecord(
        "state-collision",
        shown,
        {"longer": max(lengths), "shorter": min(lengths), "width": width},
        sum(lengths) * width * (width + 12),
        precision=(2 * recurrence.end**2).bit_length(),
        rounding=recurrence.rounding,
    )
