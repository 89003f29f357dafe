"""`seqsep run`: train the runs of an experiment, or say what they would cost."""

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.command import Command, Parser
from seqsep.commands.kept import KeptRuns, saying_what_is_kept
from seqsep.commands.members import members, names
from seqsep.commands.run_settings import add_override_flags, layer_names, settings_given
from seqsep.commands.shared_flags import add_own_part_flags, fields_from_flags, number, positive
from seqsep.commands.status import DONE, REFUTED
from seqsep.names import BadInput, choose
from seqsep.plugins.name import names_a_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from seqsep.commands.chosen_runs import ChosenRuns
    from seqsep.lab.engines.engine import Engine
    from seqsep.lab.row import Row
    from seqsep.lab.run import Run
    from seqsep.lab.sweep import Sweep

STALL_SECONDS = 600.0
STORE = Path("runs/store.sqlite")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which runs, what replaces their parts, and where they execute; a task's fields are further flags."""
    parser.add_argument("experiment", metavar="EXPERIMENT", help="a name, or a Python file with runs(preset)")
    _add_choice_flags(parser)
    add_sweep_flags(parser)


def _add_choice_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that choose runs and replace their parts."""
    parser.add_argument("--preset", default="demo", help="which runs; seqsep run EXPERIMENT --help has them; by default demo")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="WORDS",
        help="the runs that have all of these words, as attention,N=100; seqsep run EXPERIMENT --help has them; may be given "
        "several times",
    )
    add_own_part_flags(parser, "a mixer, or your own as FILE.py:CLASS, in place of the layers of every run", STALL_SECONDS)
    parser.add_argument(
        "--task",
        metavar="TASK",
        help="a task, or your own as FILE.py:CLASS, in place of that of every run; fields of a task, or of the runs' own, "
        "are further flags, as --length 50",
    )
    add_override_flags(parser)


def add_sweep_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the sweep: what is kept, which runs stop early, what is logged, and where runs execute."""
    parser.add_argument("--store", type=Path, default=STORE, help=f"where finished runs are kept; by default {STORE}")
    parser.add_argument(
        "--keep-weights",
        action="store_true",
        help="keep each trained model as KEY.safetensors in the folder STORE.weights, for seqsep generate and "
        "seqsep.load; a run that the store holds without it is trained again",
    )
    parser.add_argument("--dry-run", action="store_true", help="print the runs, train nothing")
    parser.add_argument(
        "--prune",
        action="store_true",
        help="at 1/64 (of long runs), 1/8, 1/4 and 1/2 of the steps the better half of a cell's runs, which differ in rate and "
        "heads, goes on",
    )
    parser.add_argument(
        "--log",
        action="append",
        default=[],
        choices=("tensorboard", "wandb"),
        help="write curves of runs for it too; may be given twice; pip install 'seqsep[log]'",
    )
    parser.add_argument("--log-folder", type=Path, help="of --log; by default the store's path with .logs behind")
    parser.add_argument(
        "--workers",
        type=positive,
        help="runs at once; by default one per core, of a cluster too, and with --device cuda at most 4 per GPU",
    )
    parser.add_argument(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="where runs compute; cuda: on the GPUs here, which runs share",
    )
    parser.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="local: processes here; ray: a cluster, or without --address a Ray of its own here",
    )
    parser.add_argument("--address", metavar="HOST:PORT", help="with --engine ray: of the cluster, or auto; also RAY_ADDRESS")
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


def check_words(options: argparse.Namespace) -> dict[str, int | float | str]:
    """The fields of --task, from further flags, before torch is imported. Raises BadInput for an unknown name or flag."""
    before = options.words[options.words.index(options.experiment) - 1]
    if before.startswith("--") and before not in options.flags:  # a field's value stands in the experiment's place
        raise BadInput("EXPERIMENT is missing: a name such as mamba-width, or a Python file with runs(preset)")
    if Path(options.experiment).suffix != ".py":
        choose("experiment", options.experiment, names("experiments"))
    for kind, given in {"mixer": options.mixer, "task": [options.task] if options.task else []}.items():
        for name in given:
            if not names_a_file(name):
                choose(kind, name.partition("(")[0], names(f"{kind}s"))
    if options.task is None and Path(options.experiment).suffix != ".py":
        _refuse_what_is_no_field(options)
    return fields_from_flags(options.further)


