"""The runs that `seqsep run` trains: those of an experiment or of its part for --only, with a user's own parts in them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seqsep.core.names import BadInput, choose
from seqsep.lab.experiments import Reach, Search
from seqsep.lab.experiments.base import words_of
from seqsep.lab.pruning import siblings
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.models.mixers.settings import canonical_name
from seqsep.models.plugins.layer import UserLayer
from seqsep.models.plugins.model import UserModel, parse_layer
from seqsep.models.plugins.name import PlugIn, names_a_file
from seqsep.models.plugins.task import UserTask, own_task
from seqsep.tasks import BY_NAME as TASKS
from seqsep.tasks import Task
from seqsep.tasks.base import fields_given

Fields = Mapping[str, int | float | str]


@dataclass(frozen=True)
class Change:
    """The parts that replace a run's own; None leaves a part as it is.

    One layer replaces every layer, and several `layers` replace all of them. A model replaces them too and has its own
    positions. A task has the run's length unless its `fields` give one; without a task, they are those of the run's own. A run
    with a curriculum keeps it if its new task can have one.
    """

    layer: str | UserLayer | UserModel | None
    layers: tuple[str | UserLayer | UserModel, ...] | None
    task: type[Task] | PlugIn | None
    fields: Fields
    settings: Mapping[str, Any]

    def __call__(self, run: Run) -> Run:
        """Return the run with the changes."""
        changed = dict(self.settings)
        if self.layer is not None:
            depth = 1 if isinstance(self.layer, UserModel) else len(run.layers)
            changed["layers"] = (self.layer,) * depth
            if isinstance(self.layer, UserModel):
                changed.setdefault("positions", "default")
        if self.layers is not None:
            changed["layers"] = self.layers
        fields: dict[str, Any] = {"length": run.task.length, **self.fields}
        if isinstance(self.task, PlugIn):
            changed["task"] = own_task(self.task, fields)
        elif self.task is not None:
            changed["task"] = self.task(**fields)
        elif self.fields:
            changed["task"] = _with_fields(run.task, self.fields)
        if run.mixed_steps and "task" in changed and not _has_curriculum(changed["task"]):
            changed.setdefault("mixed_steps", 0)
        return replace(run, **changed)


def _has_curriculum(task: Task) -> bool:
    """Return True if a run can begin with mixed lengths of this task, which has them later no more."""
    try:
        return task.mixed() != task
    except ValueError:
        return False


def _with_fields(task: Task, given: Fields) -> Task:
    """Return the task with these fields in place of its own. Raises BadInput for a field that the task lacks."""
    if isinstance(task, UserTask):
        return own_task(task.source, {"length": task.length, **dict(task.options), **given})
    try:
        return replace(task, **fields_given(type(task), given))
    except ValueError as error:
        raise BadInput(f"{error} (try seqsep sample {task.name} --help)") from None


@dataclass(frozen=True)
class Replacements:
    """The parts on the command line that replace the parts of every run.

    Mixers, models and seeds are taken in turn; one task with its fields, one list of layers, and settings, of which None
    changes nothing.
    """

    mixers: Sequence[str]
    models: Sequence[str]
    task: str | None
    fields: Fields
    settings: Mapping[str, Any]
    layers: Sequence[str] | None = None
    seeds: Sequence[int | None] = (None,)

    def changes(self) -> list[Change]:
        """Return a change for each mixer, model and seed, or a single one without any of them.

        Raises BadInput or ValueError for a name that is not known, FileNotFoundError for a file that is not there.
        """
        layers: list[str | UserLayer | UserModel | None] = [_parsed(name) for name in self.mixers]
        layers += [UserModel.parse(name) for name in self.models]
        task: type[Task] | PlugIn | None = None
        if self.task is not None and names_a_file(self.task):
            task = PlugIn.parse(self.task)
            length = self.fields.get("length", 1)
            if not isinstance(length, int):
                raise BadInput(f"--task {self.task}: --length: expected a whole number, found {length!r}")
        elif self.task is not None:
            task = TASKS[choose("task", self.task, list(TASKS))]
            try:
                fields_given(task, self.fields)  # refuses a field that the task has not
            except ValueError as error:
                raise BadInput(f"{error} (try seqsep sample {task.name} --help)") from None
        whole = None if self.layers is None else tuple(map(_parsed, self.layers))
        settings = {name: value for name, value in self.settings.items() if value is not None}
        return [
            Change(
                layer=layer,
                layers=whole,
                task=task,
                fields=self.fields,
                settings=settings if seed is None else settings | {"seed": seed},
            )
            for layer in layers or [None]
            for seed in self.seeds
        ]


def _parsed(layer: str) -> str | UserLayer | UserModel:
    return parse_layer(layer) if names_a_file(layer) else canonical_name(layer)


@dataclass(frozen=True)
class ChosenRuns:
    """The first runs to train, each once, and the search that names further runs from their rows.

    Without a search there are no further runs.
    """

    first: list[Run]
    search: Search | Reach | None

    def estimated(self) -> tuple[list[Run], int, str]:
        """Return the runs that an estimate counts, how many more may follow from their rows, and the kind of bound that this
        is.
        """
        return (self.first, 0, "at most") if self.search is None else self.search.estimated()

    def competing(self) -> list[list[Run]]:
        """Return the groups of which pruning keeps the better half: grids of the search, or runs that differ in rate and
        heads.
        """
        return siblings(self.first) if self.search is None else self.search.grids

    def after(self, rows: Iterable[Row]) -> list[Run]:
        """Return all runs that can be named once these rows are known."""
        return self.first if self.search is None else self.search.runs(rows)


def choose_runs(
    grid: Sequence[Run], search: Search | Reach | None, only: Sequence[str], changes: Sequence[Change]
) -> ChosenRuns:
    """Return the runs of a preset that a pattern of `only` chooses, under each of the changes; all runs without a pattern.

    `grid` are the preset's runs, which `search` starts from if there is one.
    """
    known = grid if search is None else search.choices()
    is_wanted = chosen_by(only, known) if only else lambda run: True
    if search is None:
        changed = [change(run) for change in changes for run in grid if is_wanted(run)]
        return ChosenRuns(list(dict.fromkeys(changed)), None)
    search = search.only(is_wanted).changed(*changes)
    return ChosenRuns(list(dict.fromkeys(search.runs())), search)


def chosen_by(patterns: Sequence[str], runs: Sequence[Run]) -> Callable[[Run], bool]:
    """Return the test of a run: True if it has every word of one of the patterns. Commas separate the words of a pattern.

    Raises BadInput for a pattern that chooses none of `runs`.
    """
    known = [words_of(run) for run in runs]
    wanted = [[word.strip() for word in pattern.split(",")] for pattern in patterns]
    for pattern, needed in zip(patterns, wanted, strict=True):
        if not any(set(needed) <= set(words) for words in known):
            raise BadInput(f"--only {pattern}: expected words of a run, found {_misfit(needed, known)}")
    return lambda run: any(set(needed) <= set(words_of(run)) for needed in wanted)


def _misfit(needed: Sequence[str], known: Sequence[Sequence[str]]) -> str:
    """Return the reason why words choose no run: no run has one of them, or no single run has all of them."""
    every_word = list(dict.fromkeys(word for words in known for word in words))
    strange = [word for word in needed if word not in every_word]
    if strange:
        return f"{strange[0]!r}, which is none of {', '.join(every_word)}"
    return "words that no run has together"
