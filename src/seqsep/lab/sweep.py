"""A sweep: many runs, trained by the engine, each stored as it ends; what the store holds already is not trained again.

Runs start in the given order (put the long ones first to keep every core busy to the end). The rows do not depend on the
order, on the number of workers, or on how often the sweep was killed and started again.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack

from seqsep.lab.engines.engine import STALL_SECONDS, Ended, Engine, Moved, Saved, usable_cores
from seqsep.lab.engines.job import Job
from seqsep.lab.engines.local import Supervisor
from seqsep.lab.progress import Display
from seqsep.lab.row import Row
from seqsep.lab.run import Run
from seqsep.lab.store.store import Store, StoreUnavailable
from seqsep.lab.train import PAUSED


def sweep(
    runs: Iterable[Run],
    store: Store,
    experiment: str,
    workers: int | None = None,
    progress: Display | None = None,
    on_row: Callable[[Row], None] | None = None,
    stall_seconds: float = STALL_SECONDS,
    engine: Engine | None = None,
    pauses: Mapping[Run, int] | None = None,
) -> list[Row]:
    """Train the runs that `store` does not hold finished; returns one row per run, in the order given.

    A run is found in the store by its key and the environment: one that was trained under another version of torch is trained
    again, and its row replaced. One that another experiment trained is taken over. A run that failed here (`row.finished` is
    False: its workers died or it raised) is recorded and tried again by the next sweep only; a loss that is not finite is an
    outcome like any other; one that was pruned is trained to its end. A run with a checkpoint of the same environment continues
    from there, bit for bit. One that has not ended by the step that `pauses` has for it stops there: its row, `paused` with
    the curve so far, is returned and not recorded, and it waits as a checkpoint.
    `on_row` is called with each row that is trained here, after it is on disk. The engine is by default `local`, with as many
    `workers` as this process may use cores; a run that makes no progress for `stall_seconds` has failed. An engine that is
    given has these two of its own. Raises StoreUnavailable while another sweep drives this store, and where the disk is full
    (what was reported until then is on disk), and EngineUnavailable.
    """
    runs = list(runs)
    keys = [run.key() for run in runs]
    pauses = pauses or {}
    rows: dict[str, Row] = {}
    waiting: dict[str, Run] = {}
    display = progress or Display()
    with ExitStack() as stack:
        stack.enter_context(store.driving())
        engine = stack.enter_context(engine or Supervisor(usable_cores() if workers is None else workers, stall_seconds))
        here = engine.environment()
        for key, run in dict(zip(keys, runs, strict=True)).items():
            found = {row.experiment: row for row in store.get(key) if row.finished and row.environment == here}
            if experiment in found:
                rows[key] = found[experiment]
            elif found:
                rows[key] = Row(experiment, key, run.configuration(), next(iter(found.values())).result, here)
                store.record(rows[key], seconds=0.0, attempts=0)
            else:
                waiting[key] = run
        jobs: list[Job] = []
        notes: list[str] = []
        for key, run in waiting.items():
            checkpoint = store.checkpoint(key, here, notes.append)
            jobs.append(Job(run, store.checkpoint_path(key), checkpoint[1] if checkpoint else None, pauses.get(run)))
        stack.callback(display.close)
        display.pauses = pauses
        display.begin([job.run for job in jobs], finished=len(rows))
        for note in notes:
            display.note(note)
        order = list(waiting)
        for event in engine.run(jobs):
            key, run = order[event.job], jobs[event.job].run
            match event:
                case Moved(worker=worker, step=step, accuracy=accuracy):
                    display.update(worker, run, step, accuracy)
                case Saved(step=step, digest=digest):
                    store.record_checkpoint(key, step, digest, here)
                case Ended(result={"unavailable": reason}):
                    raise StoreUnavailable(reason)
                case Ended(result=result, seconds=seconds, attempts=attempts):
                    rows[key] = Row(experiment, key, run.configuration(), result, here)
                    paused = rows[key].status == PAUSED
                    if not paused:
                        store.record(rows[key], seconds, attempts)
                    display.finish(run, result, seconds)
                    if on_row is not None and not paused:
                        on_row(rows[key])
    return [rows[key] for key in keys]
