"""Two inputs that show that two prefixes need different states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class InputPair:
    """Two inputs that end alike and differ in their answers: their prefixes need different states.

    Fields:
        split: number of tokens before the common end.
        inputs: the two inputs.
        answers: their answers.

    >>> InputPair(split=1, inputs=([0, 5], [1, 5]), answers=(0, 1)).record()["suffix"]
    [5]
    """

    split: int
    inputs: tuple[list[int], list[int]]
    answers: tuple[int, int]

    def record(self) -> dict[str, Any]:
        """The pair as a JSON object."""
        prefixes = [tokens[: self.split] for tokens in self.inputs]
        return {
            "inputs": [*self.inputs],
            "answers": [*self.answers],
            "split": self.split,
            "prefixes": prefixes,
            "suffix": self.inputs[0][self.split :],
        }

    def line(self, length: int) -> str:
        """The pair in words, for inputs of this length; | is after each prefix."""
        first, second = (
            f"{_word(word, self.split)} -> {answer}" for word, answer in zip(self.inputs, self.answers, strict=True)
        )
        return (
            f"witness at N = {length}: {first} and {second}: the same suffix (after |), two answers, "
            "so the two prefixes need two states"
        )


def _word(tokens: Sequence[int], split: int) -> str:
    """Return an input with | after its prefix; tokens of one digit are written without spaces."""
    apart = "" if max(tokens, default=0) < 10 else " "
    return f"{apart.join(map(str, tokens[:split]))}|{apart.join(map(str, tokens[split:]))}"
