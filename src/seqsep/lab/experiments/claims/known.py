"""The evidence of rows on the claims, that of the committed rows, and the core-hours of the runs that decide them.

evidence.json is written by `make pages` from the rows in results/; costs.json by benchmarks/claim_costs.py, which times steps.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from seqsep.lab.estimate import evaluations
from seqsep.lab.experiments.claims.claim import DECIDED, Accuracy, Claim, ClaimRows, ClaimVerdict, Trained, evaluated
from seqsep.lab.row import Row
from seqsep.lab.run import Run

SECONDS_AN_HOUR = 3600
LAUNCH_SECONDS = 0.6e-3
CORES_OF_A_GPU = 200


@dataclass(frozen=True)
class Found:
    """The evidence of some rows on each claim by name, and the keys of the decisive runs that have a row."""

    evidence: Mapping[str, ClaimRows]
    done: frozenset[str]

    def and_also(self, other: "Found") -> "Found":
        """Return what both show."""
        both = {name: one.and_also(other.evidence[name]) for name, one in self.evidence.items()}
        return Found(both, self.done | other.done)

    def verdict(self, claim: Claim) -> ClaimVerdict:
        """Return the verdict on a claim."""
        return claim.verdict(self.evidence)

    def missing(self, claim: Claim) -> list[Run]:
        """Return the runs that could still decide a claim, the cheapest first; none if it is decided."""
        if self.verdict(claim).status in DECIDED:
            return []
        return sorted((run for run in claim.runs if run.key() not in self.done), key=core_hours)

    def record(self) -> dict[str, Any]:
        """Return it as JSON, without claims that have no evidence."""
        known = {name: asdict(one) for name, one in self.evidence.items() if one.best is not None}
        return {"evidence": known, "done": sorted(self.done)}

    @classmethod
    def of_rows(cls, rows: Iterable[Row], claims: Iterable[Claim]) -> "Found":
        """Return what these rows show of these claims."""
        claims = list(claims)
        cells = [claim for claim in claims if isinstance(claim, Accuracy)]
        wanted = {evaluated(claim.task) for claim in cells}
        by_task: dict[str, list[Row]] = {}
        keys = set()
        for row in rows:
            if row.has_outcome and not row.is_reply and row.is_current and evaluated(row.run.task) in wanted:
                by_task.setdefault(evaluated(row.run.task), []).append(row)
                keys.add(row.key)
        evidence = {claim.name: claim.evidence(by_task.get(evaluated(claim.task), ())) for claim in cells}
        return cls(evidence, frozenset(keys & {run.key() for claim in claims for run in claim.runs}))

    @classmethod
    def restore(cls, record: Mapping[str, Any], claims: Iterable[Claim]) -> "Found":
        """Return what `record` returned."""
        evidence = {claim.name: ClaimRows() for claim in claims if isinstance(claim, Accuracy)}
        for name, parts in record["evidence"].items():
            evidence[name] = ClaimRows(**{part: one and Trained(**one) for part, one in parts.items()})
        return cls(evidence, frozenset(record["done"]))


@cache
def _read(name: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(files("seqsep.lab.experiments.claims").joinpath(name).read_text(encoding="utf-8"))
    return read


def committed(claims: Iterable[Claim]) -> Found:
    """Return what the committed rows show."""
    return Found.restore(_read("evidence.json"), claims)


def shape(run: Run) -> str:
    """Return what decides how long a step of a run takes, as a name in costs.json.

    >>> from seqsep.tasks import IndexLookup
    >>> shape(Run(IndexLookup(50), ("lstm",) * 3, width=256))
    'lstm x 3, width 256, index-lookup, N = 50, batch 64'
    """
    kinds = {layer: run.layers.count(layer) for layer in dict.fromkeys(run.layers)}
    layers = " + ".join(f"{layer} x {count}" for layer, count in kinds.items())
    return f"{layers}, width {run.width}, {run.task.label()}, N = {run.task.length}, batch {run.batch}"


def core_hours(run: Run) -> float:
    """Return the hours of one core that a run takes to its last step, evaluations included, by the steps timed."""
    seconds: float = _read("costs.json")["core seconds a step"][shape(run)]
    return seconds * run.steps * (1 + evaluations(run)) / SECONDS_AN_HOUR


def gpu_hours(run: Run) -> float:
    """Return an estimate of the hours of one GPU that a run takes to its last step.

    A step takes 0.6 ms a layer to launch as one graph, and 1/200 of its time on a core. That is within a third of the four
    shapes that were timed on an H200 (results/gpu.json). Several small runs at once take less each.
    """
    seconds = LAUNCH_SECONDS * len(run.layers) + core_hours(run) * SECONDS_AN_HOUR / run.steps / CORES_OF_A_GPU
    return seconds * run.steps / SECONDS_AN_HOUR


def in_words(hours: float, of: str) -> str:
    """Return a duration with its unit.

    >>> in_words(0.051, "core"), in_words(0.5, "GPU"), in_words(1234.5, "core")
    ('3 core-minutes', '30 GPU-minutes', '1,234 core-hours')
    """
    minutes = max(1, round(60 * hours))
    if minutes < 60:
        return f"{minutes} {of}-minute{'' if minutes == 1 else 's'}"
    return f"{hours:.1f} {of}-hours" if hours < 10 else f"{hours:,.0f} {of}-hours"
