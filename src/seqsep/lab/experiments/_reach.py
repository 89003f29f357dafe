"""The search of the presets `length-scaling`: the length up to which each architecture learns, with learned positions or none.

A contender is an architecture under one choice of positions. At the first length it is trained at every rate and embedding
scale of a grid, then at further rates. Whoever does not pass `GOAL` there gets more steps for the best two; whoever does
continues with the next length, with its best rate and the one below. At the end a larger model is tried where the first one
stayed below the goal, the better of its two rates with more steps too, and the lengths after it are tried once, so that the
fall can be seen.

The stages follow from rows, one after the other, each for all contenders (`Reach.runs`): a sweep that is killed at any time
leaves whole tables of the shortest lengths first, and resumes where it was. A contender's runs follow from its own rows alone,
so that `--only` of some of them trains the same runs, sooner.

Successive halving keeps the better half at parts of the same run; here the better runs begin again with more steps, so that
every row is of a run that has ended, at a number of steps that it shares with its competitors.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from seqsep.lab.experiments._search import Results
from seqsep.lab.row import PRUNED, Row, rank_of
from seqsep.lab.run import Run
from seqsep.models.mixers.settings import mixer_named
from seqsep.tasks import Task

GOAL = 0.99
"""A length is learned from this accuracy on."""

RATES = (3e-4, 1e-3, 3e-3)
OUTER_RATES = (1e-4, 1e-2)
SCALES = (0.3, 0.1, 0.02)
LONG_STEPS = 60_000

CHEAPEST_FIRST = (
    "attention",
    "sliding-attention",
    "linear-attention",
    "retention",
    "lstm",
    "dss",
    "mamba2",
    "gated-delta",
    "rwkv7",
    "mamba",
)
"""The mixers by the time of a step, so that a sweep that is killed leaves many rows.

