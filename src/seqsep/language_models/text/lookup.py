"""Common parts of phonebook and index lookup: distinct draws, examples in the prompt, and the chance of a guess."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from seqsep.core.stream import Use, draws

MOST_LENGTH = 1_000_000


@dataclass(frozen=True)
class Lookups:
    """The choice of a task's questions: their length, the number of examples in each prompt, and the seed.

    Question i of a seed depends on nothing else; those for training (`evaluate` False) are others than those asked. Raises
    ValueError unless the length is above the number of examples and at most a million.

    >>> places, numbers = Lookups(length=8, shots=2).drawn(0, further=5)
    >>> sorted(set(places)) == sorted(places), len(places), len(numbers)
    (True, 3, 5)
    """

    length: int
    shots: int = 2
    seed: int = 0
    evaluate: bool = True

    def __post_init__(self) -> None:
        call = f"length {self.length}, {self.shots} examples"
        if self.shots < 0 or not self.shots < self.length <= MOST_LENGTH:
            raise ValueError(f"{call}: the length is above the number of examples, at most {MOST_LENGTH:,}; examples from 0")

    def drawn(self, index: int, further: int) -> tuple[list[int], list[int]]:
        """Return the queried places and `further` 32-bit integers of question `index`. All are uniform and independent.

        The places are distinct: those of the examples, then that of the question.
        """
        use = Use.EVALUATION if self.evaluate else Use.TRAINING
        values = [int(value) for value in draws(self.seed, use, index, count=1, each=self.shots + 1 + further)[0]]
        return distinct(values[: self.shots + 1], self.length), values[self.shots + 1 :]


def distinct(uniform: Sequence[int], bound: int) -> list[int]:
    """Return as many distinct integers in 0 .. bound - 1 as there are 32-bit draws: a partial shuffle (Fisher and Yates).

    >>> distinct([0, 0, 2**32 - 1], 5)
    [0, 4, 2]
    """
    moved: dict[int, int] = {}
    found = []
    for place, value in enumerate(uniform):
        left = bound - place
        drawn = scaled(value, left)
        found.append(moved.get(drawn, drawn))
        moved[drawn] = moved.get(left - 1, left - 1)
    return found


def scaled(uniform: int, bound: int) -> int:
    """Return an integer in 0 .. bound - 1 from a 32-bit draw, as `stream.below` does.

    >>> scaled(2**31, 10)
    5
    """
    return uniform * bound >> 32


def chance(values: Sequence[str], asked: Sequence[int]) -> float:
    """Return the exact accuracy of the best guess that reads the data and the examples, but not the queried place.

    The question's place is uniform among those that no example shows.

    >>> chance(["red", "blue", "red", "green"], asked=[3, 0])  # after "green" is shown: red, blue or red
    0.6666666666666666
    """
    shown = set(asked[:-1])
    left = [value for place, value in enumerate(values) if place not in shown]
    return max(Counter(left).values()) / len(left)
