"""The sizes of IsTree: what the built models store beside the least state of any recurrent model, over n.

Every number of a model is `bound` of its construction (Wen, Dang, Lyu 2025, arXiv:2402.18510, Theorems 4.7, 5.3 and 5.7). The
least state is that for simple graphs with edges u < v, the paper's form: exact up to 1,024 vertices, and a lower bound of it
beyond (`many_vertices`), so a crossing is never said too early.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from seqsep.tasks.trees.tokens import tokens_of_a_run
from seqsep.theorems.base import Number
from seqsep.theorems.is_tree import hybrid, peeling, walk
from seqsep.theorems.is_tree.many_vertices import at_least

VERTICES = tuple(1 << power for power in range(3, 17))
LEAST_VERTICES = 6
Bound = Callable[[int], Mapping[str, Number]]


@dataclass(frozen=True)
class StoredBits:
    """The weights or the state that a model stores; `bits_at(n)` in bits, which does not fall as n grows."""

    name: str
    bound: Bound
    quantity: str

    def bits_at(self, vertices: int) -> int:
        """Return the bits of the model built for n vertices."""
        return int(self.bound(vertices)[self.quantity])

    @property
    def points(self) -> tuple[tuple[int, int], ...]:
        """(n, bits) at each n of `VERTICES`."""
        return tuple((vertices, self.bits_at(vertices)) for vertices in VERTICES)


TRANSFORMER = StoredBits("transformer", peeling.bound, "program_bits")
HYBRID = StoredBits("hybrid", hybrid.bound, "state_bits")
HYBRID_BY_RANGE = StoredBits("hybrid-by-range", hybrid.bound, "state_bits_by_range")
WALK = StoredBits("walk", walk.bound, "state_bits")
WALK_BY_RANGE = StoredBits("walk-by-range", walk.bound, "state_bits_by_range")


def _cache_bound(vertices: int) -> Mapping[str, Number]:
    """Return the bits of the keys and values of all tokens of the Transformer's longest run."""
    return {"cache_bits": _numbers_a_token() * tokens_of_a_run(vertices) * int(peeling.bound(vertices)["precision"])}


@lru_cache(maxsize=1)
def _numbers_a_token() -> int:
    """Return the number of coordinates of the keys and values of all heads. It is the same for every number of vertices."""
    arrays = peeling.build(LEAST_VERTICES).arrays()
    return sum(array.integers.shape[0] for name, array in arrays if name.endswith((".key", ".value")))


CACHE = StoredBits("cache", _cache_bound, "cache_bits")
"""The cache of the Transformer: keys and values of all tokens up to the end of its chain of thought, p bits per number."""
STORED = (TRANSFORMER, WALK, HYBRID, HYBRID_BY_RANGE, WALK_BY_RANGE)


@lru_cache(maxsize=1)
def least_state() -> tuple[tuple[int, int], ...]:
    """Return (n, the bits that every recurrent model needs) at each n of `VERTICES`."""
    return tuple((vertices, at_least(vertices)) for vertices in VERTICES)


@lru_cache(maxsize=16)
def crossing(stored: StoredBits) -> int | None:
    """Return the first n from 6 to 65,536 at which every recurrent model needs more bits than are stored here; None if there is
    none.

    Neither side falls as n grows. So if at n the model stores f bits, and that is not less than what is needed, then no n' up
    to the first that needs more than f is a crossing: this is tried next.

    >>> crossing(HYBRID), crossing(WALK)
    (81, 117)
    """
    vertices = LEAST_VERTICES
    while vertices <= VERTICES[-1]:
        bits = stored.bits_at(vertices)
        if at_least(vertices) > bits:
            return vertices
        vertices = _first_that_needs_more(bits, vertices)
    return None


def _first_that_needs_more(bits: int, vertices: int) -> int:
    """Return the first n above `vertices` that needs more than `bits` bits; one beyond the last if there is none.

    By bisection between two of `VERTICES`, whose least states are drawn anyway: at many vertices each takes long.
    """
    low = vertices
    high = VERTICES[-1] + 1
    for drawn, needed in least_state():
        if needed > bits:
            high = drawn
            break
        low = max(low, drawn)
    while high - low > 1:
        middle = (low + high) // 2
        if at_least(middle) > bits:
            high = middle
        else:
            low = middle
    return high
