"""`seqsep train`: runs of a model and a task that the flags describe, a line of a table for each."""

import argparse
import sys
from typing import TYPE_CHECKING

from seqsep.commands.command import TRAINING, Command, flags
from seqsep.commands.members import names
from seqsep.commands.run_settings import WIDTH, add_new_run_flags, layer_names, settings_given
from seqsep.commands.several_values import field_combinations
from seqsep.commands.shared_flags import fields_from_flags, positive, seconds, weights_folder
from seqsep.commands.status import DONE, REFUTED
from seqsep.commands.sweeping import STALL_SECONDS, SweepFlags, add_sweep_flags, carry_out, engine_of
from seqsep.core.names import BadInput, choose
from seqsep.models.plugins.name import names_a_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seqsep.lab.row import Row
    from seqsep.lab.run import Run
    from seqsep.tasks import Task

EXPERIMENT = "train"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: the model, how it is trained, and the sweep; the task's fields are further flags."""
    parser.add_argument("task", metavar="TASK", help="a task, or your own as FILE.py:CLASS; its fields are further flags")
    add_new_run_flags(parser)
    parser.add_argument(
        "--state-bits",
        type=positive,
        metavar="BITS",
        help="choose the width of each model: the greatest at which its state and its cache together have at most BITS bits "
        "after N tokens",
    )
    parser.add_argument(
        "--stall-seconds",
        type=seconds,
        default=STALL_SECONDS,
        metavar="S",
        help=f"fail a run that makes no progress for S seconds; by default {STALL_SECONDS:g}",
    )
    parser.add_argument(
        "--test-length",
        type=_lengths,
        default=(),
        metavar="N,..",
        help="also test each trained model on inputs of these lengths; needs --keep-weights",
    )
    add_sweep_flags(parser)


def _lengths(text: str) -> tuple[int, ...]:
    """Read lengths with commas between them. Raises ArgumentTypeError for anything else."""
    return tuple(positive(word) for word in text.split(","))


def run(options: argparse.Namespace) -> int:
    """Train a run for each combination of the values, and print a table of them; or print their cost.

    Raises ValueError for bad input.
    """
    from seqsep.commands.chosen_runs import ChosenRuns
    from seqsep.lab.run_labels import read_labels
    from seqsep.lab.run_table import RunTable

    stacks = [layer_names(text) for text in options.layers]
    if options.state_bits is not None and options.width is not None:
        raise BadInput("--state-bits: expected it without --width, which it chooses")
    tasks = _tasks(options.task, options.further)
    from seqsep.lab.run import Run

    settings = [{"width": WIDTH, **some} for some in settings_given(vars(options))]
    chosen = [(task, stack, some) for task in tasks for stack in stacks for some in settings]
    runs = [Run(task, tuple(stack), seed=seed, **some) for task, stack, some in chosen for seed in options.seed]
    if options.state_bits is not None:
        from seqsep.commands.equal_states import in_words, with_state_bits

        runs = with_state_bits(runs, options.state_bits)
        print("\n".join(in_words(runs, options.state_bits)))
    runs = list(dict.fromkeys(runs))
    if len(stacks) == 1 and len(set(stacks[0])) > 1:
        print(f"seqsep train: --layers {options.layers[0]} is one model; for a run of each, repeat --layers", file=sys.stderr)
    sweep_flags = flags(SweepFlags, vars(options))
    if options.test_length:
        _require_test_lengths(runs, options.test_length, sweep_flags)
    rows = carry_out(EXPERIMENT, ChosenRuns(runs, None), sweep_flags, engine_of(sweep_flags))
    if rows:
        print(RunTable(rows, read_labels(options.store)).table())
        _print_other_lengths(runs, options.test_length, rows, sweep_flags)
    return REFUTED if any(row.failed for row in rows) else DONE


def _require_test_lengths(runs: "Sequence[Run]", lengths: "Sequence[int]", sweep_flags: SweepFlags) -> None:
    """Raise BadInput unless the models are kept and can read inputs of these lengths."""
    from seqsep.lab.other_lengths import require_other_lengths

    if not sweep_flags.keep_weights:
        raise BadInput("--test-length: expected --keep-weights, since the kept models are tested")
    for run in runs:
        require_other_lengths(run, lengths)


def _print_other_lengths(
    runs: "Sequence[Run]", lengths: "Sequence[int]", rows: "Sequence[Row]", sweep_flags: SweepFlags
) -> None:
    """Print the accuracy of each kept model at each test length."""
    from seqsep.lab.kept import load
    from seqsep.lab.other_lengths import AccuracyByLength, accuracy_at

    trained = {row.key for row in rows if not row.failed}
    found = []
    for one in runs if lengths else ():
        kept = weights_folder(sweep_flags.store) / f"{one.key()}.safetensors"
        if one.key() in trained and kept.exists():
            model, _ = load(kept, set(one.files().values()))
            found += accuracy_at(one, model, lengths)
    if found:
        print(AccuracyByLength(found).table())


def _tasks(name: str, further: "Sequence[str]") -> "list[Task]":
    """Return the tasks of this name with the fields of the further flags: one for each combination of their values."""
    from seqsep.models.plugins.name import PlugIn
    from seqsep.models.plugins.task import own_task
    from seqsep.tasks import BY_NAME
    from seqsep.tasks.base import fields_given

    given = fields_from_flags(further)
    if "length" not in given:
        raise BadInput(f"{name}: expected --length, found none (try seqsep sample {name} --help)")
    if names_a_file(name):
        source = PlugIn.parse(name)
        return [own_task(source, fields) for fields in field_combinations(given)]
    kind = BY_NAME[choose("task", name, names("tasks"))]
    return [kind(**fields_given(kind, fields)) for fields in field_combinations(given)]


COMMAND = Command(
    name="train",
    purpose="train models on a task; flags describe the models",
    example="seqsep train index-lookup --length 20 --layers mamba,attention --width 64 --steps 2000 --seed 0..2",
    group=TRAINING,
    add_flags=add_flags,
    run=run,
    details=(
        "A setting, the width, --length and other fields of the task take several values with commas between them. --layers "
        "may be given several times. seqsep trains a run for each combination: --length 16,32 --learning-rate 1e-3,3e-3. "
        "--layers a,b is one model of two layers. "
        "seqsep report --rows STORE shows the runs.\n\n"
        "seqsep sample TASK --help shows the fields of a task. The rows go to the store as rows of the experiment `train`. "
        "With --test-length, a second table has each model's accuracy on inputs of other lengths: length generalisation."
    ),
    takes_further=True,
)
