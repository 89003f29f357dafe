"""Every answer of a function on a product of alphabets, as one array of small integers.

Inputs stand in reading order: the first token is the most significant digit. All that is not the user's own function is
vectorised: `layered.of_values` finds the classes of prefixes by one sort a split, of as many integers as there are prefixes.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

OUTSIDE = -1  # the label of an input on which the function is not defined; as in `communication`
MOST_INPUTS = 1 << 24


@dataclass(frozen=True)
class Tabulated:
    """labels[i] numbers the answer to input i, or is OUTSIDE; answers[label] is the answer itself.

    `symbols` holds the tokens allowed at each position; their places in these ranges are the digits of i.
    """

    symbols: tuple[range, ...]
    labels: Int64[np.ndarray, "inputs"]
    answers: tuple[int, ...]

    @property
    def alphabets(self) -> tuple[int, ...]:
        return tuple(map(len, self.symbols))

    @property
    def total(self) -> bool:
        """Whether every input has an answer."""
        return not (self.labels == OUTSIDE).any()

    def values(self) -> Int64[np.ndarray, "..."]:
        """The labels with one axis a position."""
        return self.labels.reshape(self.alphabets)

    def digits(self, index: int) -> tuple[int, ...]:
        """The places of an input's tokens in their alphabets."""
        return tuple(int(digit) for digit in np.unravel_index(index, self.alphabets))

    def word(self, index: int) -> list[int]:
        """An input as tokens."""
        return [tokens[digit] for tokens, digit in zip(self.symbols, self.digits(index), strict=True)]


def alphabet_ranges(alphabets: Sequence[int]) -> tuple[range, ...]:
    """Symbols 0 .. S-1 at each position."""
    return tuple(range(size) for size in alphabets)


def count_inputs(symbols: Sequence[range], name: str) -> int:
    """How many inputs there are. Raises ValueError where there are none or more than MOST_INPUTS."""
    total = math.prod(len(tokens) for tokens in symbols)
    if not 1 <= total <= MOST_INPUTS:
        raise ValueError(f"{name}: expected 1 to {MOST_INPUTS:,} inputs of length {len(symbols)}, found {total:,}")
    return total


def tabulate(function: Callable[[list[int]], int | None], symbols: Sequence[range], name: str = "function") -> Tabulated:
    """Call the function on a fresh list for every input; bool answers count as 0 and 1, None is outside the domain.

    Raises ValueError, with `name`, for too many inputs, where the function raises, and where an answer is no integer.
    """
    symbols = tuple(symbols)
    count_inputs(symbols, name)
    word: tuple[int, ...] = ()
    given: list[int | None] = []
    try:
        for word in itertools.product(*symbols):
            given.append(function(list(word)))
    except Exception as error:
        found = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise ValueError(f"{name}({list(word)}): expected an integer or None, found an error: {found}") from error
    if unknown := {kind for kind in set(map(type, given)) if not issubclass(kind, int | np.integer | np.bool | None)}:
        at = next(index for index, answer in enumerate(given) if type(answer) in unknown)
        asked = next(itertools.islice(itertools.product(*symbols), at, None))
        raise ValueError(f"{name}({list(asked)}): expected an integer or None, found {str(given[at])[:60]!r}")
    numbers: dict[int | None, int] = {None: OUTSIDE}
    labels = np.fromiter((numbers.setdefault(answer, len(numbers) - 1) for answer in given), np.int64, len(given))
    return Tabulated(symbols, labels, tuple(int(answer) for answer in numbers if answer is not None))
