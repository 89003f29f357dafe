"""A sweep: many runs, trained by an engine, each stored as it ends. What the store holds already is not trained again.

Runs start in the given order (put the long ones first to keep every core busy to the end). The rows do not depend on the
order, on the number of workers, or on how often the sweep was killed and started again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from seqsep.core.names import printable, whole_arguments
from seqsep.lab.device import but_for_processor
from seqsep.lab.engines.engine import Ended, Engine, Heartbeat, JobProgress, Saved, usable_cores
from seqsep.lab.engines.job import Job
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.kept import require_named_run
from seqsep.lab.progress import Display
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.place import StoreUnavailable
from seqsep.lab.store.store import Store
from seqsep.lab.train import PAUSED

NO_PAUSES: Mapping[Run, int] = MappingProxyType({})

Later = Callable[[Mapping[Run, int]], Mapping[Run, float]]
"""Of a call of `Sweep.train` with these pauses: the steps that the calls after it may take, by run."""


def nothing_later(pauses: Mapping[Run, int]) -> Mapping[Run, float]:
    """Return no later steps: no call follows.

    >>> nothing_later({})
    {}
    """
    return {}


@whole_arguments
def sweep(
    runs: Iterable[Run],
    store: Store,
    experiment: str,
    *,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Display | None = None,
    on_row: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Train the runs that `store` does not hold finished; return one row per run, in the order given.

    The engine is by default `local`, with as many `workers` as this process may use cores. `on_row` is called with each row
    that is trained here, after it is on disk. Raises what `Sweep` and `Sweep.train` raise.

    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from seqsep.lab.device import environment
    >>> from seqsep.tasks import IndexLookup
    >>> run = Run(IndexLookup(length=5), ("lstm",), width=8)
    >>> result = {"status": "finished", "steps": 0, "accuracy": 0.0, "best_accuracy": 0.0, "curve": []}
    >>> result |= {"state_bits": [512, 0], "parameters": 684}
    >>> row = Row("trial", run.key(), run.configuration(), result, environment())
    >>> with Store(Path(mkdtemp()) / "store.db") as store:
    ...     with store.driving():
    ...         store.record(row, seconds=0.1, attempts=1)
    ...     sweep([run], store, "trial") == [row]  # the store holds it: nothing is trained
    True
    """
    chosen = engine or Supervisor(usable_cores() if workers is None else workers)
    display = progress or Display()
    with Sweep(store, experiment, engine=chosen, show=lambda: display, on_row=on_row) as opened:
        return opened.train(runs)


