"""Scales and slots of `two_layers`: what a formula puts into the network."""

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import count

import numpy as np
from jaxtyping import Int64, Shaped

from seqsep.maths.arithmetic.grid import Array, Grid, least_exponent
from seqsep.maths.codes.codes import BY_NAME as CODES
from seqsep.maths.codes.codes import PositionCode, position_code
from seqsep.maths.formulas import AtLeast, Thresholds
from seqsep.theorems.blocks import Spaces, largest_entry, largest_score

MOST_TOKENS = 1 << 16
VARIANTS = ("repaired", "printed")


@dataclass(frozen=True)
class Scales:
    """The whole numbers that scale the scores, for k heads and a code of n addresses.

    * `eta` is the least with leakage(eta) <= e^-c / 14k.
    * `literal` is c = ceil(ln 12k), by which a bit moves a score.
    * `nothing` is Z = ceil(ln 12kn), the score of [BOS] at a head without a literal.
    * `exponent` is Kc, where the grid has L = n^Kc.
    """

    eta: int
    literal: int
    nothing: int
    exponent: int

    @classmethod
    def of(cls, code: PositionCode, k: int, eta: int | None = None) -> "Scales":
        """Return the scales of the construction; with another `eta`, the grid that it needs.

        Kc is the least for which L = n^Kc is at least 12k, and the grid holds every entry and the score A_v + c. Then it holds
        Z too: with x = 12kn >= 24, Z < ln x + 1 <= sqrt(x) <= max(12k, n) <= L.
        """
        literal = math.ceil(math.log(12 * k))
        nothing = math.ceil(math.log(12 * k * code.count))
        if eta is None:
            eta = least_eta(code, math.exp(-literal) / (14 * k))
        highest = largest_score(code, eta) + literal
        needed = max(largest_entry(code, eta), highest, Fraction(12 * k))
        return cls(eta, literal, nothing, least_exponent(code.count, needed, code.unit))


def least_eta(code: PositionCode, most: float) -> int:
    """Return the least whole eta for which the code's leakage is at most `most`, by doubling and bisection.

    >>> least_eta(position_code("parabola", 16), most=0.01)
    6
    """
    power = next(power for power in count() if code.leakage(1 << power) <= most)
    return bisect_left(range(1 << power), True, lo=1, key=lambda eta: code.leakage(eta) <= most)


@dataclass(frozen=True)
class SlotPlan:
    """The parameters of a network: a formula's slots, k heads, a code with an address for each of n tokens, and the layout.

    `eta` and `steps`, unless they are None, replace the scale of the scores and L.
    """

    formula: Thresholds
    slots: Thresholds
    heads: int
    code: PositionCode
    variant: str
    eta: int | None = None
    steps: int | None = None

    @classmethod
    def of(cls, formula: Thresholds, heads: int | None, code: str, variant: str, call: str = "build") -> "SlotPlan":
        """Return the plan of a formula; k = `heads`, by default as many as its slots need.

        Raises ValueError for an unknown code or variant, a slot of more than k literals, too many tokens, or more slots than
        variables in the printed layout.
        """
        require(call, code, variant)
        slots = formula.gates()
        k = max(1, slots.sparsity) if heads is None else heads
        _require_room(slots, heads, k, variant)
        tokens = 1 + slots.variables
        if variant == "repaired":
            tokens += len(slots.features)
        return cls(formula, slots, k, code=position_code(code, tokens), variant=variant)

    @property
    def printed(self) -> bool:
        """True if slot i is at variable i, and no mask hides later tokens."""
        return self.variant == "printed"

    @property
    def tokens(self) -> int:
        """The number n of tokens: [BOS], the bits, and the slots unless they are at the bits."""
        return self.code.count

    @cached_property
    def scales(self) -> Scales:
        """The scales of the scores."""
        return Scales.of(self.code, self.heads, self.eta)

    @property
    def grid(self) -> Grid:
        """B.2's grid at the exponent of the scales, unless `steps` are given."""
        return Grid.of(self.tokens, self.scales.exponent) if self.steps is None else Grid(self.steps)

    def spaces(self) -> Spaces:
        """[heads: a block of r + 2 each | key: r | flags: bit and bos | count | feature | total]."""
        r = self.code.dimension
        return Spaces(heads=self.heads * (r + 2), key=r, flags=2, count=1, feature=1, total=1)


