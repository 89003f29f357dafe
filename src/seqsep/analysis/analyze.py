"""What any function of sequences asks of recurrent and of one-layer attention models, length by length.

For each N: the least state, exactly (`exact.least_state`), or bounds where inputs are outside the domain
(`exact.partial_states`); beside it a lower bound on width times heads of a one-layer attention model, by Theorem 4 of
Bhattamishra et al. 2024 (arXiv:2406.09347) over the best partition that `exact.partition_search` finds. And the growth over N.
The least state holds for all recurrent models: the proof is in `exact.least_state`. The bound on attention holds for models
of the grid, with stepwise softmax, that compute the function on every input: the proof is in `theorems.one_layer_protocol`.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from seqsep.analysis.function import MOST_LENGTH, Given, Instance, of_function, resolve
from seqsep.analysis.record import HEADER, Analysis, AtLength, Width, Witness
from seqsep.exact import partial_states, partition_search
from seqsep.exact.enumeration import OUTSIDE, Tabulated
from seqsep.exact.growth import growth
from seqsep.exact.partial_states import PartialState
from seqsep.exact.partition_search import PartitionBound, SharedFunction

PRECISIONS = (8, 16, 32)


__all__ = ["HEADER", "Analysis", "AtLength", "Width", "Witness", "analyze", "theorem_4_bits"]


def theorem_4_bits(precision: int, length: int) -> float:
    """3 (p + log2 N): the bits that Theorem 4's protocol sends for each unit of width times heads, as printed."""
    return 3 * (precision + math.log2(length))


def analyze(
    target: str | Callable[[list[int]], int | None],
    lengths: Sequence[int] | None = None,
    alphabet: Sequence[int] | None = None,
    precisions: Sequence[int] = PRECISIONS,
    fields: Mapping[str, int | float | str] | None = None,
    is_regular: bool = False,
    report: Callable[[AtLength], None] | None = None,
) -> Analysis:
    """Analyse a function, or what a name stands for (`_given_function`), at each length; `report` is called after each.

    Raises ValueError for lengths below 1, too many inputs, a function that raises or answers with other than integers or None,
    and alphabets that do not fit.
    """
    if callable(target):
        given = of_function(target, getattr(target, "__name__", "function"), alphabet)
    else:
        given = resolve(target, alphabet, fields, is_regular)
    if lengths is None:
        if given.length is None and (alphabet is None or len(alphabet) < 2):
            raise ValueError(f"{given.name}: expected lengths, as in --lengths 2..10, found none")
        lengths = [given.length if given.length is not None else len(alphabet or ())]
    if not lengths or not 1 <= min(lengths) <= max(lengths) <= MOST_LENGTH:
        raise ValueError(f"{given.name}: expected lengths from 1 to {MOST_LENGTH}, found {_range(lengths)}")
    if not all(1 < precision <= 1024 for precision in precisions):
        raise ValueError(f"{given.name}: expected precisions of 2 to 1,024 bits, found {', '.join(map(str, precisions))}")
    done = []
    for length in sorted(set(lengths)):
        done.append(_at(given, length, precisions))
        if report is not None:
            report(done[-1])
    return Analysis(given.name, given.kind, tuple(done), growth([(one.length, one.classes) for one in done]))


def _range(lengths: Sequence[int]) -> str:
    return f"{min(lengths)} to {max(lengths)}" if lengths else "none"


def _at(given: Given, length: int, precisions: Sequence[int]) -> AtLength:
    from seqsep.theorems.protocols.one_layer_protocol import least_width_heads  # brings torch

    instance = given.at(length)
    partial = None
    if instance.least is None:
        assert instance.table is not None
        partial = partial_states.bounds(instance.table, given.name)
    witness = _witness(given, instance, partial)
    if partial is not None and not partial.domain:
        bound = PartitionBound((), (), "the domain is empty", 0)
    else:
        bound = partition_search.best_partition(_shared_function(instance))
    tokens, answers = len(instance.symbols), _answers(instance)
    widths = tuple(
        Width(
            precision,
            bound.bits / theorem_4_bits(precision, tokens),
            least_width_heads(bound.bits, precision, tokens, max(1, len(answers))).counted if bound.bits else 0,
        )
        for precision in precisions
    )
    return AtLength(length, instance.symbols, answers, instance.least, partial, witness, bound, widths, instance.table)


def _shared_function(instance: Instance) -> SharedFunction:
    if instance.table is not None:
        return SharedFunction.of_table(instance.table)
    assert instance.least is not None
    return SharedFunction.of_automaton(instance.least.automaton)


def _answers(instance: Instance) -> tuple[int, ...]:
    """By label; those of formulas and automata are 0 and 1."""
    if instance.table is not None:
        return instance.table.answers
    return (0, 1)


def _witness(given: Given, instance: Instance, partial: PartialState | None) -> Witness | None:
    """Two inputs as tokens, asked again: a function that answers otherwise the second time is refused."""
    if partial is not None:
        assert instance.table is not None
        places = _clashing(instance.table, partial)
        split = partial.clique.split
    else:
        assert instance.least is not None
        found = instance.least.witness()
        places, split = (None, 0) if found is None else (found.inputs, found.split)
    if places is None:
        return None
    first, second = ([tokens[place] for tokens, place in zip(instance.symbols, word, strict=True)] for word in places)
    if instance.table is None:
        assert instance.least is not None
        ends = instance.least.automaton.run(np.array(places, dtype=np.int64)).tolist()
        return Witness(split, (first, second), (ends[0], ends[1]))
    answers = []
    for word, place in zip((first, second), places, strict=True):
        at = int(np.ravel_multi_index(place, instance.table.alphabets))
        answers.append(instance.table.answers[int(instance.table.labels[at])])
        again = instance.call(list(word)) if instance.call is not None else answers[-1]
        if again != answers[-1]:
            raise ValueError(f"{given.name}({word}): expected the same answer each time, found {answers[-1]} and {again}")
    return Witness(split, (first, second), (answers[0], answers[1]))


def _clashing(table: Tabulated, partial: PartialState) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Two prefixes of the clique and the first suffix on which they clash."""
    if len(partial.clique.prefixes) < 2:
        return None
    rows = table.labels.reshape(math.prod(table.alphabets[: partial.clique.split]), -1)
    first, second = partial.clique.prefixes[:2]
    one, two = rows[first], rows[second]
    suffix = int(np.flatnonzero((one != two) & (one != OUTSIDE) & (two != OUTSIDE))[0])
    return table.digits(first * len(one) + suffix), table.digits(second * len(one) + suffix)
