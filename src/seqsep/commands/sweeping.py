"""The sweep of `seqsep run` and `seqsep train`: its flags, its engine, and the lines printed at its end."""

import argparse
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.kept import KeptRuns, saying_what_is_kept
from seqsep.commands.now_and_then import now_and_then
from seqsep.commands.outputs import require_folder
from seqsep.commands.shared_flags import label, number, positive, weights_folder
from seqsep.core.names import BadInput, install

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from seqsep.commands.chosen_runs import ChosenRuns
    from seqsep.lab.engines.engine import Engine
    from seqsep.lab.row import Row
    from seqsep.lab.run import Run
    from seqsep.lab.sweep import Sweep

STALL_SECONDS = 600.0
STORE = Path("runs/store.sqlite")


@dataclass(frozen=True)
class ExecutionFlags:
    """The flags of the engine, as `add_engine_flags` and --stall-seconds read them."""

    workers: int | None
    device: str
    engine: str
    address: str | None
    gpus_per_run: float | None
    stall_seconds: float


@dataclass(frozen=True)
class SweepFlags(ExecutionFlags):
    """The flags of the sweep, as `add_sweep_flags` and --stall-seconds read them."""

    store: Path
    keep_weights: bool
    label: list[str]
    dry_run: bool
    compare: Path | None
    prune: bool
    log: list[str]
    log_folder: Path | None


def add_sweep_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the sweep: what is kept, which runs stop early, what is logged, and where runs execute."""
    parser.add_argument("--store", type=Path, default=STORE, help=f"file of finished runs; by default {STORE}")
    parser.add_argument(
        "--keep-weights",
        action="store_true",
        help="keep each trained model as KEY.safetensors in the folder STORE.weights, for seqsep generate and "
        "seqsep.load; if the store has a run without its model, this run is trained again",
    )
    parser.add_argument(
        "--label",
        action="append",
        type=_label_or_layers,
        default=[],
        metavar="[LAYERS=]NAME",
        help="name of these runs in tables and figures, at most 40 characters, or of the runs with these layers, as in "
        "mamba,attention=mine. It is kept next to the store and changes no run's key. May be given later, and several times",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print the runs and an estimate of their time, and train nothing"
    )
    parser.add_argument(
        "--compare",
        type=Path,
        nargs="?",
        const=Path("results"),
        metavar="ROWS",
        help="at the end, print a table that compares these runs with rows of the same task and length. ROWS is a store, file "
        "or folder, by default the folder results. If it does not exist, these are the rows that come with seqsep",
    )
    parser.add_argument(
        "--prune",
        action="store_true",
        help="among runs that differ only in learning rate and heads, stop the worse half at 1/8, 1/4 and 1/2 of the steps; "
        "for long runs, also at 1/64",
    )
    parser.add_argument(
        "--log",
        action="append",
        default=[],
        choices=("tensorboard", "wandb"),
        help=f"also write the curves of runs for this logger; may be given twice; {install('log')}",
    )
    parser.add_argument("--log-folder", type=Path, help="directory for --log; default: STORE.logs")
    add_engine_flags(parser)


def add_engine_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say where runs execute."""
    parser.add_argument(
        "--workers",
        type=positive,
        help="number of runs at once; by default one per core (of the cluster with --engine ray), and with --device cuda at "
        "most 4 per GPU",
    )
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="compute on the CPU, or on the GPUs of this machine, which runs share",
    )
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="local: processes on this machine; ray: a cluster, or without --address a new local Ray",
    )
    parser.add_argument(
        "--address", metavar="HOST:PORT", help="with --engine ray: cluster address, or auto; default: RAY_ADDRESS"
    )
    parser.add_argument(
        "--gpus-per-run",
        type=gpu_share,
        metavar="G",
        help="with --engine ray: GPUs that a run computes on, such as 0.25; by default 0",
    )


def gpu_share(text: str) -> float:
    """Read a share of a GPU from 0 to 1, or a whole number of GPUs. Raises ArgumentTypeError for others."""
    value = number(text)
    if not (0 <= value <= 1 or (value < float("inf") and value == int(value))):
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, or a whole number, found {text}")
    return value


