"""The size that Theorem 12 requires of one attention layer: the counted protocol of Theorem 4, solved for width and heads.

The layer reads n tokens and has H heads. As in the paper, m is the width of the embeddings or that of a head, whichever is
greater. Numbers are multiples of 1/L with L = max(4, n)^Kc. A score then has p = bit_length(2 L^2) bits, and a normaliser (a
sum of exponentials) has z = bit_length(n L). A coordinate of a sum of values has v = bit_length(2 L^3) bits. The protocol of
appendix D has three variants, with these bits:
    both exchange     m p + H (2 p + 2 z + 2 m v)    the last token's vector, then per head maxima, normalisers, value sums
    one learns        m p + H (2 p + 2 z + m v)      only one party's value sums are sent
    token sent        t + H (2 p + 2 z + m v)        the last token in t = ceil(log2 S) bits, in place of its vector
Equality needs N/2 bits or more (`needed`). So if one of the variants has fewer bits for some m and H, a layer of these sizes
cannot decide equality.
"""

import math
from dataclasses import dataclass
from functools import cached_property

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import ceil_log2
from seqsep.theorems.base import Claim, Number, Outcome
from seqsep.theorems.equality._words import count_halves
from seqsep.theorems.protocols.one_layer_ledger import NumberBits, Variant, message_bits

STATEMENT = "One attention layer with stepwise softmax that decides equality needs at least the m H that its protocol requires"


@dataclass(frozen=True)
class Exchange:
    """A variant of Theorem 4's protocol: its name here, and what travels."""

    name: str
    variant: Variant
    token_sent: bool = False


BOTH_EXCHANGE = Exchange("both exchange", "both-exchange")
ONE_LEARNS = Exchange("one learns", "one-learns")
TOKEN_SENT = Exchange("token sent", "one-learns", token_sent=True)
EXCHANGES = (BOTH_EXCHANGE, ONE_LEARNS, TOKEN_SENT)


@dataclass(frozen=True)
class Costs:
    """Bits that do not depend on the size of the layer: those of each kind of number.

    `length` is N, `alphabet` is S, and `exponent` is Kc.

    >>> costs = Costs(length=8192, alphabet=2, exponent=2)
    >>> costs.score, costs.normaliser, costs.value
    (54, 40, 80)
    """

    length: int
    alphabet: int
    exponent: int

    @cached_property
    def grid(self) -> Grid:
        """B.2's grid with L = n^Kc."""
        return Grid.of(self.length, self.exponent)

    @cached_property
    def score(self) -> int:
        """Bits of a score: p."""
        return NumberBits(self.grid, self.length).number

    @cached_property
    def normaliser(self) -> int:
        """Bits of a sum of exponentials: z."""
        return NumberBits(self.grid, self.length).normaliser

    @cached_property
    def value(self) -> int:
        """Bits of a coordinate of a value sum: v."""
        return NumberBits(self.grid, self.length).value_sum


def needed(costs: Costs, exchange: Exchange) -> int:
    """Count the bits that any protocol of this kind for the equality of S^h pairs (h = N/2) has.

    They are ceil(log2(S^h + 1)) if the transcript contains the answer. For no two of the inputs (a, a) share a leaf, and some
    other leaf answers 0. They are ceil(h log2 S) if one party concludes the answer from the transcript and its own input. For
    if (a, a) and (b, b) share a transcript, so do (a, b) and (b, a). Then a party that holds a answers (a, a) and (a, b)
    alike.
    """
    pairs = count_halves(costs.length, costs.alphabet)
    return ceil_log2(pairs + 1) if exchange == BOTH_EXCHANGE else ceil_log2(pairs)


def protocol_bits(costs: Costs, width: int, heads: int, exchange: Exchange) -> int:
    """Count the bits of the protocol of a layer of width m with H heads; its last token's vector has m coordinates."""
    steps = message_bits(
        length=costs.length,
        width=width,
        embedding=width,
        heads=heads,
        grid=costs.grid,
        variant=exchange.variant,
        vocabulary=costs.alphabet if exchange.token_sent else None,
    )
    return steps["total"]


def least_width(costs: Costs, heads: int, exchange: Exchange) -> int:
    """Find the least m whose protocol, with this number of heads, has the bits needed.

    >>> least_width(Costs(length=8192, alphabet=2, exponent=2), heads=1, exchange=TOKEN_SENT)
    49
    """
    one = protocol_bits(costs, 1, heads, exchange)
    two = protocol_bits(costs, 2, heads, exchange)
    return max(1, 1 - (one - needed(costs, exchange)) // (two - one))


def least_size(costs: Costs, exchange: Exchange) -> tuple[int, int]:
    """Find (m, H) with the least m H whose protocol has the bits needed: no layer with a smaller one computes equality."""
    best = (least_width(costs, 1, exchange), 1)
    heads = 2
    while heads < best[0] * best[1]:
        best = min(best, (least_width(costs, heads, exchange), heads), key=lambda size: size[0] * size[1])
        heads += 1
    return best


def least_product(costs: Costs, exchange: Exchange) -> int:
    """Bound m H from below in closed form: the bits needed over those of a layer with m = H = 1.

    Each term of the protocol except t is at most m H times what it is at m = H = 1. So t is subtracted on both sides. The
    divisor is 3 p + 2 z + 2 v if both exchange, 3 p + 2 z + v if one learns, and 2 p + 2 z + v if the token is sent.
    """
    fixed = ceil_log2(costs.alphabet) if exchange.token_sent else 0
    a_unit = protocol_bits(costs, 1, 1, exchange) - fixed
    return max(1, -(-(needed(costs, exchange) - fixed) // a_unit))


def by_total_of_theorem_4(costs: Costs) -> float:
    """Return (N/2) / (3 (p + log2 N)): the least m H if narrow heads too had no more than Theorem 4's total."""
    return costs.length / 2 / (3 * (costs.score + math.log2(costs.length)))


def check_one_layer(claim: Claim, costs: Costs, exchange: Exchange) -> Outcome:
    """Require that every m H below the least has too few bits, and the closed form too; "inputs" are pairs (m, H)."""
    width, heads = least_size(costs, exchange)
    bits = needed(costs, exchange)
    product = least_product(costs, exchange)
    measured: dict[str, Number] = {
        "width_times_heads": width * heads,
        "width_of_one_head": least_width(costs, 1, exchange),
        "protocol_bits": protocol_bits(costs, width, heads, exchange),
    }
    bound: dict[str, Number] = {"width_times_heads": product, "width_of_one_head": product, "protocol_bits": bits}
    smaller = _smaller_sizes(width * heads)
    enough = [(m, h) for m, h in smaller if protocol_bits(costs, m, h, exchange) >= bits]
    if enough or any(measured[name] < bound[name] for name in bound):
        raise claim.fails({"variant": exchange.name, "smaller (m, H)": enough[:3], "measured": measured, "bound": bound})
    return claim.lower(
        statement=STATEMENT,
        length=costs.length,
        inputs=len(smaller) + 1,
        computed=True,
        measured=measured,
        bound=bound,
        variant=f"Theorem 12, {exchange.name}, Kc = {costs.exponent}, p = {costs.score}",
        witness={"least_width": width, "heads": heads},
    )


def _smaller_sizes(product: int) -> list[tuple[int, int]]:
    """List all (m, H) with m H below a product."""
    return [(width, heads) for heads in range(1, product) for width in range(1, -(-product // heads))]