def _refuse_what_is_no_field(options: argparse.Namespace) -> None:
    """Raise BadInput for the first of the further words, or a flag among them, that is no field of any task."""
    fields = {name for record in members("tasks") for name in record["fields"]}
    for word in [*options.further[:1], *(word for word in options.further if word.startswith("--"))]:
        if not word.startswith("--") or word[2:].partition("=")[0].replace("-", "_") not in fields:
            options.parser.refuse(word)


def help_of_experiment(words: list[str]) -> str | None:
    """The help of the experiment that the first word names: its question, its presets, and the command's flags.

    None if that is a flag. Raises BadInput for a name that there is not, ValueError for a file that does not load.
    """
    if not words or words[0].startswith("-"):
        return None
    if Path(words[0]).suffix == ".py":
        from seqsep.experiments import load_experiment

        experiment = load_experiment(words[0])
        name = words[0]
        question = experiment.question
        presets = [f"  {preset}" for preset in experiment.presets] or ["  whatever runs(preset) of the file takes"]
        words_of_runs: list[str] = []
    else:
        name = choose("experiment", words[0], names("experiments"))
        record = next(record for record in members("experiments") if record["name"] == name)
        question = record["summary"]
        presets = [f"  {preset:<14}{runs} runs" for preset, runs in record["presets"].items()]
        words_of_runs = only_words(record["words"])
    parser = Parser(prog=f"seqsep run {name}", usage=f"seqsep run {name} [--preset PRESET] [options]")
    add_flags(parser)
    flags = parser.format_help().partition("options:")[2]
    return "\n".join([f"usage: {parser.usage}", "", question, "", "presets:", *presets, "", *words_of_runs, f"options:{flags}"])


def only_words(words: "Sequence[str]") -> list[str]:
    """The words of --only for a help text: names in one line, then a line for each size, as N=20, N=50.

    >>> only_words(["lstm", "index-lookup", "N=20", "N=50"])
    ['words for --only, of which a preset may lack some:', '  lstm, index-lookup', '  N=20, N=50', '']
    """
    kinds: dict[str, list[str]] = {}
    for word in words:
        kinds.setdefault(word.partition("=")[0] if "=" in word else "", []).append(word)
    lines = [line for kind in kinds.values() for line in textwrap.wrap(", ".join(kind), 100, break_on_hyphens=False)]
    return ["words for --only, of which a preset may lack some:", *(f"  {line}" for line in lines), ""]


def run(options: argparse.Namespace) -> int:
    """Train the runs, or print them and their cost.

    Raises ValueError and FileNotFoundError for bad input.
    """
    fields = check_words(options)
    layers = layer_names(options.layers) if options.layers else None
    if layers and (options.mixer or options.model):
        raise BadInput("--layers: expected it without --mixer and --model, which replace the layers too")
    from seqsep.commands.chosen_runs import Replacements, choose_runs
    from seqsep.experiments import load_experiment

    engine_of(options)  # says at once which flag does not fit
    experiment = load_experiment(options.experiment)
    replacements = Replacements(
        mixers=options.mixer,
        models=options.model,
        task=options.task,
        fields=fields,
        settings={"width": options.width, **settings_given(options)},
        layers=layers,
        seeds=options.seed or (None,),
    )
    changes = replacements.changes()
    grid = experiment.runs(options.preset)
    search = experiment.search(options.preset)
    runs = choose_runs(grid, search, only=options.only, changes=changes)
    rows = carry_out(experiment.name, runs, options)
    return DONE if all(row.has_outcome for row in rows) else REFUTED


