"""Disjointness: two sets as bits x_1 .. x_h, a separator, y_1 .. y_h; the label is 1 if they meet, x_i = y_i = 1 for some i.

`length` is the paper's N: it counts the bits of both sets. With the separator, an example has N + 1 tokens.

Queries: the last token only.
Tokens: bits are 0 and 1, the separator is 2.
Lengths: training draws 2h uniformly from the even numbers in least_length .. N; evaluation has h = N/2. If least_length is 0,
the shortest length is the least even number that is at least N/10 and at least 4.
Examples: the label is 1 with probability 1/2. Each set has m = max(1, floor((h + 1) / 4)) of h elements. With label 0 the
sets share no element, with label 1 exactly one. All such pairs of sets are equally likely.
Source: Bhattamishra et al. 2024 (arXiv:2406.09347), section 4 and appendix B.1 (DISJ is 1 if the sets are not disjoint). The
paper trains no model on this task. The examples are the hard distribution of Razborov (1992), with equally likely labels and
any h.
We differ: a separator is between the halves, as the paper has it for equality.
Shortcuts: one set alone says nothing, and neither do the numbers of ones, which are the same for both labels. A model that
remembers j of the m elements of x is right with probability 1/2 + j / 2m. There is a constant error rate such that every
algorithm with a smaller error needs Omega(N) bits (Razborov, for h = 4m - 1; Fact 1). For these examples, fewer than h bits
are enough: every
drawn set has exactly m elements, and there are only binom(h, m) such sets. So log2 binom(h, m) bits, about 0.81 h, can store
the first set. A model may also fail on pairs that are never drawn, such as sets of other sizes, or sets that share several
elements.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from jaxtyping import Bool, Int64

from seqsep.core.options import Range
from seqsep.tasks._blocks import ExampleDraws
from seqsep.tasks._halves import Halves, TwoHalves
from seqsep.tasks._orders import order


@dataclass(frozen=True)
class Disjointness(TwoHalves):
    """Two sets as `length` bits; the label is 1 if they share an element.

    >>> task = Disjointness(length=6)
    >>> task.solve((1, 0, 1, 2, 0, 1, 1))
    1
    >>> task.answer_bits()
    3
    """

    name: ClassVar[str] = "disjointness"
    least_half: ClassVar[int] = 2

    length: Annotated[int, Range(4, 2**20), "N, bits of both sets together, an even number"]
    least_length: Annotated[
        int, Range(0), "bits of the shortest training input, an even number, 0 for that at or above max(4, N / 10)"
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_lengths()

    @property
    def symbols(self) -> int:
        return 2

    def solve(self, inputs: tuple[Any, ...]) -> int:
        left, right = self.both(inputs)
        return int(any(x == y == 1 for x, y in zip(left, right, strict=True)))

    def _widths(self) -> tuple[int, ...]:
        return (self.length // 2,)

    def _draw(
        self, example_draws: ExampleDraws, halves: Int64[np.ndarray, "batch"], coin: Bool[np.ndarray, "batch"]
    ) -> tuple[Halves, Halves, Int64[np.ndarray, "batch"]]:
        """Draw places at random ranks: the left set has the first m, the right one the next m, or of those before one."""
        ranks = order(example_draws.part(1), halves)  # after the half they are its length and more: in no set
        size = np.maximum((halves + 1) // 4, 1)[:, None]
        first = size - coin[:, None]
        left = ranks < size
        right = (ranks >= first) & (ranks < first + size)
        return left.astype(np.int64), right.astype(np.int64), coin.astype(np.int64)

    def answer_bits(self) -> int:
        """Return N/2, exactly, on all inputs: each of the 2^(N/2) first sets needs a state of its own.

        Of two that differ one place is in one only, and the set of that place alone meets just this one (Fact 1; theorem
        nearest-neighbor-state).
        """
        return self.length // 2
