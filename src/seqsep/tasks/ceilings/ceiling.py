"""The ceiling of a task, the first length at which it is below 1, and the bits that an accuracy proves."""

from seqsep.core.names import BadInput, excerpt, is_whole
from seqsep.tasks import IndexLookup, IsTree, NgramRetrieval, Task
from seqsep.tasks.ceilings.double_stars import double_star_ceiling
from seqsep.tasks.ceilings.fano import require
from seqsep.tasks.ceilings.forms import EqualHalves, form_of
from seqsep.tasks.ceilings.index_lookup import length_where_it_bites
from seqsep.tasks.ceilings.one_of_many import bits_of_a_symbol
from seqsep.tasks.ceilings.retrieval import gram_ceiling
from seqsep.tasks.ceilings.state_tracking import state_tracking_ceiling
from seqsep.tasks.ceilings.uniform_graphs import uniform_graph_ceiling


def ceiling(task: Task, state_bits: int) -> float | None:
    """Return an upper limit of the accuracy on a task's evaluation examples for every model with a state of B bits.

    The accuracy is the fraction of examples in which every queried answer is right. The result is rounded up to a float. It
    is 1 for a state that can hold all answers (`answer_bits`). It is None if no upper limit of the average accuracy is known.
    The limit does not show that an architecture has weights with this accuracy, or that training finds them. At small sizes,
    `best_accuracy` returns the accuracy of the best code.

    For index lookup over N items of S symbols, the limit is the accuracy p that solves the equation
    B = N (log2 S - h(p) - (1 - p) log2(S - 1)). This is Fano's inequality; h(p) is the entropy of one bit that is 1 with
    probability p. The files of `seqsep.tasks.ceilings` have the equations of the other tasks. For IsTree, `ceiling` knows a
    limit only with `trace="vanilla"`. With another trace the examples include the thought, and a model can read there what its
    state does not hold. If the model writes the thought itself, use `double_star_ceiling` or `uniform_graph_ceiling`.

    Arguments:
        task: a task with its sizes.
        state_bits: B, bits of one example's state; from 0.

    Raises BadInput, a ValueError, for anything except a task, and for bits that are not a whole number from 0.

    >>> round(ceiling(IndexLookup(length=100, alphabet=64), state_bits=300), 3)
    0.654
    """
    if not isinstance(task, Task):
        raise BadInput(f"ceiling: task: expected a task, as seqsep.IndexLookup(length=20), found {excerpt(repr(task))}")
    state_bits = _whole(state_bits, f"ceiling({task!r}, state_bits={state_bits})", "state_bits")
    asked = form_of(task)
    if asked is not None:
        return asked.form.ceiling(asked.items, state_bits)
    if isinstance(task, NgramRetrieval):
        return gram_ceiling(task.length, task.vocabulary, task.gram, state_bits)
    if isinstance(task, IsTree) and task.trace == "vanilla":
        of_graphs = double_star_ceiling if task.distribution == "double-star" else uniform_graph_ceiling
        return of_graphs(task.length, state_bits)
    limit = state_tracking_ceiling(task, state_bits)
    if limit is not None:
        return limit
    enough = task.answer_bits()
    return 1.0 if enough is not None and state_bits >= enough else None


def first_bitten_length(task: Task, state_bits: int, bits_per_token: int = 0) -> int | None:
    """Return the least length N of a task at which its ceiling is below 1, or None.

    The result is None if the ceiling is 1 at every length, or if no upper limit of the average accuracy is known. It is also
    None for IsTree, n-gram retrieval, multi-query recall with the form zoology and the tasks that follow a state, because this
    function does not search their lengths. For random equality with 52 bits or more, the ceiling is so near to 1 that it rounds
    up to 1 at every length.

    Arguments:
        task: a task; its own length does not matter.
        state_bits: bits of the state that do not depend on the length; from 0.
        bits_per_token: bits of the state for each token; from 0.

    Raises BadInput, a ValueError, for the reasons of `ceiling`.

    >>> first_bitten_length(IndexLookup(length=100, alphabet=64), state_bits=300)
    51
    """
    call = f"first_bitten_length({task!r}, state_bits={state_bits}, bits_per_token={bits_per_token})"
    state_bits = _whole(state_bits, call, "state_bits")
    bits_per_token = _whole(bits_per_token, call, "bits_per_token")
    asked = form_of(task)
    if asked is None or asked.length is None:
        return None
    times, _ = asked.length
    items = length_where_it_bites(asked.form.symbols, state_bits, times * bits_per_token)
    if items is None:
        return None
    while isinstance(asked.form, EqualHalves):
        bits = state_bits + times * items * bits_per_token
        if asked.form.limit(bits) == 1:
            return None
        if asked.form.ceiling(items, bits) < 1:
            break
        items += 1
    return times * items


def carried_bits(task: IndexLookup, accuracy: float) -> float:
    """Return how many bits about the symbols a state carries at least, from its accuracy on index lookup.

    The result is N (log2 S - h(a) - (1 - a) log2(S - 1)), by Fano's inequality. It is 0 at the accuracy of guessing and
    below. The accuracy must be that over all inputs. A measured accuracy has a sampling error.

    Arguments:
        task: index lookup, with its N and S.
        accuracy: a, a fraction from 0 to 1.

    >>> carried_bits(IndexLookup(length=100, alphabet=64), accuracy=1.0)
    600.0
    >>> round(carried_bits(IndexLookup(length=100, alphabet=64), accuracy=0.5))
    201
    >>> carried_bits(IndexLookup(length=100, alphabet=64), accuracy=0.0)
    0.0
    """
    require(0 <= accuracy <= 1, f"carried_bits({task!r}, accuracy={accuracy})", "accuracy is a fraction from 0 to 1")
    return task.length * bits_of_a_symbol(task.alphabet, accuracy)


def _whole(bits: int, call: str, name: str) -> int:
    """Return a whole number from 0 as Python's int: a ceiling of fewer bits would be too low."""
    pair = "; of a model's (fixed, per token) the fixed bits, or both to first_bitten_length" if isinstance(bits, tuple) else ""
    require(is_whole(bits) and bits >= 0, call, f"{name} is a whole number from 0{pair}")
    return int(bits)