def carry_out(experiment: str, runs: "ChosenRuns", options: argparse.Namespace) -> "list[Row]":
    """Train the runs by the flags of the sweep, and print how many there are now; or only print them and their cost."""
    from seqsep.lab.device import at_once
    from seqsep.lab.estimate import show_cost
    from seqsep.lab.progress import display
    from seqsep.lab.pruning import steps_at_most
    from seqsep.lab.store.store import Store
    from seqsep.lab.sweep import Sweep

    engine = engine_of(options)
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
        )
        return []
    log = _log_to(options.log, options.log_folder or Path(f"{options.store}.logs"))
    weights = Path(f"{options.store}.weights") if options.keep_weights else None
    with (
        Store(options.store) as store,
        saying_what_is_kept(KeptRuns(store, experiment)),
        Sweep(store, experiment, engine, show=display, on_row=log, weights=weights) as sweep,
    ):
        rows, waiting = train(runs, competing, sweep)
    for row in rows:  # also those that the store held already, and those that were pruned
        log(row)
    print(f"{len(rows) + waiting} runs in {options.store}{_endings(rows, waiting)}")
    return rows


def engine_of(options: argparse.Namespace) -> "Engine":
    """The engine of the flags; it starts nothing yet. Raises ValueError for a flag that is not of this engine."""
    from seqsep.lab.device import at_once
    from seqsep.lab.engines.local import Supervisor
    from seqsep.lab.engines.ray import RayEngine

    if options.engine == "ray":
        if options.keep_weights:
            raise ValueError("--keep-weights: expected --engine local: the nodes of a cluster send back rows, not weights")
        if options.device != "cpu":
            raise ValueError(f"--device {options.device}: expected --gpus-per-run in its place with --engine ray")
        return RayEngine(options.workers, options.stall_seconds, options.address, options.gpus_per_run or 0.0)
    for flag, value in {"--address": options.address, "--gpus-per-run": options.gpus_per_run}.items():
        if value is not None:
            raise ValueError(f"{flag} {value}: expected --engine ray beside it")
    return Supervisor(options.workers or at_once(options.device), options.stall_seconds, options.device)


def _log_to(kinds: "Sequence[str]", folder: Path) -> "Callable[[Row], None]":
    """What writes a row for each kind of logger."""
    from seqsep.lab.loggers import Logger

    loggers = [Logger(kind, folder) for kind in dict.fromkeys(kinds)]

    def log(row: "Row") -> None:
        for logger in loggers:
            logger.write(row)

    return log


def train(runs: "ChosenRuns", competing: "Sequence[Sequence[Run]]", sweep: "Sweep") -> "tuple[list[Row], int]":
    """Train all runs, pruning those that compete; the rows, those pruned and those failed last, and how many runs wait."""
    from seqsep.lab.pruning import say_on_stderr, successive_halving

    survival = successive_halving(competing, sweep, say_on_stderr)
    rows: list[Row] = []
    left = [run for run in runs.first if survival.goes_on(run)]
    while len(rows) < len(left):
        rows = sweep.train(left)
        named = runs.after([*rows, *survival.pruned.values()])
        left = [run for run in named if survival.goes_on(run)]
    return [*rows, *survival.pruned.values(), *survival.failed.values()], len(survival.waiting)


def _endings(rows: "Sequence[Row]", waiting: int) -> str:
    """The end of the closing line: how many runs were pruned, wait and failed."""
    from seqsep.lab.row import PRUNED

    counts = {"pruned": sum(row.status == PRUNED for row in rows), "waiting": waiting}
    shown = [f"{number} {word}" for word, number in counts.items() if number]
    failed = sum(not row.has_outcome for row in rows)
    return "".join(f", {ending}" for ending in [*shown, f"{failed} failed"])


COMMAND = Command(
    name="run",
    purpose="train the runs of an experiment",
    example="seqsep run index-lookup-architectures --preset demo",
    add_flags=add_flags,
    run=run,
    details=". Your own parts in place of its own: --mixer layer.py:MyLayer, --model model.py:MyModel, "
    "--task task.py:MyTask --length 20, with further fields of the task as flags. On a cluster (docs/cluster.md): "
    "--engine ray --address HOST:6379 --gpus-per-run 0.25",
    read_further=list,
    help_of=help_of_experiment,
)
