"""What `attention` builds: for which strings, by how many layers, for which question, and on which grid."""

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
class Plan:
    """What is built: for N brackets of n kinds, at most k of them open, by which variant, and for which question.

    `eta` is the scale of the scores, `steps` is L, the steps of a unit, if it is not n^2.

    >>> plan = Plan(length=20, kinds=2, depth=3, variant="three-layer", ask="word")
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
        """Base n of appendix B.2: the tokens with [BOS], at least 4 and more than the depth."""
        return max(4, self.length + 1, self.depth + 1)

    @property
    def grid(self) -> Grid:
        """B.2's grid, L = n^2 unless `steps` says otherwise; softmax is rounded stepwise, down."""
        return Grid.of(self.base, 2) if self.steps is None else Grid(self.steps)

    @property
    def gate(self) -> int:
        """A token that a head must not see scores G = 2 n below the others.

        e^-G < 1/L rounds down to 0. So among otherwise equal scores m <= n tokens that pass have equal weights,
        w = floor(L/m) >= n steps, and all others 0.
        """
        return 2 * self.base

    @property
    def kind_digits(self) -> int:
        """One of n kinds has b = max(1, ceil(log2 n)) digits in {0, 1}."""
        return digits_of(self.kinds)

    @property
    def depth_digits(self) -> int:
        """A depth has c = bit_length(k) digits in {-1, 1}."""
        return self.depth.bit_length()

    @property
    def gives_sets(self) -> bool:
        """Whether the brackets allowed next are asked, beside the end."""
        return self.ask == "next"

    @property
    def valid_prefixes_only(self) -> bool:
        """Whether the answers after invalid prefixes mean nothing."""
        return self.variant in ("one-layer", "two-layer-valid")

    @property
    def counts_kinds(self) -> bool:
        """Whether layer 1 counts kinds in each class of levels, which two layers need from depth 3 on."""
        return self.variant == "two-layer" and self.depth > 2

    @property
    def spaces(self) -> Spaces:
        """The named spaces of the residual stream: what embeddings hold, then what layers write.

        `open_kind`, `close_kind`: the digits of a bracket's kind, 0 in the other one; `open`, `close`, `bos`; `time`, `odd` (of
        the position), `one`. Layers write `count` and `unit` (d u and u), the digits of `depth` and `level`, the digits `found`
        of a match, `wrong`, `errors`, the counts of kinds in each class, and what the read-out needs: `some` (d > 0), `full`
        (d >= k) and `match` (the digits of the bracket to be closed).
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
) -> Plan:
    """Make the plan that a call asks for; by default two layers for depths up to 4, else three.

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
    return Plan(length, kinds, depth, variant, ask=ask, eta=ETA if eta is None else eta, steps=steps)


def answered(depth: int) -> list[tuple[str, str]]:
    """List (variant, ask) of every network that there is for this depth.

    >>> answered(5)
    [('two-layer-valid', 'next'), ('three-layer', 'word'), ('three-layer', 'next')]
    """
    one = [("one-layer", "next")] if depth == 2 else []
    two = [("two-layer", "word"), ("two-layer", "next")] if depth <= 4 else []
    return [*one, ("two-layer-valid", "next"), *two, ("three-layer", "word"), ("three-layer", "next")]
