"""The two-layer networks for equality and for nearest neighbour have at most C (log2 N)^3 bits in total.

This counts every stored number of the network, not only its width. Each construction has its own constant C.

Source: Bhattamishra et al. 2024 (arXiv:2406.09347), sections 5.1 and 5.2, and appendix A (2). They state "representation size
O((logN)^3)" and "O((logN)^3) total size". Parameters and embeddings count. Positions do not, because they are generated and
not stored.

We differ: C is a number for each construction. With the parabola code, equality takes only O(log N) bits.

Size. The size is `program` of `network.SizeLedger`, with p bits per entry. It counts every entry of every array that is not a
function of the index only, and the parameters of the position code.

Proof. Let l = log2 N >= 2. Each construction's `bound` has program = p E + (bits of the code's parameters). Here E counts
entries, and p = bit_length(2 L^2) <= 2 + 2 log2 L is the number of bits of an entry. The table gives E and L, with d the
width, k the coordinates of the position code, and d' those of a vector:
    equality       E = d (15 + 2 k) + 4, d = 2 + 2 k;
      parabola     k = 2, L = N^2;
      binary       k <= l + 1, log2 L <= max(l, 4), since L = N from N = 6 on, where k eta <= N;
      signs        k <= 128 ln(2 N) + 1, L <= N k, since the greatest score is eta k and eta = 1; the seed has 64 bits;
    neighbour      E = d (5 d' + 19) + 4, d = d' + 4, d' <= l + 1 digits for N symbols (appendix G), two labels;
                   L = (2 N - 1)^2, as 6 (d' ln(3 N) + 1) <= L.
Divide program by l^3. The result is at most (2 + 2 log2 L) / l times E / l^2, plus 64 / l^3. With the bounds of the table,
none of k / l, d' / l and (log2 L) / l grows as l grows. So the quotient does not grow either, and C is its value at l = 2. If
N >= 2^l for a greater l, a smaller constant is enough: `envelope(name, l)`.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, NamedTuple

from seqsep.core.options import Range
from seqsep.maths.arithmetic.integers import digits_of
from seqsep.maths.networks.network import Network
from seqsep.theorems.base import Claim, Erratum, Number, Outcome, Theorem
from seqsep.theorems.equality import two_layers
from seqsep.theorems.nearest_neighbor import two_layers as nearest_neighbor
from seqsep.theorems.options import Length

CLAIM = Claim(
    name="two-layer-total-size",
    source="Bhattamishra et al. 2024, section 5 (total size)",
    statement="The two-layer networks for equality and nearest neighbour have at most C (log2 N)^3 bits for every N >= 4",
)
LEAST_LENGTH = 4
LONGEST = 2048
LONGEST_SIGNS = 256
DIGITS = 3


class Construction(NamedTuple):
    """A family of networks, with bounds of E and of log2 L from l = log2 N, and of the bits besides p E."""

    build: Callable[[int], Network]
    entries: Callable[[Number], Number]
    log_steps: Callable[[Number], Number]
    beside: int = 0
    longest: int = LONGEST


def _signs(log_length: Number) -> float:
    """k of `codes.Signs`, at most."""
    return 128 * math.log(2) * (log_length + 1) + 1


def _equality_entries(k: Number) -> Number:
    return (2 + 2 * k) * (15 + 2 * k) + 4


def _neighbor_entries(dimension: Number) -> Number:
    return (dimension + 4) * (5 * dimension + 19) + 4


def _neighbor(length: int) -> Network:
    """The network for recall of N symbols, whose vectors have d' digits and so a margin of 1/d' at least."""
    dimension = digits_of(length)
    return nearest_neighbor.build(length, dimension, classes=2, gamma=Fraction(1, dimension))


CONSTRUCTIONS = {
    "equality, parabola": Construction(
        build=lambda length: two_layers.build(length, code="parabola"),
        entries=lambda log: _equality_entries(2),
        log_steps=lambda log: 2 * log,
    ),
    "equality, binary": Construction(
        build=lambda length: two_layers.build(length, code="binary"),
        entries=lambda log: _equality_entries(log + 1),
        log_steps=lambda log: max(log, 4),
    ),
    "equality, signs (printed code)": Construction(
        build=lambda length: two_layers.build(length, code="signs"),
        entries=lambda log: _equality_entries(_signs(log)),
        log_steps=lambda log: log + math.log2(_signs(log)),
        beside=64,
        longest=LONGEST_SIGNS,
    ),
    "nearest neighbour, N symbols": Construction(
        build=_neighbor,
        entries=lambda log: _neighbor_entries(log + 1),
        log_steps=lambda log: 2 * (log + 1),
    ),
}


def most_bits(name: str, log_length: Number) -> Number:
    """Return the bound of the bits of a construction at N = 2^l: (2 + 2 log2 L) E, and the bits besides.

    >>> most_bits("equality, parabola", 10)  # 42 bits for each of 118 entries
    4956
    """
    construction = CONSTRUCTIONS[name]
    return (2 + 2 * construction.log_steps(log_length)) * construction.entries(log_length) + construction.beside


def envelope(name: str, log_length: Number = 2) -> float:
    """Return C for all N >= 2^l: `most_bits` over l^3. The default is all N >= 4.

    >>> round(envelope("equality, binary"), 1), round(envelope("equality, binary", 20), 1)
    (215.0, 13.2)
    """
    return most_bits(name, log_length) / log_length**3


def ladder(longest: int) -> list[int]:
    """The lengths that are built: 2^i and 2^i + 2, where digits begin, up to a length.

    >>> ladder(16)
    [4, 6, 8, 10, 16]
    """
    powers = [1 << log for log in range(2, longest.bit_length())]
    return sorted({length for power in powers for length in (power, power + 2) if length <= longest})


def below_a_state_from(name: str) -> int:
    """Return the least power of two N from which `most_bits` is below the N/2 bits of a recurrent model's state.

    Beyond it N/2 doubles with each step of l. The bound becomes at most (1 + 1/l)^3 times as large, a factor below 2 from l =
    4 on.

    >>> below_a_state_from("equality, parabola")
    16384
    """
    log = 2
    while most_bits(name, log) >= 2 ** (log - 1):
        log += 1
    return 1 << log


def check(length: Annotated[Length, Range(4, 1 << 11)] = 256) -> list[Outcome]:
    """Build the networks up to N = `length` and compare their bits with C (log2 N)^3; none of them is run.

    The printed code is built up to 256. Raises ValueError for a length that is not 4 to 2,048; TheoremFails with a network
    that is larger.

    >>> check(length=4)[0].measured
    {'C': 147.5, 'C_at_the_longest': 147.5}
    """
    if not LEAST_LENGTH <= length <= LONGEST:
        raise ValueError(f"check(length={length}): length is {LEAST_LENGTH} to {LONGEST:,}, all those below it are built too")
    return [_check(name, ladder(min(length, construction.longest))) for name, construction in CONSTRUCTIONS.items()]


def _check(name: str, lengths: list[int]) -> Outcome:
    """Require of every network built that it is within the envelope at its own N, and so within C."""
    bits = {length: CONSTRUCTIONS[name].build(length).ledger().program for length in lengths}
    for length, counted in bits.items():
        most = most_bits(name, math.log2(length))
        if counted > most:
            raise CLAIM.fails({"construction": name, "length": length, "bits": counted, "at most": round(most, 1)})
    ratios = {length: counted / math.log2(length) ** 3 for length, counted in bits.items()}
    longest = lengths[-1]
    bound = {"C": envelope(name), "C_at_the_longest": envelope(name, math.log2(longest))}
    measured = {"C": max(ratios.values()), "C_at_the_longest": ratios[longest]}
    return CLAIM.upper(
        length=longest,
        inputs=len(lengths),
        computed=True,
        measured={key: round(value, DIGITS) for key, value in measured.items()},
        bound={key: round(value, DIGITS) for key, value in bound.items()},
        variant=name,
        witness={
            "bits": {str(length): counted for length, counted in bits.items()},
            "below_N/2_from": below_a_state_from(name),
        },
    )


THEOREM = Theorem(
    CLAIM,
    check,
    sides=("upper",),
    shown="A run shows the sizes of the networks that are built, at each N of a list.",
    not_shown="This does not show that C is enough for every N. The proof shows that.",
    nothing_to_certify="it is about sizes, which the certificates of equality-two-layers give together with the network",
    nothing_to_apply="sizes; equality-two-layers and nearest-neighbor-two-layers have the networks",
    errata=(
        Erratum(
            where="Section 2, representation size",
            printed='"the total number of bits required to represent the model including all the parameters and embeddings. '
            'For Transformers, this is Theta(mdpH)"',
            found="m d p H counts the matrices of the attention heads. The table of the symbols has another S d p bits. Our "
            "network for index lookup at N = 64 has 10.5 times the bits of these matrices for S = 64, and 238 times for "
            "S = 4,096",
            built="every entry of every array counts, except entries that are functions of the index",
            test="tests/theorems/equality/test_total_size.py::test_the_printed_size_leaves_out_the_table_of_symbols",
        ),
    ),
)
