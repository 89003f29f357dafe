"""Two halves of drawn length around a separator: the layout of equality and of disjointness."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.core.stream import Use, below
from seqsep.tasks._blocks import HALF_OF_DRAWS, ExampleDraws, FilledTask
from seqsep.tasks._rows import is_before
from seqsep.tasks.base import Batch, require

Halves = Int64[np.ndarray, "batch half"]


class TwoHalves(FilledTask):
    """`length` symbols, half of them before a separator and half after it; training lengths from `least_length`.

    Subclasses have the field `least_length` and call `_require_lengths`. 0 means the even number at or above N/10, and for
    2 * least_half at least; if that number is given the field becomes 0, since the task is the same.
    """

    least_half: ClassVar[int] = 1
    least_length: int

    @property
    @abstractmethod
    def symbols(self) -> int:
        """S: symbols are 0 .. S - 1, and the separator is S."""

    @property
    def vocabulary(self) -> int:
        return self.symbols + 1

    @property
    def classes(self) -> int:
        return 2

    @property
    def longest(self) -> int:
        return self.length + 1

    def _require_lengths(self) -> None:
        """Raise ValueError for lengths that are odd or too short, and store the default least length as 0."""
        shortest = 2 * self.least_half
        require(
            shortest <= self.length <= 2**20 and self.length % 2 == 0,
            self,
            f"length is an even number of symbols from {shortest} to 2^20, found {self.length}",
        )
        require(
            self.least_length == 0 or (self.least_length >= shortest and self.least_length % 2 == 0),
            self,
            f"least_length is an even number of symbols from {shortest}, or 0 for the even number at or above "
            f"length / 10, found {self.least_length}",
        )
        least_length = min(self.least_length, self.length)
        is_default = least_length == 2 * self._shortest_half(0)
        object.__setattr__(self, "least_length", 0 if is_default else least_length)

    def _shortest_half(self, least_length: int) -> int:
        """Return the number of symbols of the shortest half that is drawn; 0 means the default."""
        return least_length // 2 or max(self.least_half, -(-self.length // 20))

    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        count = len(batch.lengths)
        most = self.length // 2
        example_draws = ExampleDraws((2, *self._widths()), seed=seed, use=use, start=start + first, count=count)
        lengths_and_coins = example_draws.part(0)
        halves = np.full(count, most, dtype=np.int64)
        if use is Use.TRAINING:
            shortest = self._shortest_half(self.least_length)
            halves = shortest + below(lengths_and_coins[:, 0], most - shortest + 1)
        left, right, labels = self._draw(example_draws, halves, lengths_and_coins[:, 1] < HALF_OF_DRAWS)
        is_inside = is_before(halves, most)
        np.copyto(batch.inputs[:, :most], left, where=is_inside)
        batch.inputs[np.arange(count), halves] = self.symbols
        if use is Use.EVALUATION:
            batch.inputs[:, most + 1 :] = right
        else:  # both masks have as many places in a row as its half is long
            is_right = is_before(2 * halves + 1, self.longest) & ~is_before(halves + 1, self.longest)
            batch.inputs[is_right] = right[is_inside]
        np.add(2 * halves, 1, out=batch.lengths)
        self._ask(batch, halves, labels)

    @abstractmethod
    def _widths(self) -> tuple[int, ...]:
        """Return the numbers of draws that an example needs in addition to its length and its coin, in parts."""

    @abstractmethod
    def _draw(
        self, example_draws: ExampleDraws, halves: Int64[np.ndarray, "batch"], coin: Bool[np.ndarray, "batch"]
    ) -> tuple[Halves, Halves, Int64[np.ndarray, "batch"]]:
        """Return both halves, of which the first `halves` columns count, and the labels. The coin is True with probability
        1/2.
        """

    def _ask(self, batch: Batch, halves: Int64[np.ndarray, "batch"], labels: Int64[np.ndarray, "batch"]) -> None:
        """Ask for the label at the last token."""
        batch.targets[np.arange(len(halves)), 2 * halves] = labels

    def split(self, inputs: Sequence[int]) -> tuple[list[int], list[int] | None]:
        """Return the tokens before the separator and those after it, or None if it is absent. Raises ValueError if it occurs
        twice.
        """
        tokens = list(inputs)
        require(tokens.count(self.symbols) <= 1, self, f"there is one separator, {self.symbols}, found {tokens}")
        if self.symbols not in tokens:
            return tokens, None
        middle = tokens.index(self.symbols)
        return tokens[:middle], tokens[middle + 1 :]

    def both(self, inputs: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the two halves. Raises ValueError unless they have one length and a separator between them."""
        left, right = self.split(inputs)
        if right is None or len(left) != len(right):
            raise ValueError(f"{self!r}: an input is as many symbols, a separator and as many again, found {list(inputs)}")
        return left, right

    def readable(self, inputs: tuple[Any, ...], answer: int) -> dict[str, Any]:
        left, right = self.both(inputs)
        return {"left": left, "right": right, "label": answer}

    def alphabets(self, length: int) -> tuple[range, ...]:
        require(length >= 2 and length % 2 == 0, self, f"inputs have an even number of symbols, found {length}")
        half = (range(self.symbols),) * (length // 2)
        return (*half, range(self.symbols, self.symbols + 1), *half)