Mixers that are added later are not in these sweeps, whose rows are committed.
"""

Outcome = Callable[[Run], Mapping[str, Any]]
"""The result of a run that is known to have one."""


@dataclass(frozen=True)
class Level:
    """A length: its task, the steps of the first runs, those of the best of them, and the embedding scales tried.

    Without scales it is tried with the best one of the length before.
    """

    task: Task
    steps: int
    longer: int
    scales: tuple[float, ...] = ()


@dataclass(frozen=True)
class Contender:
    """An architecture under one choice of positions, as a run whose task, rate, scale and steps are replaced.

    `larger` is the model that is tried at the length, of the first two, at which this one stays below the goal.
    """

    run: Run
    larger: Run | None = None


@dataclass(frozen=True)
class Reach:
    """Contenders on their way up the levels; `long_steps` are those of the last attempts at the first level, 0 for none.

    It can replace a `Search`: it has the same methods.

    >>> from seqsep.tasks import IndexLookup
    >>> lstm = Contender(Run(IndexLookup(5), ("lstm",), width=8))
    >>> reach = Reach((lstm,), (Level(IndexLookup(5), steps=100, longer=400, scales=(0.3,)),))
    >>> [(run.learning_rate, run.steps) for run in reach.runs()]
    [(0.0003, 100), (0.001, 100), (0.003, 100)]
    >>> len(reach.if_none_learns())
    7
    """

    contenders: tuple[Contender, ...]
    levels: tuple[Level, ...]
    rates: tuple[float, ...] = RATES
    outer_rates: tuple[float, ...] = OUTER_RATES
    seeds: int = 3
    long_steps: int = 0

    def runs(self, rows: Iterable[Row] = ()) -> list[Run]:
        """Return the runs that can be named so far, stage by stage. Without rows these are the runs of the first stage."""
        results: Results = {row.key: row.result for row in rows if row.has_outcome}
        known: dict[Run, Mapping[str, Any]] = {}
        named: list[Run] = []
        for stage in self._stages(known.__getitem__):
            named += stage
            found = {run: results.get(run.key()) for run in stage}
            if None in found.values():
                break
            known |= {run: result for run, result in found.items() if result is not None}
        return list(dict.fromkeys(named))

    def if_none_learns(self) -> list[Run]:
        """Return the runs if none passes any level. A run that passes stops early, and its contender continues with longer
        inputs.
        """
        middle = self.rates[len(self.rates) // 2]

        def outcome(run: Run) -> Mapping[str, Any]:
            return {"status": "finished", "accuracy": GOAL / 2 * (run.learning_rate == middle), "steps": run.steps}

        return list(dict.fromkeys(run for stage in self._stages(outcome) for run in stage))

    def _stages(self, outcome: Outcome) -> Iterator[list[Run]]:
        """Yield the runs of each stage, of all contenders together; `outcome` knows those of the stages before."""
        ways = [self._way(contender, outcome) for contender in self.contenders]
        for parts in zip(*ways, strict=True):
            yield [run for part in parts for run in part]

    def _way(self, contender: Contender, outcome: Outcome) -> Iterator[list[Run]]:
        """Yield one contender's runs by stage. Every contender has equally many stages, some of them empty."""
        best = contender.run
        passed = 0
        for place, level in enumerate(self.levels):
            if passed < place:
                yield from ([], [], [], [])
                continue
            tried = self._grid(level, best, is_first=place == 0)
            yield tried
            best = _best(tried, outcome)
            outer = [replace(best, learning_rate=rate) for rate in self.outer_rates if place == 0]
            yield outer
            tried += outer
            best = _best(tried, outcome)
            longer = [] if _passes(best, outcome) else self._longer(tried, level, outcome)
            yield longer
            best = _best([best, *longer], outcome)
            passes = _passes(best, outcome)
            yield self._repeated(best) if passes else []
            passed += passes
        yield from self._end(contender, best, passed, outcome)

    def _end(self, contender: Contender, best: Run, passed: int, outcome: Outcome) -> Iterator[list[Run]]:
        """Yield the stages left for a contender that has not passed every level, at its first failure and after it."""
        small = best
        larger = self._larger(contender, best, self.levels[passed]) if passed < min(2, len(self.levels)) else []
        yield larger
        is_short = bool(larger) and not _passes(_best(larger, outcome), outcome)
        longer = [_at(_best(larger, outcome), self.levels[passed].task, self.levels[passed].longer)] if is_short else []
        yield longer
        larger += longer
        best = _best([best, *larger], outcome)
        yield self._repeated(best) if best in larger and _passes(best, outcome) else []
        for place, level in enumerate(self.levels[1:3], start=1):  # one run each, for the fall to be seen
            yield [_at(best, level.task, level.steps)] if place > passed else []
        is_last = self.long_steps > 0 and passed == 0
        last = [_at(small, self.levels[0].task, self.long_steps)] if is_last else []
        yield last
        yield self._repeated(_best([small, *last], outcome)) if is_last else []

    def _grid(self, level: Level, best: Run, is_first: bool) -> list[Run]:
        """Return the first runs at a level: every rate and scale at the first level, else the best rate so far and the one
        below.
        """
        rates = sorted({*self.rates, *self.outer_rates})
        place = 0 if is_first else rates.index(best.learning_rate)
        chosen = self.rates if is_first else rates[max(0, place - 1) : place + 1]
        scales = level.scales or (best.embedding_scale,)
        return [
            replace(_at(best, level.task, level.steps), learning_rate=rate, embedding_scale=scale)
            for scale in scales
            for rate in chosen
        ]

    def _longer(self, tried: Sequence[Run], level: Level, outcome: Outcome) -> list[Run]:
        """Return the best two runs, with more steps."""
        ranked = sorted(tried, key=partial(_rank, outcome), reverse=True)
        return [_at(run, level.task, level.longer) for run in ranked[:2]]

    def _larger(self, contender: Contender, best: Run, level: Level) -> list[Run]:
        """Return the larger model at the best rate and scale, and at the rate below."""
        if contender.larger is None:
            return []
        larger = replace(contender.larger, embedding_scale=best.embedding_scale)
        below = max((rate for rate in (*self.rates, *self.outer_rates) if rate < best.learning_rate), default=None)
        rates = [best.learning_rate] if below is None else [best.learning_rate, below]
        return [replace(_at(larger, level.task, level.steps), learning_rate=rate) for rate in rates]

    def _repeated(self, best: Run) -> list[Run]:
        """Return the best run with the other seeds."""
        return [replace(best, seed=seed) for seed in range(1, self.seeds)]

    @property
    def grids(self) -> list[list[Run]]:
        """The first stage by contender: what competes if runs are pruned."""
        return [self._grid(self.levels[0], contender.run, is_first=True) for contender in self.contenders]

    @property
    def cells(self) -> tuple[tuple[Contender, Level], ...]:
        """The cells of the figure."""
        return tuple((contender, level) for level in self.levels for contender in self.contenders)

    @property
    def size(self) -> int:
        """The number of runs of the first stage."""
        return len(self.runs())

    @property
    def further(self) -> int:
        """The number of runs that the later stages add if none learns."""
        return len(self.if_none_learns()) - self.size

    def changed(self, *changes: Callable[[Run], Run]) -> "Reach":
        """Return the same search of other runs: each contender under each change, equal ones once, and a changed task at each
        length.
        """
        contenders = [
            Contender(change(contender.run), None if contender.larger is None else change(contender.larger))
            for change in changes
            for contender in self.contenders
        ]
        change = changes[0]
        levels = [replace(level, task=change(replace(self.contenders[0].run, task=level.task)).task) for level in self.levels]
        return replace(self, contenders=tuple(dict.fromkeys(contenders)), levels=tuple(levels))

    def only(self, wanted: Callable[[Run], bool]) -> "Reach":
        """Return the same search of the wanted contenders and scales, up to the last wanted level. A part is wanted if one of
        its runs is.

        The levels before are the way there.
        """
        kept = {cell: [run for run in self._sizes(*cell) if wanted(run)] for cell in self.cells}
        cells = [cell for cell, runs in kept.items() if runs]
        contenders = tuple(contender for contender in self.contenders if any(contender == chosen for chosen, _ in cells))
        last = max(self.levels.index(level) for _, level in cells)
        scales = {run.embedding_scale for runs in kept.values() for run in runs}
        levels = [
            replace(level, scales=tuple(scale for scale in level.scales if scale in scales))
            for level in self.levels[: last + 1]
        ]
        return replace(self, contenders=contenders, levels=tuple(levels))

    def choices(self) -> list[Run]:
        """Return the choices of `--only`: each contender at each level in each of its sizes, at each embedding scale."""
        return [run for cell in self.cells for run in self._sizes(*cell)]

    def _sizes(self, contender: Contender, level: Level) -> list[Run]:
        """Return the runs of a cell that --only can choose: its two sizes at the scales of every level."""
        sizes = [contender.run] if contender.larger is None else [contender.run, contender.larger]
        scales = dict.fromkeys(scale for each in self.levels for scale in each.scales) or [contender.run.embedding_scale]
        return [replace(run, task=level.task, embedding_scale=scale) for run in sizes for scale in scales]

    def estimated(self) -> tuple[list[Run], int, str]:
        """Return the counts of an estimate: the runs if none learns, no further ones, and a note on that."""
        return self.if_none_learns(), 0, "if no run learns,"


