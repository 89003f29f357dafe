"""The runs of the demo, fresh and committed, and the one that represents a model on a task."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from seqsep.lab.row import Row
from seqsep.lab.run_labels import NO_LABELS, Labels
from seqsep.report.measured import RunSummary, by_accuracy, by_speed
from seqsep.report.sized_model import SizedModel, in_places
from seqsep.tasks import Task

Cells = dict[tuple[Task, SizedModel], list[RunSummary]]


@dataclass(frozen=True)
class DemoRuns:
    """The runs of this demo (`fresh`, one seed) and the committed ones (all rates and seeds); either may be empty.

    `own`: the committed ones are the reader's, and nothing calls them committed.

    One run represents a model on a task: the best of the fresh ones over the learning rates. If none was made, it is the best
    committed one under the least seed.
    """

    fresh: tuple[RunSummary, ...] = ()
    committed: tuple[RunSummary, ...] = ()
    own: bool = False

    def __post_init__(self) -> None:
        placed = in_places(run.model for run in self.all)
        for name in ("fresh", "committed"):
            runs = [(run, placed[run.model]) for run in getattr(self, name)]
            shown = (run if run.model.place == model.place else replace(run, model=model) for run, model in runs)
            object.__setattr__(self, name, tuple(shown))

    @classmethod
    def of_rows(
        cls, fresh: Iterable[Row], committed: Iterable[Row], labels: Labels = NO_LABELS, *, own: bool = False
    ) -> "DemoRuns":
        """Return the runs of the rows that ended, under the reader's labels."""
        return cls(
            fresh=tuple(RunSummary.of(row, labels) for row in fresh if row.finished),
            committed=tuple(RunSummary.of(row, labels) for row in committed if row.finished),
            own=own,
        )

    @property
    def all(self) -> tuple[RunSummary, ...]:
        """The fresh runs, then the committed ones."""
        return self.fresh + self.committed

    @cached_property
    def _cells(self) -> tuple[Cells, Cells]:
        """The fresh runs of each task and model, and the committed ones: found once, as a page asks for each cell often."""
        fresh: Cells = {}
        committed: Cells = {}
        for cells, runs in ((fresh, self.fresh), (committed, self.committed)):
            for run in runs:
                cells.setdefault((run.task, run.model), []).append(run)
        return fresh, committed

    def tasks(self, kind: type[Task]) -> list[Task]:
        """Return the trained tasks of a kind, shortest first."""
        trained = {task for cells in self._cells for task, _ in cells if isinstance(task, kind)}
        return sorted(trained, key=lambda task: (task.length, repr(task)))

    def models(self, tasks: Iterable[Task]) -> list[SizedModel]:
        """Return the models that were trained on any of these tasks, in the order of every table."""
        wanted = set(tasks)
        trained = {model for cells in self._cells for task, model in cells if task in wanted}
        return sorted(trained, key=lambda model: model.rank)

    def committed_of(self, task: Task, model: SizedModel) -> list[RunSummary]:
        """Return the committed runs of a model on a task: all rates and seeds."""
        return self._cells[1].get((task, model), [])

    def candidates(self, task: Task, model: SizedModel) -> list[RunSummary]:
        """Return one seed's runs, one per learning rate: this demo's if there are any."""
        for cells in self._cells:
            same = cells.get((task, model), [])
            if same:
                least = min(run.seed for run in same)
                return [run for run in same if run.seed == least]
        return []

    def best(self, task: Task, model: SizedModel) -> RunSummary | None:
        """Return the run with the highest accuracy."""
        return max(self.candidates(task, model), key=by_accuracy, default=None)

    def fastest(self, task: Task, model: SizedModel) -> RunSummary | None:
        """Return the run that reached 99 % first or, if none did, the one with the highest accuracy."""
        return max(self.candidates(task, model), key=by_speed, default=None)

    def each_seed(
        self, task: Task, model: SizedModel, better: Callable[[RunSummary], tuple[float, ...]] = by_accuracy
    ) -> list[RunSummary]:
        """Return the best committed run of each seed over the learning rates."""
        of_seed: dict[int, list[RunSummary]] = {}
        for run in self.committed_of(task, model):
            of_seed.setdefault(run.seed, []).append(run)
        return [max(runs, key=better) for _, runs in sorted(of_seed.items())]
