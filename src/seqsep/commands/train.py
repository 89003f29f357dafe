"""`seqsep train`: runs of a model and a task that the flags describe, a line of a table for each."""

import argparse
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from seqsep.commands.command import Command
from seqsep.commands.members import names
from seqsep.commands.run import STALL_SECONDS, add_sweep_flags, carry_out
from seqsep.commands.shared_flags import fields_from_flags, positive, reader, seconds, whole_number
from seqsep.commands.status import DONE, REFUTED
from seqsep.names import BadInput, choose, nearest
from seqsep.plugins.name import names_a_file

if TYPE_CHECKING:
    from seqsep.lab.run import Run
    from seqsep.tasks import Task

EXPERIMENT = "train"
WIDTH = 64
STEPS = 5000
MEANINGS: dict[str, tuple[str, object]] = {
    "heads": ("attention heads of a layer", 4),
    "steps": ("most steps, each a batch of fresh examples", STEPS),
    "batch": ("examples of a step", 64),
    "learning_rate": ("of Adam, after the warm-up", 0.001),
    "decay": ("how the learning rate falls from there: constant, linear, cosine", "constant"),
    "warm_up": ("steps over which the learning rate grows", 0),
    "embedding_scale": ("standard deviation of the first weights of embeddings", 0.02),
    "weight_scale": ("standard deviation of the first weights of linear layers", 0.02),
    "evaluate_every": ("steps between evaluations", 250),
    "evaluation": ("examples of an evaluation", 5000),
    "target": ("accuracy, as a fraction, at which a run has converged", 1.0),
    "positions": ("default (what the layers need), learned, sinusoidal, rope, none", "default"),
    "dtype": ("float32, bfloat16 (of products of matrices)", "float32"),
    "norm": ("in front of each part: default (that of the layers), layer, rms", "default"),
    "feed_forward": ("gelu, swiglu", "gelu"),
    "hidden": ("width within the feed-forward part; 0: four times the model's", 0),
    "biases": ("whether linear layers have them: true, false", True),
    "embeddings": ("learned, tied-sinusoids", "learned"),
    "live": ("examples on which a model writes thought and answer itself, if the task has a thought", 1000),
}
"""What each flag of a run is and its default, known without importing `lab.run.Run`; a test compares."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: the model, how it is trained, and the sweep; the task's fields are further flags."""
    parser.add_argument("task", metavar="TASK", help="a task, or your own as FILE.py:CLASS; its fields are further flags")
    parser.add_argument(
        "--layers",
        required=True,
        metavar="A,B,..",
        help="mixers from the first layer to the last, as mamba,mamba,attention; your own as FILE.py:CLASS, or, alone, "
        "model:FILE.py:CLASS",
    )
    parser.add_argument("--width", type=positive, default=WIDTH, help=f"coordinates of the residual stream; by default {WIDTH}")
    parser.add_argument(
        "--seed", type=seed_list, default=(0,), metavar="SEEDS", help="one, or several as 0..2 or 0,5: a run each; by default 0"
    )
    for name, (meaning, default) in MEANINGS.items():
        shown = str(default).lower() if isinstance(default, bool) else default
        parser.add_argument(
            f"--{name.replace('_', '-')}", default=str(shown), metavar="VALUE", help=f"{meaning}; by default {shown}"
        )
    parser.add_argument(
        "--stall-seconds",
        type=seconds,
        default=STALL_SECONDS,
        metavar="S",
        help=f"what makes no progress for so long has failed; by default {STALL_SECONDS:g}",
    )
    add_sweep_flags(parser)


def seed_list(text: str) -> tuple[int, ...]:
    """Read seeds: 3, or 0..2 (both ends included), or several of these with commas. Raises ArgumentTypeError for others.

    >>> seed_list("0..2,7")
    (0, 1, 2, 7)
    """
    seeds: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        ends = [whole_number(first), whole_number(last) if dots else whole_number(first)]
        if not 0 <= ends[0] <= ends[1] < ends[0] + 1000:
            raise argparse.ArgumentTypeError(f"expected seeds such as 0 or 0..2, found {text}")
        seeds += range(ends[0], ends[1] + 1)
    return tuple(dict.fromkeys(seeds))


def run(options: argparse.Namespace) -> int:
    """Train a run for each seed, and print a table of them; or print their cost. Raises ValueError for bad input."""
    from seqsep.commands.chosen_runs import ChosenRuns
    from seqsep.lab.row import Rows

    runs = [_described(options, seed) for seed in options.seed]
    rows = carry_out(EXPERIMENT, ChosenRuns(runs, None), options)
    if rows:
        print(Rows(rows).table())
    return DONE if all(row.has_outcome for row in rows) else REFUTED


def _described(options: argparse.Namespace, seed: int) -> "Run":
    """The run that the flags describe. Raises BadInput or ValueError with the flag, name or field that does not fit."""
    from seqsep.lab.run import Run

    hints = get_type_hints(Run)
    settings: dict[str, Any] = {
        name: _value(f"--{name.replace('_', '-')}", getattr(options, name), hints[name]) for name in MEANINGS
    }
    layers = [name if names_a_file(name) else choose("mixer", name, names("mixers")) for name in options.layers.split(",")]
    return Run(_task(options), tuple(layers), options.width, seed=seed, **settings)


def _value(flag: str, given: str, hint: Any) -> Any:
    """A flag's value in the type of its field. Raises BadInput for another."""
    choices = ("true", "false") if hint is bool else get_args(hint)
    if choices and given not in choices:
        raise BadInput(f"{flag}: expected {', '.join(choices)}, found {given}{nearest(given, list(choices))}")
    try:
        return given == "true" if hint is bool else reader(hint if not choices else str)(given)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise BadInput(f"{flag}: {error}") from None


def _task(options: argparse.Namespace) -> "Task":
    """The task with the fields of the further flags."""
    from seqsep.plugins.name import PlugIn
    from seqsep.plugins.task import own_task
    from seqsep.tasks import BY_NAME
    from seqsep.tasks.base import fields_given

    given = fields_from_flags(options.further)
    if "length" not in given:
        raise BadInput(f"train {options.task}: expected --length, found none (try seqsep sample {options.task} --help)")
    if names_a_file(options.task):
        return own_task(PlugIn.parse(options.task), given)
    kind = BY_NAME[choose("task", options.task, names("tasks"))]
    return kind(**fields_given(kind, given))


COMMAND = Command(
    name="train",
    purpose="train models that flags describe",
    example="seqsep train index-lookup --length 20 --layers mamba,attention --width 64 --steps 2000 --seed 0..2",
    add_flags=add_flags,
    run=run,
    details=". seqsep sample TASK --help has the fields of a task; rows go to the store as those of the experiment train",
    read_further=list,
)
