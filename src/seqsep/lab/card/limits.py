"""The lengths from which the state of a layer proves failure, whatever its weights.

For each ladder whose task has a ceiling: the first length N at which no model with this state is always right. Beyond it the
ceiling falls. A state that grows with the length as fast as the answers do has no such length.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.lab.card.battery import Ladder
from seqsep.lab.card.size import StateSize
from seqsep.tasks import NOTHING_ASKED, Task
from seqsep.tasks.ceilings import ceiling, first_bitten_length


@dataclass(frozen=True)
class StateLimit:
    """The limits that the bits of the state set on a ladder.

    Fields:
        ladder: name of the ladder.
        always_right_below: the first length at which no model with this state is always right; None if there is none, or
            if no bound on the average accuracy is known.
        ceilings: for each rung, the highest share of right answers that the state allows; None if no ceiling is known, and for
            an input with several answers, whose ceiling is that of all of them together.
    """

    ladder: str
    always_right_below: int | None
    ceilings: tuple[float | None, ...]


def limits_of(ladders: Sequence[Ladder], size: StateSize, dtype: str = "float32") -> list[StateLimit]:
    """Return the limits of a state of this size, stored in numbers of a type.

    >>> from seqsep.lab.card.battery import BY_NAME
    >>> size = StateSize(2, 1, 10, numbers=((1, 8),), fixed=2, per_token=0, cached_from=1)
    >>> [limit] = limits_of([BY_NAME["index lookup"]], size, "bfloat16")
    >>> limit.always_right_below, [round(one, 2) for one in limit.ceilings]
    (9, [1.0, 1.0, 1.0, 1.0, 0.71, 0.49])
    """
    bits = size.bits(dtype)
    per_token = size.per_token * bits // size.fixed if size.fixed else size.per_token * 32
    found = []
    for ladder in ladders:
        tasks = [task for _, task in ladder.rungs]
        once = _has_one_answer(tasks[0])
        ceilings = tuple(ceiling(task, bits + per_token * task.longest) if once else None for task in tasks)
        found.append(StateLimit(ladder.name, first_bitten_length(tasks[0], bits, per_token), ceilings))
    return found


def _has_one_answer(task: Task) -> bool:
    """Return True if an input of the task has one query."""
    return bool(((task.sample(0, 8, 0).targets != NOTHING_ASKED).sum(1) == 1).all())
