"""What Theorem 12 asks of one attention layer: the counted protocol of Theorem 4, solved for width and heads.

n tokens, L = max(4, n)^Kc steps per unit, m the paper's width (the greater of model and head width), H heads. Bits on the grid:
a score p = bit_length(2 L^2), a normaliser z = bit_length(n L), a coordinate of a value sum v = bit_length(2 L^3). The steps of
appendix D cost
    both exchange     m p + H (2 p + 2 z + 2 m v)    the last token's vector, then per head maxima, normalisers, value sums
    one learns        m p + H (2 p + 2 z + m v)      only one party's value sums travel
    token sent        t + H (2 p + 2 z + m v)        the last token in t = ceil(log2 S) bits, in place of its vector
Equality of S^h pairs (h = N/2) needs ceil(log2(S^h + 1)) bits where the transcript names the answer, since no two (a, a) share
a leaf and some leaf answers 0; and ceil(h log2 S) where one party concludes it from the transcript and its own input: if (a, a)
and (b, b) share a transcript, so do (a, b) and (b, a), and a party that holds a answers (a, a) and (a, b) alike.
"""

from dataclasses import dataclass
from functools import cached_property

from seqsep.exact.grid import Grid
from seqsep.exact.integers import ceil_log2
from seqsep.theorems.protocols.one_layer_ledger import NumberBits, Variant, message_bits

VARIANTS = ("both exchange", "one learns", "token sent")
PROTOCOLS: dict[str, Variant] = {"both exchange": "both-exchange", "one learns": "one-learns", "token sent": "one-learns"}


@dataclass(frozen=True)
class Costs:
    """Bits that do not depend on the size of the layer: those of its numbers (`NumberBits`), and the halves of equality."""

    length: int
    alphabet: int
    exponent: int

    @cached_property
    def grid(self) -> Grid:
        return Grid.of(self.length, self.exponent)

    @cached_property
    def score(self) -> int:
        return NumberBits(self.grid, self.length).number

    @cached_property
    def normaliser(self) -> int:
        return NumberBits(self.grid, self.length).normaliser

    @cached_property
    def value(self) -> int:
        return NumberBits(self.grid, self.length).value_sum

    @cached_property
    def pairs(self) -> int:
        """S^(N/2): the halves that must be told apart."""
        return self.alphabet ** (self.length // 2)


def needed(costs: Costs, variant: str) -> int:
    """Bits that any protocol of this kind for equality has."""
    return costs.pairs.bit_length() if variant == VARIANTS[0] else ceil_log2(costs.pairs)


def protocol_bits(costs: Costs, width: int, heads: int, variant: str) -> int:
    """Bits of the counted protocol of a layer of width m with H heads; its last token's vector has m coordinates."""
    vocabulary = costs.alphabet if variant == VARIANTS[2] else None
    steps = message_bits(
        length=costs.length,
        width=width,
        embedding=width,
        heads=heads,
        grid=costs.grid,
        variant=PROTOCOLS[variant],
        vocabulary=vocabulary,
    )
    return steps["total"]


def least_width(costs: Costs, heads: int, variant: str) -> int:
    """The least m whose protocol, with so many heads, has the bits needed."""
    one, two = (protocol_bits(costs, width, heads, variant) for width in (1, 2))
    return max(1, 1 - (one - needed(costs, variant)) // (two - one))


def least_size(costs: Costs, variant: str) -> tuple[int, int]:
    """(m, H) with the least m H whose protocol has the bits needed: no layer with a smaller m H computes equality."""
    best, heads = (least_width(costs, 1, variant), 1), 2
    while heads < best[0] * best[1]:
        best = min(best, (least_width(costs, heads, variant), heads), key=lambda size: size[0] * size[1])
        heads += 1
    return best


def least_product(costs: Costs, variant: str) -> int:
    """A lower bound on m H in closed form: bits needed over 3 p + 2 z + 2 v (or v; or, less t, over 2 p + 2 z + v)."""
    fixed = ceil_log2(costs.alphabet) if variant == VARIANTS[2] else 0
    a_unit = protocol_bits(costs, 1, 1, variant) - fixed
    return max(1, -(-(needed(costs, variant) - fixed) // a_unit))
