"""Sweeps of the reader's store: how far each one is, its heat maps, and its runs.

A page reads a copy of the store, so it writes nothing to the store or next to it. No code of the reader's own layers runs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from seqsep.commands.explore.forms import whole_between
from seqsep.commands.explore.pages.heat_map import HeatMap, heat_map
from seqsep.commands.explore.visit import PageContent, Visit
from seqsep.commands.stored_rows import StoredExperiment, by_experiment
from seqsep.core.names import BadInput, excerpt, text_of
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.labels import labels
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.run_labels import read_labels
from seqsep.lab.store.driver_lock import is_driven
from seqsep.lab.store.store import Store
from seqsep.report.any_task import runs_by_task
from seqsep.report.experiment_table import experiment_table
from seqsep.report.result_table import ResultTable

OF_MANY_TASKS = ("claims", "language-classes")
"""Experiments of many tasks: each task has a heat map of its own, as in a sweep of the reader's own."""
MOST_LINES = 40


@dataclass(frozen=True)
class KnownPreset:
    """A preset with the runs that are known so far, by key. `may_grow`: further runs follow from the rows of a search."""

    preset: str
    runs: Mapping[str, Run]
    may_grow: bool


@dataclass(frozen=True)
class PresetProgress:
    """A preset of which the store has runs: the number of those that have ended, and of all that are known so far."""

    preset: str
    ended: int
    total: int
    may_grow: bool


@dataclass(frozen=True)
class RunUnderWay:
    """A run without a row: its label, the step of its last checkpoint, and its steps."""

    label: str
    step: int
    steps: int


@dataclass(frozen=True)
class SweepProgress:
    """A sweep: its counts of rows, its presets, and its runs under way, of which the page shows the first 40."""

    name: str
    counts: Mapping[str, int]
    presets: tuple[PresetProgress, ...]
    under_way: tuple[RunUnderWay, ...]
    failures: tuple[tuple[str, str, str], ...]

    @property
    def words(self) -> str:
        """The counts in words.

        >>> SweepProgress("trial", {"finished": 2, "pruned": 0, "failed": 1}, (), (), ()).words
        '2 finished, 1 failed'
        """
        return ", ".join(f"{number:,} {word}" for word, number in self.counts.items() if number or word == "finished")


@dataclass(frozen=True)
class ShownStore:
    """The sweeps of a store. `unknown` is the number of checkpoints of runs that are of no known preset."""

    path: Path
    sweeps: tuple[SweepProgress, ...]
    unknown: int
    is_driven: bool


@dataclass(frozen=True)
class StoredRows:
    """The rows of a store, the steps of its checkpoints by key, and its labels."""

    path: Path
    rows: tuple[Row, ...]
    steps: Mapping[str, int]
    labels: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> "StoredRows":
        """Return what a copy of the store holds. Raises StoreError and OSError."""
        with Store(path, create=False, copied=True) as store:
            return cls(path, tuple(store.rows()), store.steps(), read_labels(path))

    def of(self, sweep: str) -> list[Row]:
        """Return the rows of a sweep."""
        return [row for row in self.rows if row.experiment == sweep]


def sweeps_of(path: str) -> tuple[ShownStore | None, str]:
    """Return the sweeps of a store, and why they cannot be shown. Both are empty without a store."""
    if not path:
        return None, ""
    try:
        return shown_store(StoredRows.read(Path(path))), ""
    except (ValueError, OSError) as error:
        return None, text_of(error)


def shown_store(stored: StoredRows) -> ShownStore:
    """Return the sweeps of a store with their progress."""
    counted = by_experiment(stored.rows, stored.labels)
    presets = {name: _presets(name, stored) for name in counted}
    found = tuple(_progress(name, counted[name], stored, presets[name]) for name in counted)
    known = {key for of_sweep in presets.values() for one in of_sweep for key in one.runs}
    return ShownStore(stored.path, found, len(stored.steps.keys() - known), is_driven(stored.path))


def _progress(name: str, counted: StoredExperiment, stored: StoredRows, known: Sequence[KnownPreset]) -> SweepProgress:
    """Return how far a sweep is. A run counts as under way if it has a checkpoint and no outcome."""
    ended = {row.key for row in stored.of(name) if row.has_outcome}
    presets = []
    waiting: dict[str, Run] = {}
    for one in known:
        done = len(ended & one.runs.keys())
        under_way = {key: run for key, run in one.runs.items() if key in stored.steps and key not in ended}
        if done or under_way:
            presets.append(PresetProgress(one.preset, done, len(one.runs), one.may_grow))
        waiting |= under_way
    names = labels(waiting.values())
    lines = tuple(RunUnderWay(names[run], stored.steps[key], run.steps) for key, run in waiting.items())
    return SweepProgress(name, counted.counts, tuple(presets), lines, failures=tuple(counted.failures[:MOST_LINES]))


def _presets(name: str, stored: StoredRows) -> list[KnownPreset]:
    """Return the presets of an experiment that explain its rows and the checkpoints; none for a sweep of the reader's own.

    The large grids come last, and are made only if other presets leave a run unexplained.
    """
    if name not in BY_NAME:
        return []
    experiment = BY_NAME[name]
    rows = [row for row in stored.of(name) if row.is_current and not row.is_reply]
    left = {row.key for row in rows} | stored.steps.keys()
    found = []
    for preset in sorted(experiment.presets, key=lambda one: one.endswith("grid")):
        if not left:
            break
        search = experiment.search(preset)
        runs = {run.key(): run for run in (experiment.runs(preset) if search is None else search.runs(rows))}
        found.append(KnownPreset(preset, runs, search is not None))
        left -= runs.keys()
    return found


def sweep_content(visit: Visit) -> PageContent:
    """Return the page of a sweep of the store. Raises BadInput for one that the store does not have."""
    path = Path(visit.store)
    try:
        stored = StoredRows.read(path)
    except OSError as error:
        raise BadInput(text_of(error)) from None
    counted = by_experiment(stored.rows, stored.labels)
    name = visit.asked("sweep")
    if name not in counted:
        raise BadInput(f"sweep: expected one of the store {path.name}, found {excerpt(repr(name))}")
    tables = tables_of(name, [row for row in stored.of(name) if row.is_current], stored.labels)
    chosen = whole_between("table", visit.asked("table", "0"), 0, max(0, len(tables) - 1))
    maps: list[tuple[str, HeatMap]] = []
    error_of_cell = ""
    for number, (title, table) in enumerate(tables):
        found, wrong = heat_map(table, visit if number == chosen else Visit())
        maps.append((title, found))
        error_of_cell = error_of_cell or wrong
    known = BY_NAME[name].question if name in BY_NAME else ""
    values = {
        "sweep": _progress(name, counted[name], stored, _presets(name, stored)),
        "store": path.name,
        "question": known,
        "maps": maps,
        "is_driven": is_driven(path),
        "most": MOST_LINES,
    }
    command = f"seqsep store {quote(visit.store)}"
    return PageContent(f"Sweep {name}", "sweep.html", values, error=error_of_cell, command=command)


def tables_of(name: str, rows: Sequence[Row], known_labels: Mapping[str, str]) -> list[tuple[str, ResultTable]]:
    """Return the tables of a sweep with their titles: one for an experiment of one task, else one for each task."""
    ended = [row for row in rows if row.has_outcome and not row.is_reply]
    if name in BY_NAME and name not in OF_MANY_TASKS:
        table = experiment_table(BY_NAME[name], ended, known_labels).legible
        return [("Accuracy by model and length", table)] if table.cells else []
    return [(one.title, one.table.legible) for one in runs_by_task(name, ended, known_labels)]
