"""The least state of a Boolean formula with more inputs than can be enumerated, by decision diagrams in reading order.

Prefixes of length K are in one class if and only if they lead to the same node of the diagram with the same complement bit. A
diagram skips levels at which nothing is decided, so the classes at split K are the edges that cross it; `layered_diagram`
makes states of them. The library is the pure Python `dd.autoref`; reordering of the variables is off.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from seqsep.core.names import ensure
from seqsep.maths.automata.layered import Layered
from seqsep.maths.automata.least_state import LeastState, trial_inputs
from seqsep.maths.formulas import AtLeast, Thresholds, TruthTable

MOST_NODES = 200_000
MOST_VARIABLES = 256


def of_formula(formula: Thresholds, name: str = "formula", seed: int = 0) -> LeastState:
    """The least state of a formula of 1 to 256 variables, read in their order.

    The automaton is run on the inputs of `least_state.trial_inputs` and must agree with the formula. Raises ValueError beyond
    256 variables, if a diagram on the way has more than 200,000 nodes, and without the library.

    >>> from seqsep.maths.formulas import majority
    >>> of_formula(majority(40)).classes  # in the middle: 0 to 20 ones so far
    21
    """
    if not 1 <= formula.variables <= MOST_VARIABLES:
        raise ValueError(f"{name}: expected 1 to {MOST_VARIABLES} variables, found {formula.variables}")
    automaton = layered_diagram(build_diagram(formula, name), formula.variables)
    inputs, every = trial_inputs(automaton, seed)
    ensure(np.array_equal(automaton.run(inputs), formula.evaluate(inputs)), f"{name}: the diagram answers wrongly")
    return LeastState(automaton, len(inputs), every)


def read_in(formula: Thresholds, places: Sequence[int], name: str = "formula", seed: int = 0) -> Layered:
    """The least automaton of a formula whose variables are read in another order: at time t the one at position places[t].

    It is run on the inputs of `least_state.trial_inputs` and must agree with the formula. Raises ValueError as `of_formula`
    does, and for places that are not the positions 0 to N - 1 in some order.

    >>> from seqsep.maths.formulas import equality
    >>> max(read_in(equality(8), [0, 4, 1, 5, 2, 6, 3, 7]).widths), max(read_in(equality(8), range(8)).widths)
    (3, 16)
    """
    if sorted(places) != list(range(formula.variables)):
        raise ValueError(
            f"{name}: expected the positions 0 to {formula.variables - 1} in some order, found {list(places)[:10]}"
        )
    time_of = {place + 1: time + 1 for time, place in enumerate(places)}
    features = tuple(_renamed(feature, time_of) for feature in formula.features)
    automaton = layered_diagram(build_diagram(replace(formula, features=features), name), formula.variables)
    inputs, _ = trial_inputs(automaton, seed)
    words = np.empty_like(inputs)
    words[:, list(places)] = inputs
    ensure(np.array_equal(automaton.run(inputs), formula.evaluate(words)), f"{name}: the diagram answers wrongly")
    return automaton


def _renamed(feature: AtLeast | TruthTable, time_of: dict[int, int]) -> AtLeast | TruthTable:
    """A feature of the variables by the times at which they are read, both from 1."""
    if isinstance(feature, AtLeast):
        literals = tuple(time_of[abs(literal)] * (1 if literal > 0 else -1) for literal in feature.literals)
        return replace(feature, literals=literals)
    return replace(feature, indices=tuple(time_of[index] for index in feature.indices))


def build_diagram(formula: Thresholds, name: str) -> Any:
    """The root of the formula's diagram; features are added by their last variable, which keeps intermediate diagrams small.

    Raises ValueError as `of_formula` does, for too many nodes and without the library.
    """
    try:
        from dd.autoref import BDD
    except ImportError:
        raise ValueError(f"{name}: the package dd is missing, which decision diagrams need: pip install dd") from None
    manager = BDD()
    manager.configure(reordering=False)
    _limit(manager._bdd)
    manager.declare(*(f"x{index}" for index in range(1, formula.variables + 1)))
    order = sorted(formula.features, key=lambda feature: sorted(map(abs, _used(feature)), reverse=True))
    try:
        return _threshold(manager, [_feature(manager, feature) for feature in order], formula.bound)
    except _TooLarge:
        raise TooManyNodes(f"{name}: the diagram in reading order has more than {MOST_NODES:,} nodes") from None


def _limit(manager: Any) -> None:
    """Make the manager refuse a node before it is made. The library's own `max_nodes` leaves a manager that cannot clean up."""
    make = manager.find_or_add

    def find_or_add(level: int, low: int, high: int) -> int:
        if len(manager) > MOST_NODES:
            raise _TooLarge
        return int(make(level, low, high))

    manager.find_or_add = find_or_add


class TooManyNodes(ValueError):
    """The diagram of a formula is too large in the order in which its variables are read.

    >>> issubclass(TooManyNodes, ValueError)
    True
    """


class _TooLarge(Exception):
    """A diagram has more than MOST_NODES nodes."""


def _used(feature: AtLeast | TruthTable) -> tuple[int, ...]:
    """The variables of a feature, with signs if it has literals."""
    return feature.literals if isinstance(feature, AtLeast) else feature.indices


def _feature(manager: Any, feature: AtLeast | TruthTable) -> Any:
    """The diagram of a feature."""
    if isinstance(feature, AtLeast):
        ordered = sorted(feature.literals, key=abs, reverse=True)
        literals = [manager.var(f"x{one}") if one > 0 else ~manager.var(f"x{-one}") for one in ordered]
        return _threshold(manager, literals, feature.least - 1)
    root = manager.false
    for row, value in enumerate(feature.values):
        if value:
            term = manager.true
            for digit, index in enumerate(feature.indices):
                term &= manager.var(f"x{index}") if row >> digit & 1 else ~manager.var(f"x{index}")
            root |= term
    return root


def _threshold(manager: Any, parts: list[Any], bound: int) -> Any:
    """The diagram of "more than `bound` of the parts hold".

    more[j] is the diagram of "at least j of the parts so far hold", for the j that can still decide.
    """
    needed = bound + 1
    if needed <= 0:
        return manager.true
    if needed > len(parts):
        return manager.false
    more = [manager.true] + [manager.false] * needed
    for seen, part in enumerate(parts):
        least = max(1, needed - (len(parts) - seen - 1))
        for count in range(min(needed, seen + 1), least - 1, -1):
            more[count] = manager.ite(part, more[count - 1], more[count])
    return more[needed]


def layered_diagram(root: Any, variables: int) -> Layered:
    """The minimal layered automaton of a diagram: the states of a layer are the edges that cross its split."""
    frontier = [root]
    tables = []
    for level in range(variables):
        after: dict[int, int] = {}
        targets: list[Any] = []
        rows = []
        for edge in frontier:
            row = []
            is_skipped = edge.var is None or edge.level > level
            for child in (edge, edge) if is_skipped else (edge.low, edge.high):
                if edge.negated and not is_skipped:
                    child = ~child
                place = after.setdefault(child.node, len(after))
                if place == len(targets):
                    targets.append(child)
                row.append(place)
            rows.append(row)
        tables.append(np.array(rows, dtype=np.int64))
        frontier = targets
    return Layered(tuple(tables), 0, np.array([int(edge.node > 0) for edge in frontier], dtype=np.int64))
