"""Every answer of a function on a product of alphabets, as one array of small integers.

Inputs are in reading order: the first token is the most significant digit of an input's number. Only the user's function is
called input by input; what follows, as `layered.of_values`, is vectorised.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from seqsep.core.names import BadInput, text_of

OUTSIDE = -1  # the label of an input outside the function's domain; as in `communication`
MOST_INPUTS = 1 << 24


@dataclass(frozen=True)
class Tabulated:
    """A function as a table: the answer to input i is answers[labels[i]], or none if labels[i] is OUTSIDE.

    `symbols` has the tokens allowed at each position; an input's tokens, by their places in these ranges, are the digits of i.

    >>> table = tabulate(lambda word: word[0] * word[1], [range(2), range(5, 8)], "product")
    >>> table.labels.tolist(), table.answers
    ([0, 0, 0, 1, 2, 3], (0, 5, 6, 7))
    >>> table.word(4)
    [1, 6]
    """

    symbols: tuple[range, ...]
    labels: Int64[np.ndarray, "inputs"]
    answers: tuple[int, ...]

    @property
    def alphabets(self) -> tuple[int, ...]:
        """The number of tokens allowed at each position."""
        return tuple(map(len, self.symbols))

    @property
    def total(self) -> bool:
        """True if every input has an answer."""
        return not (self.labels == OUTSIDE).any()

    def values(self) -> Int64[np.ndarray, "..."]:
        """The labels, with one axis a position."""
        return self.labels.reshape(self.alphabets)

    def digits(self, index: int) -> tuple[int, ...]:
        """The places of an input's tokens in their alphabets."""
        return tuple(int(digit) for digit in np.unravel_index(index, self.alphabets))

    def word(self, index: int) -> list[int]:
        """The tokens of an input."""
        return [tokens[digit] for tokens, digit in zip(self.symbols, self.digits(index), strict=True)]


def alphabet_ranges(alphabets: Sequence[int]) -> tuple[range, ...]:
    """The symbols 0 .. S-1 at each position, for alphabets of S symbols.

    >>> alphabet_ranges([2, 3])
    (range(0, 2), range(0, 3))
    """
    return tuple(range(size) for size in alphabets)


def count_inputs(symbols: Sequence[range], name: str) -> int:
    """Count the inputs. Raises ValueError, with `name`, if there are none or more than 2^24.

    >>> count_inputs([range(2), range(3)], "function")
    6
    """
    total = math.prod(len(tokens) for tokens in symbols)
    if not 1 <= total <= MOST_INPUTS:
        raise ValueError(f"{name}: expected 1 to {MOST_INPUTS:,} inputs of length {len(symbols)}, found {total:,}")
    return total


def tabulate(function: Callable[[list[int]], int | None], symbols: Sequence[range], name: str = "function") -> Tabulated:
    """Call the function on every input, each time with a new list.

    True and False count as 1 and 0; None says that the input is outside the domain. Raises ValueError, with `name`, for too
    many inputs, if the function raises, and if an answer is not an integer.

    >>> tabulate(lambda word: None if word == [1, 1] else sum(word), alphabet_ranges([2, 2])).labels.tolist()
    [0, 1, 1, -1]
    """
    symbols = tuple(symbols)
    count_inputs(symbols, name)
    word: tuple[int, ...] = ()
    answers: list[int | None] = []
    try:
        for word in itertools.product(*symbols):
            answers.append(function(list(word)))
    except (Exception, SystemExit) as error:
        said = text_of(error)
        what = said if isinstance(error, BadInput) else f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise ValueError(f"{name}({list(word)}): expected an integer or None, found an error: {what}") from error
    wrong_types = {kind for kind in set(map(type, answers)) if not issubclass(kind, int | np.integer | np.bool | None)}
    if wrong_types:
        at = next(index for index, answer in enumerate(answers) if type(answer) in wrong_types)
        asked = next(itertools.islice(itertools.product(*symbols), at, None))
        raise ValueError(f"{name}({list(asked)}): expected an integer or None, found {str(answers[at])[:60]!r}")
    label_of: dict[int | None, int] = {None: OUTSIDE}
    labels = np.fromiter((label_of.setdefault(answer, len(label_of) - 1) for answer in answers), np.int64, len(answers))
    return Tabulated(symbols, labels, tuple(int(answer) for answer in label_of if answer is not None))
