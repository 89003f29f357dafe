"""The plan of a network of `attention`: its strings, number of layers, question and grid."""

from dataclasses import dataclass

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.arithmetic.integers import digits_of
from seqsep.theorems.blocks import Spaces

VARIANTS = ("one-layer", "two-layer-valid", "two-layer", "three-layer")
QUESTIONS = ("word", "next")
ETA = 1
KIND_SPACES = ("open_kind", "close_kind")
TOKEN_SPACES = ("open", "close", "bos", "time", "odd", "one")


@dataclass(frozen=True)
class DyckPlan:
    """The parameters of a network: N brackets of n kinds, at most k of them open, the variant, and the question.

    `eta` is the scale of the scores, `steps` is L, the steps of a unit, if it is not n^2.

    >>> plan = DyckPlan(length=20, kinds=2, depth=3, variant="three-layer", ask="word")
    >>> plan.base, plan.kind_digits, plan.depth_digits, plan.grid.steps
    (21, 1, 2, 441)
    """

    length: int
    kinds: int
    depth: int
    variant: str
    ask: str
    eta: int = ETA
    steps: int | None = None

    @property
    def base(self) -> int:
        """The base n of appendix B.2: the tokens with [BOS], at least 4 and more than the depth."""
        return max(4, self.length + 1, self.depth + 1)

    @property
    def grid(self) -> Grid:
        """The grid of B.2, with L = n^2 unless `steps` is given; softmax is rounded stepwise, down."""
        return Grid.of(self.base, 2) if self.steps is None else Grid(self.steps)

    @property
    def gate(self) -> int:
        """The amount G = 2 n by which the score of a token is lower if a head must not see it.

        The exponential of such a score is at most e^-G < 1/L, which rounds down to 0. Suppose that m <= n tokens with equal
        scores remain. Then each of them has a weight of w = floor(L/m) steps of 1/L, which is at least n steps. All other
        tokens have the weight 0.
        """
        return 2 * self.base

    @property
    def kind_digits(self) -> int:
        """The number b = max(1, ceil(log2 n)) of digits, in {0, 1}, of one of n kinds."""
        return digits_of(self.kinds)

    @property
    def depth_digits(self) -> int:
        """The number c = bit_length(k) of digits, in {-1, 1}, of a depth."""
        return self.depth.bit_length()

    @property
    def gives_sets(self) -> bool:
        """True if the question is about the brackets allowed next as well as the end."""
        return self.ask == "next"

    @property
    def valid_prefixes_only(self) -> bool:
        """True if the answers after invalid prefixes mean nothing."""
        return self.variant in ("one-layer", "two-layer-valid")

    @property
    def counts_kinds(self) -> bool:
        """True if layer 1 counts kinds in each class of levels, which two layers need from depth 3 on."""
        return self.variant == "two-layer" and self.depth > 2

    @property
    def spaces(self) -> Spaces:
        """The named spaces of the residual stream.

        Embeddings write `open_kind` and `close_kind`. At an open bracket `open_kind` has the digits of its kind, and
        `close_kind` is 0. At a close bracket it is the other way round. Embeddings also write `open`, `close` and `bos`, each
        of which is 1 at a token of this sort and 0 elsewhere. Three more entries are `time` (the position), `odd` (its parity)
        and `one` (always 1).

        Layers write the others:
        * `count` and `unit` are d u and u, for the depth d and the weight u of [BOS].
        * `depth` and `level` have the digits of the depth and of the level. `found` has the digits of a kind: that of the open
          bracket that a head found.
        * `wrong` is positive at a close bracket of another kind than `found`, and at a depth outside 0 .. k. Elsewhere it is 0.
        * `errors` is 0 as long as all is right, and at least 1 after an error.
        * For k >= 3 the variant `two-layer` has two more spaces for counts of kinds: one for odd levels and one for even
          levels. It also has `unbalanced`, which is positive if these counts do not cancel, and `deep`, which is 1 if d >= k -
          2.
        * `some` (d > 0), `full` (d >= k) and `match` (the digits of the kind to be closed) are for the read-out.
        """
        kind = self.kind_digits
        size = dict.fromkeys(KIND_SPACES, kind) | dict.fromkeys(TOKEN_SPACES, 1)
        if self.variant != "one-layer":
            size |= {"count": 1, "unit": 1}
            if self.gives_sets or self.variant == "three-layer":
                size["depth"] = self.depth_digits
        if self.variant == "three-layer":
            size["level"] = self.depth_digits
        if not self.valid_prefixes_only:
            size |= {"found": kind, "wrong": 1, "errors": 1}
        if self.counts_kinds:
            size |= {"odd_count": kind, "even_count": kind, "unbalanced": 1, "deep": 1}
        size["some"] = 1
        if self.gives_sets:
            size |= {"full": 1, "match": kind}
        return Spaces(**size)


def planned(
    call: str,
    *,
    length: int,
    kinds: int,
    depth: int,
    variant: str | None,
    ask: str,
    steps: int | None = None,
    eta: int | None = None,
) -> DyckPlan:
    """Make the plan for the arguments of a call; by default two layers for depths up to 4, else three.

    Raises ValueError for numbers below 1, or a variant that does not answer this depth or question.
    """
    given = f"{call}(length={length}, kinds={kinds}, depth={depth}, variant={variant!r}, ask={ask!r})"
    if variant is None:
        variant = "two-layer" if depth <= 4 else "three-layer"
    if min(length, kinds, depth) < 1:
        raise ValueError(f"{given}: length, kinds and depth are at least 1")
    if variant not in VARIANTS or ask not in QUESTIONS:
        raise ValueError(f"{given}: variant is one of {', '.join(VARIANTS)}; ask is one of {', '.join(QUESTIONS)}")
    if (variant, ask) not in answered(depth):
        able = "; ".join(f"{one} with ask={other!r}" for one, other in answered(depth))
        raise ValueError(f"{given}: at depth {depth} there are {able}")
    return DyckPlan(length, kinds, depth, variant, ask=ask, eta=ETA if eta is None else eta, steps=steps)


def answered(depth: int) -> list[tuple[str, str]]:
    """List (variant, ask) of every network that exists for this depth.

    >>> answered(5)
    [('two-layer-valid', 'next'), ('three-layer', 'word'), ('three-layer', 'next')]
    """
    one = [("one-layer", "next")] if depth == 2 else []
    two = [("two-layer", "word"), ("two-layer", "next")] if depth <= 4 else []
    return [*one, ("two-layer-valid", "next"), *two, ("three-layer", "word"), ("three-layer", "next")]
