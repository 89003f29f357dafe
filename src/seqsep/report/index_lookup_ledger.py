"""The size ledger of index lookup: parameter bits of the built Transformer over N, beside the least recurrent state.

Every number is `bound` of Theorem 1's construction, at S = 64 symbols, for a position code of `maths.codes.codes`. Of three
codes this file takes the *stated* form, whose gap is the family's formula and not a count over all pairs, so that sizes are
known at once for any N: dual BCH and Kerdock, whose greatest correlation `exact` verifies over all words, and random signs, of
which no draw is verified beyond 20,000 vectors (`NetworkBits.verified`). A test compares both forms.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from jaxtyping import Int, Int64

from seqsep.maths.codes.codes import BY_NAME, MOST_VERIFIED, Signs
from seqsep.maths.codes.linear_codes import DualBCH, Kerdock
from seqsep.maths.codes.position_code import PositionCode
from seqsep.theorems.retrieval.index_lookup_attention import bound

Total = Literal["core", "program", "tables"]
ALPHABET = 64
CODES = ("parabola", "binary", "circle", "kerdock", "dual-bch", "signs", "one-hot")
TOTALS: tuple[Total, ...] = ("core", "program", "tables")
LENGTHS = tuple(1 << power for power in range(4, 22))
FARTHEST = (1 << 30) - 1
LAST = {"kerdock": (1 << 16) - 1, "circle": (1 << 21) - 2, "one-hot": 1 << 21}
"""The last N of a code that has fewer than 2^30 vectors. One-hot has any number of them; its totals grow like N^2 and more."""


@dataclass(frozen=True)
class NetworkBits:
    """Parameter bits of the network for N = `length`; `verified`: the code's gap is proved or checked for that N."""

    code: str
    length: int
    total: Total
    bits: int
    verified: bool


@dataclass(frozen=True)
class Crossing:
    """Lengths at which the least recurrent state is larger than `total`: `first` to `held`, `settled` to `searched`.

    All are lengths N in symbols. If the two stretches are one, `held` is None and `settled` is `first`; if the state is larger
    at no N up to `searched`, the other three are None.
    """

    code: str
    total: Total
    first: int | None
    held: int | None
    settled: int | None
    searched: int


@dataclass(frozen=True)
class IndexLookupLedger:
    """The data of the figure: (N, least state bits of any recurrent model), the network's sizes, and the crossings."""

    recurrent: tuple[tuple[int, int], ...]
    sizes: tuple[NetworkBits, ...]
    crossings: tuple[Crossing, ...]

    def line(self, code: str, total: Total) -> tuple[NetworkBits, ...]:
        """Return one line of the figure, by N."""
        return tuple(size for size in self.sizes if (size.code, size.total) == (code, total))

    def crossing(self, code: str, total: Total) -> Crossing:
        """Return the crossing of a code and a total."""
        return next(one for one in self.crossings if (one.code, one.total) == (code, total))


@dataclass(frozen=True)
class CodeAtLength:
    """A position code at one N, with the network that uses it.

    `dimension` k, `width` d, `precision` p, `eta`; `base` n and `exponent` Kc of L = n^Kc; totals in bits.
    `frontier`: no other code has both a width and a precision that are no larger, and one of them smaller.
    """

    code: str
    length: int
    dimension: int
    width: int
    precision: int
    eta: int
    base: int
    exponent: int
    core: int
    program: int
    frontier: bool
    verified: bool


class _StatedSigns(Signs):
    """Random signs of which every pair has T_i . T_j <= k/4, as the lemma says of some draw; none is made or verified."""

    def __init__(self, count: int) -> None:
        PositionCode.__init__(self, count)
        self._most = self.dimension // self.INVERSE_GAMMA

    def keys(self, addresses: Int[np.ndarray, "n"]) -> Int64[np.ndarray, "n dimension"]:
        """Return ones for signs, since only sizes are read from them."""
        return np.ones((len(addresses), self.dimension), dtype=np.int64)