def require(call: str, code: str, variant: str) -> None:
    """Raise ValueError for a code or variant that does not exist."""
    if code not in CODES:
        raise ValueError(f"{call}(code={code!r}): code is one of {', '.join(CODES)}")
    if variant not in VARIANTS:
        raise ValueError(f"{call}(variant={variant!r}): variant is one of {', '.join(VARIANTS)}")


def _require_room(slots: Thresholds, heads: int | None, k: int, variant: str) -> None:
    """Raise ValueError for a formula that does not fit."""
    number = len(slots.features)
    call = f"build({slots.variables} variables, {number} slots, heads={heads}, variant={variant!r})"
    if k < max(1, slots.sparsity):
        raise ValueError(f"{call}: heads is at least {max(1, slots.sparsity)}, the most literals of a slot")
    if variant == "printed" and number > slots.variables:
        raise ValueError(
            f"{call}: the printed layout has one slot for each variable, expected at most {slots.variables:,} slots, found "
            f"{number:,}; variant='repaired' has a token for each slot"
        )
    if 1 + slots.variables + (0 if variant == "printed" else number) > MOST_TOKENS:
        raise ValueError(f"{call}: at most {MOST_TOKENS:,} tokens")


def slot_rows(plan: SlotPlan, spaces: Spaces) -> Array:
    """Return the slots' vectors, without their own keys: a block for each head, and count = k + 1 - least.

    A head's block is [query of v | s | A_v] for the literal of sign s on variable v, with A_v = floor(eta score(v, v)) on the
    grid. It is [0 | 0 | Z] for a head without a literal. Scores are rounded down to steps of the grid unless they are whole.
    """
    gates = [gate for gate in plan.slots.features if isinstance(gate, AtLeast)]
    unit = Fraction(1) if plan.code.unit == 1 else plan.grid.step
    per_unit = int(1 / unit)
    missing = [plan.heads + 1 - clipped(gate.least, 0, plan.heads + 1) for gate in gates]
    rows = spaces.embed(
        heads=_blocks(plan, gates, unit).reshape(len(gates), spaces.size("heads")),
        count=np.array(missing, dtype=object).reshape(-1, 1) * per_unit,
    )
    wide = any(abs(entry) >> 62 for entry in rows.ravel())
    return Array(rows if wide else rows.astype(np.int64), unit, plan.slots.by_index)


def _blocks(plan: SlotPlan, gates: list[AtLeast], unit: Fraction) -> Shaped[np.ndarray, "blocks _"]:
    """Return [query of v | s | A_v] or [0 | 0 | Z] in multiples of `unit`: k rows for each slot, as Python integers."""
    code = plan.code
    literals = _literals(gates, plan.heads)
    variables = np.abs(literals)
    unused = literals[:, None] == 0
    queries = np.where(unused, 0, code.queries(variables)).astype(object)  # products may pass 64 bits
    scores = plan.scales.eta * (queries * code.keys(variables)).sum(1) * code.unit**2
    floored = np.array([math.floor(score / unit) for score in scores], dtype=object).reshape(-1, 1)
    per_unit = int(1 / unit)
    of_bos = np.where(unused, plan.scales.nothing * per_unit, floored)
    return np.concatenate([queries * int(code.unit / unit), np.sign(literals)[:, None] * per_unit, of_bos], axis=1)


def _literals(gates: list[AtLeast], heads: int) -> Int64[np.ndarray, "literals"]:
    """Return the literals of each slot, filled up with 0 to one for each head."""
    filled = [gate.literals + (0,) * (heads - len(gate.literals)) for gate in gates]
    return np.array(filled, dtype=np.int64).reshape(-1)


def clipped(value: int, least: int, most: int) -> int:
    """The value, moved into a range."""
    return min(max(value, least), most)
