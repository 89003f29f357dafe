"""A network that thinks before it decides IsTree, for all sizes and both grids, and the functions that its theorem has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from seqsep.maths.arithmetic.grid import Grid
from seqsep.maths.networks.network import Network
from seqsep.tasks.trees.tokens import Tokens
from seqsep.theorems.base import Claim, Number, Outcome, Predictor
from seqsep.theorems.blocks import ROUNDINGS
from seqsep.theorems.evidence import Evidence
from seqsep.theorems.is_tree import _trials as trials
from seqsep.theorems.is_tree._shown import shown
from seqsep.theorems.is_tree._trials import ThoughtTrial
from seqsep.theorems.options import GraphCount, GraphCountFrom1, GridRounding, Length, LengthFrom2, Seed

T = TypeVar("T", bound=Tokens)


@dataclass(frozen=True, kw_only=True)
class ThoughtConstruction(Generic[T]):
    """A network for graphs of up to n vertices, with its bound and the plain algorithm that writes the same thoughts.

    Fields:
        claim: the claim of the theorem.
        build: function from n and a rounding to the network.
        bound: function from n and a rounding to the bound of each size.
        tokens: function from n to the tokens.
        think: the plain algorithm: a function from the tokens, the number of vertices and the edges to the thought.
        simple: the network is for graphs without loops and repeated edges only.
        proved: function from n and the grid to the least margin of the logits that is proved.
        as_printed: function from n to the sizes in the paper.
        verified: hard graphs of the long check, small and large.
    """

    claim: Claim
    build: Callable[..., Network]
    bound: Callable[[int, str], Mapping[str, Number]]
    tokens: Callable[[int], T]
    think: Callable[[T, int, Any], list[int]]
    simple: bool = False
    proved: Callable[[int, Grid], float] = lambda length, grid: 1.0
    as_printed: Callable[[int], Mapping[str, Number | str] | None] = lambda length: None
    verified: tuple[int, int] = (3_000, 24)

    def trial(self, length: int, rounding: str) -> ThoughtTrial:
        """The trial of the network of one size and grid."""
        tokens = self.tokens(length)
        network = self.build(length, rounding)
        return ThoughtTrial(self.claim.name, network, tokens, partial(self.think, tokens), simple=self.simple)

    def outcome(self, trial: ThoughtTrial, rounding: str) -> Outcome:
        """The outcome over all graphs put to a trial. Raises TheoremFails for a size or a margin that exceeds its bound."""
        length = trial.tokens.vertices
        proved = self.proved(length, trial.network.grid)
        return trial.outcome(
            self.claim, self.bound(length, rounding), rounding, proved=proved, as_printed=self.as_printed(length)
        )

    def check(
        self, length: LengthFrom2 = 16, rounding: GridRounding | None = None, graphs: GraphCount = 24, seed: Seed = 0
    ) -> list[Outcome]:
        """Build the network, on both grids or one, and require thought and answer, on the grid and in float64.

        Up to 4 vertices: every list of n' - 1 pairs for every n' <= n, in every order, either end of each edge first; without
        loops and repeated edges if the network is for simple graphs. Beyond: `graphs` hard graphs of n vertices (random trees,
        paths, double stars, near misses, a cycle beside a tree, random graphs), and some of fewer vertices. Raises ValueError
        for a length below 2 or another rounding; TheoremFails with the graph whose thought or answer is wrong.
        """
        if length < 2:
            raise ValueError(f"check(length={length}): expected at least 2 vertices")
        roundings = ROUNDINGS if rounding is None else (rounding,)
        return [self.outcome(trials.tried(self.trial(length, one), graphs, seed), one) for one in roundings]

    def verify(self, seed: int = 0) -> list[Outcome]:
        """Check small graphs on each grid, and large ones on the first (`_trials.long_series`)."""
        return [self.outcome(trial, one) for one, trial in trials.long_series(self.trial, *self.verified, seed)]

    def predictor(self, length: Length, rounding: GridRounding = "floor") -> Predictor:
        """Answer {"vertices": n', "edges": [[u, v], ..]} by {"answer": 1 or 0, "thought": [..]}; 2 <= n' <= `length`.

        Without `vertices` n' is one more than there are edges. The answer raises ValueError with the field's name for any other
        input, and for a loop or a repeated edge if the network is for simple graphs.
        """
        return trials.predictor(self.trial(length, rounding))

    def certificate_witness(
        self, length: LengthFrom2 = 4, rounding: GridRounding = "floor", graphs: GraphCountFrom1 = 16, seed: Seed = 0
    ) -> Evidence:
        """Show the thoughts about every list of n - 1 edges of n = `length` vertices, or about at most `graphs` hard ones."""
        return shown(self.trial(length, rounding), graphs, seed)

    @property
    def functions(self) -> dict[str, Any]:
        """The functions of the theorem, by the names of their fields in `Theorem`."""
        return {
            "check": self.check,
            "build": self.build,
            "bound": self.bound,
            "predictor": self.predictor,
            "verify": self.verify,
            "certificate_witness": self.certificate_witness,
        }