def carry_out(experiment: str, runs: "ChosenRuns", options: SweepFlags, engine: "Engine") -> "list[Row]":
    """Train the runs by the flags of the sweep, and print how many there are now; or only print them and their cost."""
    from seqsep.commands.comparison import MINE, beside, committed_rows, sentence
    from seqsep.commands.layer_labels import read_labels_of_layers
    from seqsep.lab.device import at_once
    from seqsep.lab.estimate import show_cost
    from seqsep.lab.pace import Pace
    from seqsep.lab.progress import display
    from seqsep.lab.pruning import steps_at_most
    from seqsep.lab.run_labels import add_labels
    from seqsep.lab.store.place import require_place
    from seqsep.lab.store.store import Store
    from seqsep.lab.sweep import Sweep

    require_place(options.store)
    _require_sizes(runs.first)
    committed = None if options.compare is None else committed_rows(options.compare)
    competing: list[list[Run]] = []
    if options.prune:
        competing = runs.competing()
    if options.dry_run:
        estimated, further, bound = runs.estimated()
        show_cost(
            estimated,
            further=further,
            workers=options.workers or at_once(options.device),
            pruned=steps_at_most(competing),
            device=options.device,
            bound=bound,
            say=now_and_then(),
            stall_seconds=options.stall_seconds,
        )
        return []
    log_folder = options.log_folder or Path(f"{options.store}.logs")
    weights = weights_folder(options.store) if options.keep_weights else None
    for folder in [*([log_folder] if options.log else []), *([weights] if weights else [])]:
        require_folder(folder)
    log = _log_to(options.log, log_folder)

    named = read_labels_of_layers(options.label, runs.first)

    def name(trained: "Iterable[Run]") -> None:
        labels = named(trained)
        for shown in dict.fromkeys(labels.values()):
            add_labels(options.store, [key for key, one in labels.items() if one == shown], shown)

    with (
        Store(options.store) as store,
        saying_what_is_kept(KeptRuns(store, experiment)),
        Sweep(store, experiment, engine, show=partial(display, Pace()), on_row=log, weights=weights) as sweep,
    ):
        name(runs.first)  # first: those that an interrupted sweep leaves are named too
        rows, waiting = train(runs, competing, sweep)
        name(row.run for row in rows)
    for row in rows:  # also those that the store held already, and those that were pruned
        log(row)
    count = len(rows) + waiting
    print(f"{count} {'run' if count == 1 else 'runs'} in {options.store}{_endings(rows, waiting)}")
    if options.compare is not None and committed is not None:
        if options.compare.resolve() == options.store.resolve():  # what the store had before, except these runs
            committed = [row for row in committed if row.key not in {one.key for one in rows}]
        print(f"{sentence(rows, committed)}:\n{beside(rows, committed, ''.join(options.label[:1]) or MINE).table()}")
    return rows


def _label_or_layers(text: str) -> str:
    """Return a label, or LAYERS=LABEL. Raises ArgumentTypeError for anything else."""
    layers, equals, name = text.rpartition("=")
    return f"{layers}{equals}{label(name)}" if equals and layers else label(text)


def _require_sizes(runs: "Iterable[Run]") -> None:
    """Raise BadInput for the first run with a mixer, or rope, that its width and heads do not fit."""
    from seqsep.models.mixers.settings import fault_of_sizes

    for run in runs:
        for layer in run.layers:
            fault = fault_of_sizes(layer, run.width, run.heads) if isinstance(layer, str) else ""
            if fault.endswith("heads must divide width"):
                fault = f"width {run.width} does not divide into {run.heads} heads"
                raise BadInput(f"{run.label()}: {fault}; choose a multiple of {run.heads}, or set --heads")
            if fault:
                raise BadInput(f"{run.label()}: {fault}")
        if run.positions == "rope" and run.width // run.heads % 2:
            expected = "expected an even width of a head, of which it turns pairs of coordinates"
            raise BadInput(f"{run.label()}: positions rope: {expected}, found {run.width} / {run.heads}")


def engine_of(options: ExecutionFlags) -> "Engine":
    """Return the engine of the flags; it starts nothing yet. Raises ValueError for a flag of another engine."""
    from seqsep.lab.device import at_once
    from seqsep.lab.engines.local import Supervisor
    from seqsep.lab.engines.ray import RayEngine

    if options.engine == "ray":
        if isinstance(options, SweepFlags) and options.keep_weights:
            raise ValueError("--keep-weights: expected --engine local: the nodes of a cluster send back rows, not weights")
        if options.device != "cpu":
            raise ValueError(f"--device {options.device}: expected --gpus-per-run in its place with --engine ray")
        return RayEngine(options.workers, options.stall_seconds, options.address, options.gpus_per_run or 0.0)
    for flag, value in {"--address": options.address, "--gpus-per-run": options.gpus_per_run}.items():
        if value is not None:
            raise ValueError(f"{flag} {value}: expected --engine ray with it")
    return Supervisor(options.workers or at_once(options.device), options.stall_seconds, options.device)


def _log_to(kinds: "Sequence[str]", folder: Path) -> "Callable[[Row], None]":
    """Return a function that writes a row for each kind of logger."""
    from seqsep.lab.loggers import Logger

    loggers = [Logger(kind, folder) for kind in dict.fromkeys(kinds)]

    def log(row: "Row") -> None:
        for logger in loggers:
            logger.write(row)

    return log


def train(runs: "ChosenRuns", competing: "Sequence[Sequence[Run]]", sweep: "Sweep") -> "tuple[list[Row], int]":
    """Train all runs, pruning those that compete; the rows, those pruned and those failed last, and how many runs wait."""
    from seqsep.commands.later_steps import later_steps
    from seqsep.lab.progress import say_on_stderr
    from seqsep.lab.pruning import successive_halving

    later = partial(later_steps, runs, competing)
    sweep.later = partial(later, [])
    survival = successive_halving(competing, sweep, say_on_stderr)
    rows: list[Row] = []
    left = [run for run in runs.first if survival.goes_on(run)]
    while len(rows) < len(left):
        sweep.later = partial(later, [*rows, *survival.pruned.values()])
        rows = sweep.train(left)
        named = runs.after([*rows, *survival.pruned.values()])
        left = [run for run in named if survival.goes_on(run)]
    return [*rows, *survival.pruned.values(), *survival.failed.values()], len(survival.waiting)


def _endings(rows: "Sequence[Row]", waiting: int) -> str:
    """Return the end of the closing line: how many runs are pruned, wait and failed."""
    from seqsep.lab.row import PRUNED

    counts = {"pruned": sum(row.status == PRUNED for row in rows), "waiting": waiting}
    shown = [f"{number} {word}" for word, number in counts.items() if number]
    failed = sum(row.failed for row in rows)
    return "".join(f", {ending}" for ending in [*shown, f"{failed} failed"])
