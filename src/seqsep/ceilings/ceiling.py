"""The ceiling of a task, the first length at which it is below 1, and the bits that an accuracy proves."""

from math import log2, perm

from seqsep.ceilings.answer_lists import counting_ceiling
from seqsep.ceilings.double_stars import double_star_ceiling
from seqsep.ceilings.fano import require
from seqsep.ceilings.index_lookup import index_lookup_ceiling, length_where_it_bites
from seqsep.ceilings.retrieval import gram_ceiling
from seqsep.tasks import (
    AssociativeRecall,
    Equality,
    IndexLookup,
    IsTree,
    MultiQueryRecall,
    NearestNeighbor,
    NgramRetrieval,
    Task,
)


def ceiling(task: Task, state_bits: int) -> float | None:
    """The highest accuracy, as a fraction, on a task's evaluation examples with a state of `state_bits` bits.

    It is 1 for a state that can hold all that the task asks for (`answer_bits`), and None if no bound on average is known. With
    1 the state forbids nothing: whether the architecture has weights that answer so, and whether training finds them, is not
    said. A thought that is given to the model tells it about the prompt, so IsTree has a bound without a thought only; for one
    that the model writes itself `double_star_ceiling` holds.

    >>> round(ceiling(IndexLookup(length=100, alphabet=64), state_bits=300), 3)
    0.654
    """
    if isinstance(task, IndexLookup):
        return index_lookup_ceiling(task.length, task.alphabet, state_bits)
    if isinstance(task, AssociativeRecall):
        return index_lookup_ceiling(task.length, task.values, state_bits)
    if isinstance(task, MultiQueryRecall):
        pairs = task.pair_count
        lists_of_values = perm(task.values, pairs) if task.form == "zoology" else task.values**pairs
        return counting_ceiling(lists_of_values, state_bits)
    if isinstance(task, Equality) and task.variant == "next":
        return counting_ceiling(task.symbols ** (task.length // 2), state_bits)
    if isinstance(task, NearestNeighbor):
        return counting_ceiling(task.classes ** (task.length // 2), state_bits)
    if isinstance(task, NgramRetrieval):
        return gram_ceiling(task.length, task.vocabulary, task.gram, state_bits)
    if isinstance(task, IsTree) and (task.trace, task.distribution) == ("vanilla", "double-star"):
        return double_star_ceiling(task.length, state_bits)
    require(state_bits >= 0, f"ceiling({task!r}, state_bits={state_bits})", "state_bits is at least 0")
    enough = task.answer_bits()
    return 1.0 if enough is not None and state_bits >= enough else None


def first_bitten_length(task: Task, state_bits: int, bits_per_token: int = 0) -> int | None:
    """The least length N of such a task at which the ceiling is below 1.

    The state has `state_bits` + N `bits_per_token` bits. None if there is no such length, or if no bound on average is known.

    >>> first_bitten_length(IndexLookup(length=100, alphabet=64), state_bits=300)
    51
    """
    if isinstance(task, IndexLookup):
        return length_where_it_bites(task.alphabet, state_bits, bits_per_token)
    if (isinstance(task, Equality) and task.variant == "next") or isinstance(task, NearestNeighbor):
        half = length_where_it_bites(task.classes, state_bits, 2 * bits_per_token)
        return None if half is None else 2 * half
    return None


def carried_bits(task: IndexLookup, accuracy: float) -> float:
    """The bits about its symbols that a state carries at least if it answers with this accuracy: the right side of (*).

    It is 0 at the accuracy of guessing and below. Accuracy is that over all examples; a measured one has an error of its own.

    >>> carried_bits(IndexLookup(length=100, alphabet=64), accuracy=1.0)
    600.0
    >>> round(carried_bits(IndexLookup(length=100, alphabet=64), accuracy=0.5))
    201
    """
    require(0 <= accuracy <= 1, f"carried_bits({task!r}, accuracy={accuracy})", "accuracy is a fraction from 0 to 1")
    error = 1 - accuracy
    if error >= 1 - 1 / task.alphabet:
        return 0.0
    entropy_bits = 0.0
    if 0 < error < 1:
        entropy_bits = -error * log2(error) - accuracy * log2(accuracy)
    return max(0.0, task.length * (log2(task.alphabet) - entropy_bits - error * log2(max(1, task.alphabet - 1))))