class _StatedDualBCH(DualBCH):
    @property
    def gap(self) -> int:
        return self.dimension - self.greatest

    def leakage(self, eta: int) -> float:
        return PositionCode.leakage(self, eta)


class _StatedKerdock(Kerdock):
    @property
    def gap(self) -> int:
        return self.dimension - self.greatest

    def leakage(self, eta: int) -> float:
        return PositionCode.leakage(self, eta)


STATED: dict[str, type[PositionCode]] = {code.name: code for code in (_StatedSigns, _StatedDualBCH, _StatedKerdock)}


def code_of(name: str, length: int) -> PositionCode:
    """Return the code for N symbols and the question, in its stated form if it has one."""
    return (STATED.get(name) or BY_NAME[name])(length + 1)


@lru_cache(maxsize=1 << 14)
def sizes(name: str, length: int) -> dict[str, int]:
    """Return `bound` at N = `length`: width, precision, eta and the three totals in bits."""
    return {key: int(value) for key, value in bound(length, ALPHABET, code_of(name, length)).items()}


def total_bits(name: str, length: int, total: Total) -> int:
    """Return one of the three totals, in bits."""
    return sizes(name, length)[f"{total}_bits"]


def cache_bits(name: str, length: int) -> int:
    """Return the bits of the keys and values of N = `length` symbols, which the Transformer keeps until the query.

    A symbol has a key of k coordinates, as the code has, and a value of log2 S, each of p bits.

    >>> cache_bits("parabola", 1000)
    328000
    """
    numbers = code_of(name, length).dimension + (ALPHABET.bit_length() - 1)
    return numbers * sizes(name, length)["precision"] * length


def formula_bits(name: str, length: int, constant: int) -> int:
    """Return `constant` times m d p H, in bits: the paper prints Theta(m d p H), and our count has the constant 3.

    >>> formula_bits("parabola", 1000, 3) == total_bits("parabola", 1000, "core")
    True
    """
    return constant * total_bits(name, length, "core") // 3


@lru_cache(maxsize=64)
def formula_crossing(name: str, constant: int) -> int | None:
    """Return the first N at which the least recurrent state is larger than `constant` times m d p H; None if there is none.

    >>> [formula_crossing("parabola", constant) for constant in (1, 3, 4)]
    [351, 1291, 1801]
    """
    length = 1
    while length <= last_length(name):
        bits = formula_bits(name, length, constant)
        if least_state_bits(length) > bits:
            return length
        length = bits // least_state_bits(1) + 1
    return None


def least_state_bits(length: int) -> int:
    """Return ceil(N log2 S), the least state in bits of any recurrent model that answers every question (Theorem 3); log2 64 is
    whole.
    """
    return length * (ALPHABET.bit_length() - 1)


def verified(name: str, length: int) -> bool:
    """Return True if the code's gap is proved or checked. If not, the size rests on the lemma that such a code exists."""
    return name != Signs.name or length + 1 <= MOST_VERIFIED


def last_length(name: str) -> int:
    """Return the last N that is searched, in symbols."""
    return LAST.get(name, FARTHEST)


def crossing(name: str, total: Total) -> Crossing:
    """Find the lengths at which the recurrent model needs more, exactly, in a dozen evaluations.

    Say that totals do not fall as N grows. If at N the network is the larger, with f bits, then it is at every N' >= N that
    has at most f state bits: the next N to try is the first with more. From above likewise: if at N the network is the
    smaller, then it is at every N' <= N that has more than f. Between the two ends the lead is lost at most where a code takes
    its next dimension, and a bisection finds that N.

    Totals depend on N through k, n = max(4, N + 1) and Kc. k and n do not fall; Kc does, where a winning score of eta k comes
    to fit on the grid of n itself, which for every code is at N < 1,000. A test looks at every N up to 1,024: no total falls
    after 968, and no network is the smaller.

    >>> crossing("parabola", "program").first
    18290
    """
    last = last_length(name)
    first = _first_length(name, total, last)
    if first > last:
        return Crossing(name, total, first=None, held=None, settled=None, searched=last)
    settled, lost = _settled_length(name, total, first, last)
    if lost < first:
        return Crossing(name, total, first=first, held=None, settled=first, searched=last)
    held = first
    while lost - held > 1:
        middle = (held + lost) // 2
        if _is_smaller(name, middle, total):
            held = middle
        else:
            lost = middle
    return Crossing(name, total, first=first, held=held, settled=settled if settled <= last else None, searched=last)


