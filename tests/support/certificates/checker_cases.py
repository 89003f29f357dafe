"""The cases that a mutant of the checker may be shown, and how they distinguish the mutant from the checker."""

import types
from fractions import Fraction
from typing import Any, NamedTuple


def runs_of(witness: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    """Each input with the tokens after it; a network answers with one class."""
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


class Cost(NamedTuple):
    """A task, one evaluation of which has this cost."""

    task: dict[str, Any]
    expected: int

    def kills(self, module: types.ModuleType) -> bool:
        return bool(module.TASKS[self.task["name"]](self.task).cost != self.expected)


class Digits(NamedTuple):
    """Weights are decided by so many digits; if the ends of one round apart, it is too large."""

    steps: int
    digits: int

    def kills(self, module: types.ModuleType) -> bool:
        for width, decides in ((0, True), (2, False)):
            grid = module.Grid(self.steps, "floor once")
            asked = []

            def enclosed(drop: int, digits: int, width: int = width, asked: list[int] = asked) -> tuple[int, int]:
                asked.append(digits)
                return 1 + drop, 1 + drop + width

            grid.exponential = enclosed
            try:
                weights = grid.quotients([0, 1])
            except module.Answer as answer:
                if decides or answer.args != (2, "unfit: too large: a weight too close to a step"):
                    return True
            else:
                if not decides or weights != [self.steps // 3, 2 * self.steps // 3]:
                    return True
            if asked != [self.digits] * 2:
                return True
        return False


class Work(NamedTuple):
    """A network whose work, by the sums in the specification, is so many sixteenths."""

    data: bytes
    expected: int

    def kills(self, module: types.ModuleType) -> bool:
        most = module.MOST_NETWORK_WORK
        found = []
        for sixteenths in (self.expected, self.expected - 1):
            module.MOST_NETWORK_WORK = Fraction(sixteenths, 16)  # type: ignore[attr-defined]
            found.append(module.check(self.data))
        module.MOST_NETWORK_WORK = most  # type: ignore[attr-defined]
        return bool(found[0][0] != 0 or found[1] != (2, "unfit: too large: too much work"))


Shown = Case | Logits | Softmax | Enclosure | Cost | Digits | Work