class Sweep:
    """The runs of one experiment in one store, trained by one engine whose workers serve every call of `train`.

    While its context is open, it is the one driver that writes to the store; leaving it stops the engine at once. Entering it
    raises StoreUnavailable while another sweep drives the store, and EngineUnavailable. Each call of `train` shows what it does
    on a display that `show` makes; it hears from `later`, which may be set between calls, what the calls after this one may
    add. The model of each run is kept in the folder `weights`, if one is given, as KEY.safetensors (`seqsep.load`); a run that
    the store holds without it is trained again.
    """

    def __init__(
        self,
        store: Store,
        experiment: str,
        engine: Engine,
        *,
        show: Callable[[], Display] = Display,
        on_row: Callable[[Row], None] | None = None,
        weights: Path | None = None,
    ) -> None:
        self.store = store
        self.experiment = experiment
        self.engine = engine
        self.show = show
        self.on_row = on_row
        self.weights = weights
        self.later: Later = nothing_later
        self.environment: dict[str, Any] = {}
        self._opened = ExitStack()

    def __enter__(self) -> "Sweep":
        with ExitStack() as stack:
            stack.enter_context(self.store.driving())
            stack.enter_context(self.engine)
            self.environment = self.engine.environment()
            self._opened = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._opened.__exit__(kind, error, trace)

    def train(self, runs: Iterable[Run], pauses: Mapping[Run, int] = NO_PAUSES) -> list[Row]:
        """Train the runs that the store does not hold finished; return one row per run, in the order given.

        A run is found in the store by its key and the environment: one that was trained under another version of torch is
        trained again, and its row replaced. One that another processor trained is kept, and its row names that processor.
        One that another experiment trained is taken over. A run that failed here (`row.finished` is False: its workers died
        or it raised) is recorded and tried again by the next call only; a loss that is not finite is an outcome like any
        other; one that was pruned is trained to its end. A run with a checkpoint of the same environment, processor included,
        continues from there, bit for bit. One that has not ended by the step that `pauses` has for it stops there: its row,
        `paused` with the curve so far, is returned and not recorded, and it waits as a checkpoint.

        Raises ValueError if the file of a kept model has another run, StoreUnavailable if the disk is full (what was reported
        until then is on disk), and EngineUnavailable.
        """
        keyed = [(run.key(), run) for run in runs]
        rows = {key: row for key in dict(keyed) if (row := self._held(key)) is not None}
        missing = {key: run for key, run in keyed if key not in rows}
        notes: list[str] = []
        saved = {key: self.store.checkpoint(key, self.environment, notes.append) or (0, ()) for key in missing}
        jobs = [
            Job(run, self.store.checkpoint_path(key), saved[key][1], until=pauses.get(run), keep=self._weights_of(key))
            for key, run in missing.items()
        ]
        with closing(self.show()) as display:
            display.pauses = pauses
            display.starts = {run: saved[key][0] for key, run in missing.items() if saved[key][0]}
            display.later = self.later(pauses)
            display.begin(list(missing.values()), finished=len(rows))
            for note in notes:
                display.note(note)
            for row in self._ended(jobs, list(missing), display):
                rows[row.key] = row
        return [rows[key] for key, _ in keyed]

    def _held(self, key: str) -> Row | None:
        """Return the finished row of a run in the store. A row of another experiment is recorded for this one as well."""
        kept = self._weights_of(key)
        if kept is not None:
            if not kept.exists():
                return None
            require_named_run(kept)
        here = but_for_processor(self.environment)
        finished = {
            row.experiment: row for row in self.store.get(key) if row.finished and but_for_processor(row.environment) == here
        }
        if self.experiment in finished or not finished:
            return finished.get(self.experiment)
        taken_over = replace(next(iter(finished.values())), experiment=self.experiment)
        self.store.record(taken_over, seconds=0.0, attempts=0)
        return taken_over

    def _weights_of(self, key: str) -> Path | None:
        """Return the file of a run's model, if it is kept."""
        return None if self.weights is None else self.weights / f"{key}.safetensors"

    def _ended(self, jobs: Sequence[Job], keys: Sequence[str], display: Display) -> Iterator[Row]:
        """Let the engine do the jobs, record and show what it reports. The row of each run comes as it ends or pauses."""
        for event in self.engine.run(jobs):
            match event:
                case Heartbeat():
                    display.tick()
                case JobProgress(job=job, worker=worker, step=step, accuracy=accuracy):
                    display.update(worker, jobs[job].run, step, accuracy)
                case Saved(job=job, step=step, digests=digests):
                    self.store.record_checkpoint(keys[job], step, digests, self.environment)
                case Ended(result={"unavailable": reason}):
                    raise StoreUnavailable(reason)
                case Ended(job=job, result=result, seconds=seconds, attempts=attempts, processor=processor):
                    run = jobs[job].run
                    here = self.environment if processor is None else but_for_processor(self.environment) | processor
                    row = _possible(Row(self.experiment, keys[job], run.configuration(), result=result, environment=here))
                    if row.status != PAUSED:
                        self.store.record(row, seconds, attempts)
                    display.finish(run, row.result, seconds)
                    if row.status != PAUSED and self.on_row is not None:
                        self.on_row(row)
                    yield row


def _possible(row: Row) -> Row:
    """Return the row, or a failed one if no run can have its result: the loss and score of a user's own task may be any number.

    The text of a failure may be a user's or Ray's; a row has it in one line without control characters.
    """
    status = row.status
    if status == PAUSED:
        return row
    if row.has_outcome:
        try:
            row.require_possible()
        except ValueError as error:
            status = f"failed: {error}"
        else:
            return row
    return replace(row, result={"status": printable(" ".join(status.split()), kept="")})