def _is_smaller(name: str, length: int, total: Total) -> bool:
    """Return True if the network is smaller than the least recurrent state."""
    return least_state_bits(length) > total_bits(name, length, total)


def _first_length(name: str, total: Total, last: int) -> int:
    """Return the first N at which the network is the smaller, or one above `last`."""
    length = 1
    while length <= last and not _is_smaller(name, length, total):
        length = total_bits(name, length, total) // least_state_bits(1) + 1
    return length


def _settled_length(name: str, total: Total, first: int, last: int) -> tuple[int, int]:
    """Return the N from which the network is the smaller up to `last`, and the last N at which it is not.

    The second one is below `first` if the network is the smaller at all N from `first` on.
    """
    settled = last + 1
    below = last
    while below >= first and _is_smaller(name, below, total):
        enough = total_bits(name, below, total) // least_state_bits(1)
        settled = min(below, enough + 1)
        below = enough
    return settled, below


def _lengths(name: str) -> Iterator[int]:
    """Yield the powers of two that the code reaches, then its last N if that is not one of them."""
    last = min(last_length(name), LENGTHS[-1])
    yield from (length for length in LENGTHS if length <= last)
    if last not in LENGTHS:
        yield last


@lru_cache(maxsize=1)
def index_lookup_ledger() -> IndexLookupLedger:
    """Return everything that the figure of the separation draws."""
    return IndexLookupLedger(
        recurrent=tuple((length, least_state_bits(length)) for length in LENGTHS),
        sizes=tuple(
            NetworkBits(
                code=name,
                length=length,
                total=total,
                bits=total_bits(name, length, total),
                verified=verified(name, length),
            )
            for total in TOTALS
            for name in CODES
            for length in _lengths(name)
        ),
        crossings=tuple(crossing(name, total) for total in TOTALS for name in CODES),
    )


@lru_cache(maxsize=4)
def frontier(length: int) -> tuple[CodeAtLength, ...]:
    """Return every code at N = `length`, by width and then precision."""
    sizes_by_code = {name: sizes(name, length) for name in CODES if length <= last_length(name)}
    base = max(4, length + 1)

    def dominated(name: str) -> bool:
        own = (sizes_by_code[name]["width"], sizes_by_code[name]["precision"])
        others = [(size["width"], size["precision"]) for size in sizes_by_code.values()]
        return any(other != own and other[0] <= own[0] and other[1] <= own[1] for other in others)

    choices = [
        CodeAtLength(
            code=name,
            length=length,
            dimension=code_of(name, length).dimension,
            width=size["width"],
            precision=size["precision"],
            eta=size["eta"],
            base=base,
            exponent=_exponent(base, size["precision"]),
            core=size["core_bits"],
            program=size["program_bits"],
            frontier=not dominated(name),
            verified=verified(name, length),
        )
        for name, size in sizes_by_code.items()
    ]
    return tuple(sorted(choices, key=lambda choice: (choice.width, choice.precision)))


def _exponent(base: int, precision: int) -> int:
    """Return the Kc of L = base^Kc, read off the precision, which is the bit length of 2 L^2."""
    return next(power for power in range(1, 99) if (2 * base ** (2 * power)).bit_length() == precision)