def contenders(task: Task, *, names: Sequence[str] = CHEAPEST_FIRST, depth: int = 1, **fields: Any) -> tuple[Contender, ...]:
    """Return each mixer with learned positions, then each mixer whose paper has none, with its default positions.

    `depth` layers of width 64, then two of width 128, the LSTM three of width 256; `fields` are those of every run.
    """
    chosen = []
    for positions in ("learned", "default"):
        for name in names:
            if positions == "default" and mixer_named(name).block.positions == "learned":
                continue
            shared = {"positions": positions, "target": 0.999} | fields
            layers, width = (3, 256) if name == "lstm" else (2, 128)
            larger = Run(task, (name,) * layers, width, **shared)
            chosen.append(Contender(Run(task, (name,) * depth, width=64, **shared), larger))
    return tuple(chosen)


def _at(run: Run, task: Task, steps: int) -> Run:
    """Return a run on a task with `steps` steps, evaluated every 250 steps or about 60 times."""
    return replace(run, task=task, steps=steps, evaluate_every=max(250, -(-steps // 60 // 250) * 250))


def _rank(outcome: Outcome, run: Run) -> tuple[bool, tuple[float, int, float]]:
    """Return the rank of a run among others: the best one is greatest, and a pruned one is below all that have ended."""
    result = outcome(run)
    return result["status"] != PRUNED, rank_of(run, result)


def _best(runs: Sequence[Run], outcome: Outcome) -> Run:
    return max(runs, key=partial(_rank, outcome))


def _passes(run: Run, outcome: Outcome) -> bool:
    result = outcome(run)
    return result["status"] in ("converged", "finished") and result["accuracy"] >= GOAL
