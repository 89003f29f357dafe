"""Ceilings read backwards: the least state that an accuracy needs, and the longest input that a state allows it at.

Both are by bisection over the ceiling itself, which rises with the bits and falls with the items: the result is the border of
what `ceiling` says. For accuracy 1 it is decided exactly whether 2^B states are enough, as a ceiling below 1 may be 1.0 as a
float. What is found is a bound for every model: a state of fewer bits, or a longer input, does not have the accuracy. This does
not show that a model of that many bits has it.
"""

from collections.abc import Callable
from math import perm
from numbers import Real

from seqsep.core.names import BadInput, excerpt, is_whole
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.tasks import Task
from seqsep.tasks.ceilings.ceiling import ceiling
from seqsep.tasks.ceilings.forms import DifferentAnswers, form_of


def least_state_bits(task: Task, accuracy: float) -> int:
    """Return the least number of state bits at which the ceiling allows an accuracy on the task's evaluation examples.

    It is the least B with ceiling(task, B) >= accuracy: every model with a smaller state is below this accuracy. A ceiling
    just below 1 may round up to 1, so for accuracy 1 the result is computed with whole numbers instead. This is done for
    tasks whose answers are independent symbols or different values, and for random equality.

    Arguments:
        task: a task with its sizes.
        accuracy: a fraction from 0 to 1.

    Raises BadInput if `task` is not a task, if `accuracy` is not a fraction from 0 to 1, or if no bound of the average accuracy
    on the task is known.

    >>> from seqsep.tasks import IndexLookup
    >>> task = IndexLookup(length=100, alphabet=64)
    >>> least_state_bits(task, accuracy=1.0), least_state_bits(task, accuracy=0.9), least_state_bits(task, accuracy=0.5)
    (600, 494, 202)
    """
    _require_ceiling(task)
    _require_fraction(accuracy)
    asked = form_of(task)
    if asked is None or accuracy < 1:
        return _least(lambda bits: (ceiling(task, bits) or 0.0) >= accuracy)
    if isinstance(asked.form, DifferentAnswers):
        return ceil_log2(perm(asked.form.symbols, asked.items))
    return _least(lambda bits: (held := asked.form.most_held(bits)) is None or held >= asked.items)


def longest(task: Task, bits: int, accuracy: float) -> int | None:
    """Return the greatest length at which the ceiling of a state of B bits allows an accuracy on the task's examples.

    The length is in the task's unit: symbols, pairs or points. It is 0 if no length is allowed, and it may be greater
    than the lengths that the task accepts. It is None if every length is allowed. Every length is allowed if a guess without
    any state has the accuracy. For random equality, every length is allowed up to the accuracy 1 - 2^-B / 2.

    Arguments:
        task: a task with its sizes; its own length does not matter.
        bits: B, bits of one example's state; from 0.
        accuracy: a fraction from 0 to 1.

    Raises BadInput if bits are not a whole number from 0, if the accuracy is not a fraction from 0 to 1, or if no bound of the
    average accuracy is known. Raises BadInput for IsTree, n-gram retrieval, multi-query recall with the form zoology, and the
    tasks that follow a state: this function does not search their lengths.

    >>> from seqsep.tasks import Equality, IndexLookup
    >>> task = IndexLookup(length=100, alphabet=64)
    >>> [longest(task, bits=600, accuracy=wanted) for wanted in (1.0, 0.9, 0.01)]
    [100, 121, None]
    >>> longest(Equality(length=20), bits=3, accuracy=0.95), longest(Equality(length=20), bits=3, accuracy=0.9375)
    (10, None)
    """
    _require_ceiling(task)
    _require_fraction(accuracy)
    if not is_whole(bits) or bits < 0:
        raise BadInput(f"bits: expected a whole number from 0, found {excerpt(repr(bits))}")
    state_bits = int(bits)
    asked = form_of(task)
    if asked is None or asked.length is None:
        raise BadInput(f"task: expected one whose ceiling falls only with its length, found {excerpt(repr(task))}")
    items = asked.form.most_held(state_bits)
    if items is None or (accuracy < 1 and accuracy <= asked.form.limit(state_bits)):
        return None
    if accuracy < 1:
        # `items` themselves are allowed: the ceiling is 1 for them.
        items += _least(lambda more: more > 0 and asked.form.ceiling(items + more, state_bits) < accuracy) - 1
    times, left_over = asked.length
    return times * items + left_over if items else 0


def _require_ceiling(task: Task) -> None:
    if not isinstance(task, Task):
        raise BadInput(f"task: expected a task, as seqsep.IndexLookup(length=20), found {excerpt(repr(task))}")
    if ceiling(task, 0) is None:
        raise BadInput(f"task: expected one with a known bound on its average accuracy, found {excerpt(repr(task))}")


def _require_fraction(accuracy: float) -> None:
    if not isinstance(accuracy, Real) or isinstance(accuracy, bool) or not 0 <= accuracy <= 1:
        raise BadInput(f"accuracy: expected a fraction from 0 to 1, found {excerpt(repr(accuracy))}")


def _least(holds: Callable[[int], bool]) -> int:
    """Return the least whole number from 0 for which a condition holds, if it holds for all greater ones too."""
    if holds(0):
        return 0
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
