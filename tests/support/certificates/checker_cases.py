"""What a mutant of the checker may be shown, and how it tells the mutant from the checker."""

import types
from typing import Any, NamedTuple


def runs_of(witness: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    """Each input with the tokens behind it; a network answers with one class."""
    answers = [answer if isinstance(answer, list) else [answer] for answer in witness["answers"]]
    return list(zip(witness["inputs"], answers, strict=True))


class Case(NamedTuple):
    """An input with the status and part of the line that the checker must answer."""

    data: bytes
    status: int
    why: str

    def kills(self, module: types.ModuleType) -> bool:
        status, line = module.check(self.data)
        return bool(status != self.status or self.why not in line)


class Logits(NamedTuple):
    """A network whose logits on every input are those of the executor."""

    given: dict[str, Any]
    expected: list[list[list[int]]]

    def kills(self, module: types.ModuleType) -> bool:
        witness = self.given["witness"]
        grid = module.Grid(witness["steps"], self.given["rounding"])
        found = [grid.logits(witness, word + answer[:-1], len(answer)) for word, answer in runs_of(witness)]
        return found != self.expected


class Softmax(NamedTuple):
    """Weights that were worked out by hand or to many digits."""

    steps: int
    rounding: str
    scores: tuple[int, ...]
    expected: tuple[int, ...]

    def kills(self, module: types.ModuleType) -> bool:
        return tuple(module.Grid(self.steps, self.rounding).softmax(list(self.scores))) != self.expected


class Enclosure(NamedTuple):
    """Integers around 10^digits e^(-drop / steps), known from more digits."""

    drop: int
    steps: int
    digits: int
    expected: tuple[int, int]

    def kills(self, module: types.ModuleType) -> bool:
        return bool(module.Grid(self.steps, "floor once").exponential(self.drop, self.digits) != self.expected)


class Narrow(NamedTuple):
    """Weights whose ends tell nothing before so many digits: decided from then on, and too large from 200 on."""

    steps: int
    digits: int
    is_decided: bool

    def kills(self, module: types.ModuleType) -> bool:
        grid = module.Grid(self.steps, "floor once")
        grid.exponential = lambda drop, digits: (1 + drop,) * 2 if digits >= self.digits else (1, self.steps)
        try:
            is_right = grid.quotients((0, 1), (1, 1)) == [self.steps // 3, 2 * self.steps // 3]
        except module.Answer as answer:
            return bool(self.is_decided or answer.args != (2, "unfit: too large: a weight too near a step"))
        return bool(not self.is_decided or not is_right)


class Work(NamedTuple):
    """A network whose work, by the sum in the specification, is this."""

    data: bytes
    expected: int

    def kills(self, module: types.ModuleType) -> bool:
        most = module.MOST_NETWORK_WORK
        module.MOST_NETWORK_WORK = 0  # type: ignore[attr-defined]
        try:
            return bool(module.check(self.data) != (2, f"unfit: too large: work {self.expected}"))
        finally:
            module.MOST_NETWORK_WORK = most  # type: ignore[attr-defined]


Shown = Case | Logits | Softmax | Enclosure | Narrow | Work
