"""A claim of a paper's experiments, and the rule by which training rows become a verdict on it.

A row is comparable with an accuracy of a paper if its task is the paper's, its model has the paper's architecture and at most
its layers and its width, and its run was given at most the paper's steps. Rates, heads, initial scales, positions and, for
index lookup, the reading of appendix H.1 may differ: the paper searched rates and heads, and does not state the others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from seqsep.lab.row import Row
from seqsep.lab.run import Run, canonical_json
from seqsep.tasks import IndexLookup, IsTree, Task

Status: TypeAlias = Literal["reproduced", "order reproduced", "contradicted", "not reached", "open", "not run"]
STATUSES: dict[Status, str] = {
    "reproduced": "our runs agree with the paper's number",
    "order reproduced": "in our runs, one model is above others, as the paper says",
    "contradicted": (
        "our model is better than the paper says, with at most the paper's size and steps; "
        "or a model that the paper puts lower is within one point of the one that it puts higher"
    ),
    "not reached": "our model is worse than the paper says, or our runs do not show the paper's order of models",
    "open": "our runs agree with the paper so far, but a run with the paper's size and steps is missing",
    "not run": "we have no run that can be compared with the claim",
}
DECIDED: tuple[Status, ...] = ("reproduced", "order reproduced", "contradicted")
"""The verdicts that no further run changes."""
NEAR_PERFECT = 0.99
SLACK = 0.01
"""The largest difference by which ours may be below a near-perfect accuracy of the paper."""
MARGIN = 0.05
"""The largest difference from any other accuracy: seeds differ by more than the sampling of 5,000 evaluation examples."""


@dataclass(frozen=True)
class Trained:
    """The facts of one row: the accuracy of a model after its steps.

    `first_steps` are those after which it first had 99 %, None if never. `training` is the reading of H.1, "" for other tasks.
    """

    key: str
    layers: int
    width: int
    steps: int
    allowed: int
    accuracy: float
    first_steps: int | None
    training: str

    def words(self) -> str:
        """Return accuracy, size and steps in words.

        >>> Trained("", 1, 64, 1200, 12000, 1.0, 1200, "full-length").words()
        '100.0 % (1 x 64, 1,200 steps, full-length)'
        """
        reading = f", {self.training}" if self.training else ""
        return f"{100 * self.accuracy:.1f} % ({self.layers} x {self.width}, {self.steps:,} steps{reading})"


@dataclass(frozen=True)
class ClaimRows:
    """The comparable rows of one claim.

    `best` is the best of all, `sized` the best at the paper's size, and `full` the best of these with all of the paper's steps.
    """

    best: Trained | None = None
    sized: Trained | None = None
    full: Trained | None = None

    def and_also(self, other: "ClaimRows") -> "ClaimRows":
        """Return the evidence of both sets of rows."""
        return ClaimRows(_better(self.best, other.best), _better(self.sized, other.sized), _better(self.full, other.full))


def _better(one: Trained | None, other: Trained | None) -> Trained | None:
    known = [trained for trained in (one, other) if trained is not None]
    return max(known, key=lambda trained: (trained.accuracy, -trained.steps), default=None)


@dataclass(frozen=True)
class ClaimVerdict:
    """A status, and the rows that it rests on in words."""

    status: Status
    evidence: str


@dataclass(frozen=True)
class Accuracy:
    """One accuracy that a paper prints or describes: a model of one size on one task.

    `printed` is a fraction; None if the paper has words only, which `learns` sums up: near-perfect, or below that. `steps` are
    the paper's training steps, at most. `runs` decide the claim, the cheapest first.
    """

    name: str
    source: str
    task: Task
    layers: tuple[str, ...]
    width: int
    printed: float | None
    learns: bool
    steps: int
    runs: tuple[Run, ...]

    @property
    def statement(self) -> str:
        """The paper's claim in one line."""
        kinds = "+".join(dict.fromkeys(self.layers))
        if self.printed is not None:
            what = f"{100 * self.printed:.1f} %"
        else:
            what = "near-perfect" if self.learns else "below near-perfect"
        trace = f" {self.task.trace}" if isinstance(self.task, IsTree) else ""
        return f"{kinds} ({len(self.layers)}, {self.width}), {self.task.name}{trace}, N = {self.task.length}: {what}"

    def trained(self, row: Row) -> Trained | None:
        """Return what a row shows of this claim, None if it is not comparable."""
        if not row.has_outcome or row.failed or row.is_reply or not row.is_current:
            return None
        run = row.run
        fits = (
            set(run.layers) == set(self.layers)
            and len(run.layers) <= len(self.layers)
            and run.width <= self.width
            and run.steps <= self.steps
            and run.embeddings == self.runs[0].embeddings
            and evaluated(run.task) == evaluated(self.task)
        )
        accuracy = row.result.get("live_accuracy") if isinstance(run.task, IsTree) else row.result["accuracy"]
        if not fits or accuracy is None:
            return None
        return Trained(
            key=row.key,
            layers=len(run.layers),
            width=run.width,
            steps=row.result["steps"],
            allowed=run.steps,
            accuracy=float(accuracy),
            first_steps=next((step for step, reached, _ in row.result["curve"] if reached >= NEAR_PERFECT), None),
            training=run.task.training_inputs if isinstance(run.task, IndexLookup) else "",
        )

    def evidence(self, rows: Iterable[Row]) -> ClaimRows:
        """Return what the comparable ones of these rows show."""
        evidence = ClaimRows()
        for one in map(self.trained, rows):
            if one is not None:
                sized = one if (one.layers, one.width) == (len(self.layers), self.width) else None
                full = sized if one.allowed == self.steps else None
                evidence = evidence.and_also(ClaimRows(one, sized, full))
        return evidence

    def verdict(self, found: Mapping[str, ClaimRows]) -> ClaimVerdict:
        """Return the verdict that the evidence of each claim, by its name, gives on this one.

        The best row of a near-perfect model reproduces it or does not reach it. Any other number is contradicted by a best row
        above it, not reached by one below it, and reproduced by a row near it at the paper's size with all of its steps.
        """
        evidence = found[self.name]
        if evidence.best is None:
            return ClaimVerdict("not run", "no comparable row")
        best = evidence.best.words()
        least, most = self._agreeing()
        if evidence.best.accuracy < least:
            return ClaimVerdict("not reached", best)
        if self.learns:
            return ClaimVerdict("reproduced", best)
        if evidence.best.accuracy >= most:
            return ClaimVerdict("contradicted", best)
        if evidence.full is not None and evidence.full.accuracy >= least:
            return ClaimVerdict("reproduced", evidence.full.words())
        return ClaimVerdict("open", best)

    def _agreeing(self) -> tuple[float, float]:
        """Return the least accuracy that agrees with the paper, and the least that is too high for it."""
        if self.printed is None:
            return (NEAR_PERFECT, 1.0 + MARGIN) if self.learns else (0.0, NEAR_PERFECT)
        return self.printed - (SLACK if self.learns else MARGIN), self.printed + MARGIN


