"""Random programs of an engine's operations: a right engine passes, and a copy that is put off is found and made small."""

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from seqsep.language_models.canary.operations import Operation, made_smaller, play, program
from seqsep.theorems.canary import CANARIES
from seqsep.theorems.canary.vocabulary import SIZE

CANARY = CANARIES["llama"]
PROGRAMS = 4


class StatefulOracle:
    """A right engine; its state is the canary's oracle."""

    vocabulary = SIZE

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Any]) -> Any:
        states = [CANARY.oracle() if state is None else state for state in states]
        rows = [np.eye(SIZE)[[state.read(token) for token in row]] for row, state in zip(tokens, states, strict=True)]
        return rows, states

    def fork(self, state: Any) -> Any:
        return copy.deepcopy(state)

    def save(self, state: Any) -> Any:
        return copy.deepcopy(state)

    def load(self, data: Any) -> Any:
        return copy.deepcopy(data)

    def free(self, state: Any) -> None:
        pass


class LateCopies(StatefulOracle):
    """A copy that is saved before it is read has the state of an empty sequence."""

    def __init__(self) -> None:
        self.late: list[Any] = []

    def fork(self, state: Any) -> Any:
        self.late.append(copy.deepcopy(state))
        return self.late[-1]

    def save(self, state: Any) -> Any:
        return CANARY.oracle() if any(state is late for late in self.late) else copy.deepcopy(state)

    def batch(self, tokens: Sequence[Sequence[int]], states: Sequence[Any]) -> Any:
        self.late = []
        return super().batch(tokens, states)


class Ends(StatefulOracle):
    def fork(self, state: Any) -> Any:
        raise RuntimeError("no slot")


def test_a_right_engine_passes() -> None:
    runs = [play(StatefulOracle(), CANARY, program(CANARY, seed)) for seed in range(PROGRAMS)]
    assert [run.wrong for run in runs] == [None] * PROGRAMS
    assert sum(run.answers for run in runs) > 40 * PROGRAMS
    assert {kind for run in runs for kind in run.calls} == {"read", "fork", "save", "load", "free"}


def fails(operations: Sequence[Operation]) -> bool:
    return play(LateCopies(), CANARY, operations).wrong is not None


def test_a_late_copy_is_found_and_made_small() -> None:
    drawn = next(found for seed in range(100) if fails(found := program(CANARY, seed)))
    small = made_smaller(fails, drawn)
    assert [operation.kind for operation in small] == ["read", "fork", "save", "load", "read"]
    assert fails(small)
    assert sum(len(tokens) for operation in small for _, tokens in operation.rows) <= 5


def test_an_error_of_the_engine_is_a_verdict() -> None:
    wrong = play(Ends(), CANARY, [Operation("read", rows=((0, (1,)),)), Operation("fork", 0, 1)]).wrong
    assert wrong is not None
    assert wrong.line() == "operation 2, sequence 0: RuntimeError: no slot"


def test_a_refused_operation_ends_its_sequence() -> None:
    class Refuses(StatefulOracle):
        def fork(self, state: Any) -> Any:
            raise NotImplementedError

    run = play(Refuses(), CANARY, [Operation("read", rows=((0, (1,)),)), Operation("fork", 0, 1), Operation("free", 0)])
    assert run.refused == {"fork": 1}
    assert run.calls == {"read": 1}


@pytest.mark.parametrize("seed", range(2))
def test_a_seed_gives_the_same_program(seed: int) -> None:
    assert program(CANARY, seed) == program(CANARY, seed)
