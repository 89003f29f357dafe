"""Blocks of examples: the draws of each example, cut into parts, and ranges of examples that fit in a cache."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import accumulate
from typing import ClassVar

import numpy as np
from jaxtyping import UInt32

from seqsep.core.stream import Use, draws
from seqsep.tasks.base import NOTHING_ASKED, Batch, Task

TOKENS_AT_ONCE = 1 << 17
HALF_OF_DRAWS = np.uint32(1 << 31)
"""A draw lies below with probability 1/2: a fair coin."""


class ExampleDraws:
    """The draws of a block of examples, each example's cut into parts of given widths; at any attempt.

    >>> example_draws = ExampleDraws((2, 5), seed=0, use=Use.TRAINING, start=0, count=3)
    >>> example_draws.part(1).shape
    (3, 5)
    """

    def __init__(self, widths: tuple[int, ...], seed: int, use: Use, start: int, count: int) -> None:
        self.ends = (0, *accumulate(widths))
        self.draws = partial(draws, seed=seed, use=use, start=start, count=count, each=self.ends[-1])
        self.first = self.draws()

    def part(self, place: int, attempt: int = 0) -> UInt32[np.ndarray, "batch width"]:
        """Return the draws of one part; `attempt` numbers the tries of an example that is drawn again."""
        whole = self.draws(attempt=attempt) if attempt else self.first
        return whole[:, self.ends[place] : self.ends[place + 1]]


class FilledTask(Task):
    """A task whose examples `_fill` writes into arrays, a range of examples at a time."""

    arrays_at_once: ClassVar[int] = 1
    """Temporary arrays of the inputs' size that `_fill` needs: ranges are chosen such that they fit in a core's cache."""

    def sample(self, start: int, count: int, seed: int, evaluate: bool = False) -> Batch:
        inputs = np.zeros((count, self.longest), dtype=np.int64)
        batch = Batch(inputs, nothing_asked(count, self.longest), np.empty(count, dtype=np.int64))
        fill = partial(self._fill, start=start, seed=seed, use=use_of(evaluate))
        return filled(batch, self.arrays_at_once * self.longest, fill)

    @abstractmethod
    def _fill(self, batch: Batch, first: int, *, start: int, seed: int, use: Use) -> None:
        """Write the examples from start + first on into inputs of zeros, into targets of nothing asked, and the lengths."""


def use_of(evaluate: bool) -> Use:
    """Return the stream that examples come from."""
    return Use.EVALUATION if evaluate else Use.TRAINING


def filled(batch: Batch, tokens: int, fill: Callable[[Batch, int], None]) -> Batch:
    """Return the batch, after `fill` has written it range by range. It gets views of a range and the range's first example."""
    for first, end in cache_sized_ranges(len(batch.lengths), tokens):
        fill(Batch(batch.inputs[first:end], batch.targets[first:end], batch.lengths[first:end]), first)
    return batch


def nothing_asked(count: int, time: int) -> np.ndarray:
    """Return targets that ask for nothing."""
    return np.full((count, time), NOTHING_ASKED, dtype=np.int64)


def cache_sized_ranges(count: int, tokens: int) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges that split a block of examples so that each range's temporaries fit in a core's cache.

    >>> list(cache_sized_ranges(5, tokens=2**16))
    [(0, 2), (2, 4), (4, 5)]
    """
    keep_freed_memory()
    size = max(1, TOKENS_AT_ONCE // tokens)
    for first in range(0, count, size):
        yield first, min(first + size, count)


@cache
def keep_freed_memory() -> None:
    """Spare page faults, which took up to half of the time.

    The GNU C library returns what is freed to the system only beyond twice the largest array freed so far (mallopt(3),
    M_MMAP_THRESHOLD; up to 32 MiB), so free one that was never touched.
    """
    np.empty(33_000_000, dtype=np.uint8)