def evaluated(task: Task) -> str:
    """Return the fields of a task that decide its evaluation, as text: all but those of training inputs.

    >>> evaluated(IndexLookup(50, training_inputs="full-length")) == evaluated(IndexLookup(50))
    True
    """
    fields = task.configuration()
    return canonical_json({name: value for name, value in fields.items() if name not in ("training_inputs", "least_length")})


@dataclass(frozen=True)
class RankingClaim:
    """A claim that one model is above others on the same task, by more than 5 points."""

    name: str
    source: str
    statement: str
    above: Accuracy
    below: tuple[Accuracy, ...]

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of all claims that it compares, in their order."""
        return tuple(run for claim in (self.above, *self.below) for run in claim.runs)

    def verdict(self, found: Mapping[str, ClaimRows]) -> ClaimVerdict:
        """Return the verdict on the order.

        It is contradicted if the upper model learns and a lower one of at most the paper's size does as well. It is not reached
        if the upper one is not above all lower ones by more than 5 points. If it is, the order is reproduced if each lower one
        has a row at the paper's size with at least the steps of the upper one's best, and else open.
        """
        upper = found[self.above.name].best
        lower = {claim: one for claim in self.below if (one := found[claim.name].best) is not None}
        if upper is None or not lower:
            return ClaimVerdict("not run", f"no comparable row of {'the upper model' if upper is None else 'a lower model'}")
        closest = max(lower, key=lambda claim: lower[claim].accuracy)
        words = f"{upper.words()} against {'+'.join(dict.fromkeys(closest.layers))} {lower[closest].words()}"
        if upper.accuracy >= NEAR_PERFECT and lower[closest].accuracy >= upper.accuracy - SLACK:
            return ClaimVerdict("contradicted", words)
        if upper.accuracy - lower[closest].accuracy <= MARGIN:
            return ClaimVerdict("not reached", words)
        sized = [found[claim.name].sized for claim in self.below]
        is_fair = all(one is not None and one.allowed >= upper.allowed for one in sized)
        return ClaimVerdict("order reproduced" if is_fair else "open", words)


@dataclass(frozen=True)
class Speed:
    """A claim that a model is near-perfect after at most `most_steps` steps."""

    name: str
    source: str
    statement: str
    claim: Accuracy
    most_steps: int

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs that decide it."""
        return self.claim.runs

    def verdict(self, found: Mapping[str, ClaimRows]) -> ClaimVerdict:
        """Return the verdict: reproduced if the best row had 99 % by then."""
        best = found[self.claim.name].best
        if best is None:
            return ClaimVerdict("not run", "no comparable row")
        if best.first_steps is None or best.first_steps > self.most_steps:
            return ClaimVerdict("not reached", best.words())
        return ClaimVerdict("reproduced", f"99 % after {best.first_steps:,} steps; {best.words()}")


@dataclass(frozen=True)
class Outside:
    """A claim that no run of seqsep decides, and why."""

    name: str
    source: str
    statement: str
    why: str
    runs: tuple[Run, ...] = ()

    def verdict(self, found: Mapping[str, ClaimRows]) -> ClaimVerdict:
        """Return that it is not run, and why."""
        return ClaimVerdict("not run", self.why)


Claim: TypeAlias = Accuracy | RankingClaim | Speed | Outside
