"""`seqsep run`: train the runs of an experiment, or say what they would cost."""

import argparse
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from seqsep.commands.command import TRAINING, Command, Parser, flags, parser_of
from seqsep.commands.members import members, names, record_of
from seqsep.commands.run_settings import add_override_flags, layer_names, settings_given
from seqsep.commands.several_values import field_combinations
from seqsep.commands.shared_flags import add_own_part_flags, fields_from_flags
from seqsep.commands.status import DONE, REFUTED
from seqsep.commands.sweeping import STALL_SECONDS, SweepFlags, add_sweep_flags, carry_out, engine_of
from seqsep.core.names import BadInput, choose
from seqsep.models.plugins.name import names_a_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seqsep.lab.experiments import Experiment
    from seqsep.lab.run import Run

PRESET_OF_A_FILE = "demo"
"""The argument of `runs(preset)` of a user's file if no --preset is given."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags: which runs, what replaces their parts, and where they execute; a task's fields are further flags."""
    parser.add_argument(
        "experiment", metavar="EXPERIMENT", help="name of an experiment, or a Python file with a function runs(preset)"
    )
    _add_choice_flags(parser)
    add_sweep_flags(parser)


def _add_choice_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that choose runs and replace their parts."""
    parser.add_argument(
        "--preset",
        help="set of runs; seqsep run EXPERIMENT --help lists the sets; by default the first of the list, and demo for a file "
        "without a list PRESETS",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="WORDS",
        help="only the runs that have all of these words, such as attention,N=100; seqsep run EXPERIMENT --help lists the "
        "words; may be given several times",
    )
    parser.add_argument(
        "--claim",
        action="append",
        default=[],
        metavar="CLAIM",
        help="only with `seqsep run claims`: the runs that decide the claims whose names begin with CLAIM; seqsep claims lists "
        "the names; may be given several times",
    )
    add_own_part_flags(parser, "a mixer, or your own as FILE.py:CLASS, in place of the layers of every run", STALL_SECONDS)
    parser.add_argument(
        "--task",
        metavar="TASK",
        help="a task, or your own as FILE.py:CLASS, in place of the task of every run; the fields of the task are further "
        "flags, such as --length 50",
    )
    add_override_flags(parser)


def check_words(experiment: str, mixers: "Sequence[str]", task: str | None) -> None:
    """Raise BadInput for an unknown name, before torch is imported."""
    if Path(experiment).suffix != ".py":
        choose("experiment", experiment, names("experiments"))
    for kind, given in {"mixer": mixers, "task": [task] if task else []}.items():
        for name in given:
            if not names_a_file(name):
                choose(kind, name.partition("(")[0], names(f"{kind}s"))


def _refuse_what_is_no_field(further: "Sequence[str]") -> None:
    """Raise BadInput for the first further word, or a flag among them, that is not a field of any task."""
    fields = {name for record in members("tasks") for name in record["fields"]}
    for word in [*further[:1], *(word for word in further if word.startswith("--"))]:
        if not word.startswith("--") or word[2:].partition("=")[0].replace("-", "_") not in fields:
            parser_of(COMMAND).refuse(word)


def help_of_experiment(words: list[str]) -> str | None:
    """Return the help of the experiment in the first word: its question, its presets, and the command's flags.

    None if that is a flag. Raises BadInput for a name that there is not, ValueError for a file that does not load.
    """
    if not words or words[0].startswith("-"):
        return None
    if Path(words[0]).suffix == ".py":
        from seqsep.lab.experiments import load_experiment

        experiment = load_experiment(words[0])
        name = words[0]
        question = experiment.question
        presets = [f"  {preset}" for preset in experiment.presets] or ["  whatever runs(preset) of the file takes"]
        found = _words_of_file(experiment)
        words_of_runs = only_words(found) if found else []
    else:
        name = choose("experiment", words[0], names("experiments"))
        record = record_of("experiments", name)
        question = record["summary"]
        presets = [f"  {preset:<20}{runs} runs" for preset, runs in record["presets"].items()]
        words_of_runs = only_words(record["words"])
    parser = Parser(prog=f"seqsep run {name}", usage=f"seqsep run {name} [--preset PRESET] [options]")
    add_flags(parser)
    listed = parser.format_help().partition("options:")[2]
    return "\n".join(
        [f"usage: {parser.usage}", "", question, "", "presets:", *presets, "", *words_of_runs, f"options:{listed}"]
    )


def _words_of_file(experiment: "Experiment") -> list[str]:
    """Return the words of the runs of a user's file; without PRESETS, of the preset that is trained by default.

    The list is empty if the file does not take this preset.
    """
    from seqsep.lab.experiments.base import words_of

    presets = list(experiment.presets) or [PRESET_OF_A_FILE]
    try:
        runs = [run for preset in presets for run in experiment.runs(preset)]
    except ValueError:
        return []
    return list(dict.fromkeys(word for run in runs for word in words_of(run)))


def only_words(words: "Sequence[str]") -> list[str]:
    """Return the words of --only for a help text: names in one line, then a line for each size, such as N=20, N=50.

    >>> only_words(["lstm", "index-lookup", "N=20", "N=50"])
    ['words for --only, of which a preset may lack some:', '  lstm, index-lookup', '  N=20, N=50', '']
    """
    kinds: dict[str, list[str]] = {}
    for word in words:
        kinds.setdefault(word.partition("=")[0] if "=" in word else "", []).append(word)
    lines = [line for kind in kinds.values() for line in textwrap.wrap(", ".join(kind), 100, break_on_hyphens=False)]
    return ["words for --only, of which a preset may lack some:", *(f"  {line}" for line in lines), ""]


def run(options: argparse.Namespace) -> int:
    """Train the runs and print a table of them; or print them and their cost.

    Raises ValueError and FileNotFoundError for bad input.
    """
    check_words(options.experiment, options.mixer, options.task)
    if options.task is None and Path(options.experiment).suffix != ".py":
        _refuse_what_is_no_field(options.further)
    fields = fields_from_flags(options.further)
    stacks = [layer_names(text) for text in options.layers or []]
    if stacks and (options.mixer or options.model):
        raise BadInput("--layers: expected it without --mixer and --model, which replace the layers too")
    from seqsep.commands.chosen_runs import Replacements, choose_runs
    from seqsep.lab.experiments import load_experiment
    from seqsep.lab.run_labels import read_labels
    from seqsep.lab.run_table import RunTable

    sweep_flags = flags(SweepFlags, vars(options))
    engine = engine_of(sweep_flags)  # says at once which flag does not fit
    experiment = load_experiment(options.experiment)
    own_stacks: list[list[str] | None] = list(stacks) if stacks else [None]
    changes = [
        change
        for stack in own_stacks
        for some in field_combinations(fields)
        for settings in settings_given(vars(options))
        for change in Replacements(
            mixers=options.mixer,
            models=options.model,
            task=options.task,
            fields=some,
            settings=settings,
            layers=stack,
            seeds=options.seed or (None,),
        ).changes()
    ]
    preset = options.preset or next(iter(experiment.presets), PRESET_OF_A_FILE)
    is_of_claims = options.claim or (experiment.name == "claims" and not options.preset)
    grid = _runs_of_claims(options.experiment, options.claim, options.preset) if is_of_claims else experiment.runs(preset)
    search = experiment.search(preset)
    runs = choose_runs(grid, search, only=options.only, changes=changes)
    rows = carry_out(experiment.name, runs, sweep_flags, engine)
    if rows and options.compare is None:
        print(RunTable(rows, read_labels(options.store)).table())
    return REFUTED if any(row.failed for row in rows) else DONE


def _runs_of_claims(experiment: str, named: "Sequence[str]", preset: str | None) -> "list[Run]":
    """Return the runs that decide the claims of --claim; without it those that could still decide one. The cheapest come first.

    Raises BadInput for another experiment, a preset beside --claim, or a name that no claim has.
    """
    from seqsep.lab.experiments.claims import claims_named, decisive_runs, undecided_runs

    if experiment != "claims" or preset:
        raise BadInput("--claim: expected seqsep run claims --claim NAME, without --preset")
    try:
        return decisive_runs(claims_named(named)) if named else undecided_runs()
    except ValueError as error:
        raise BadInput(f"--{error}") from None


COMMAND = Command(
    name="run",
    purpose="train the runs of an experiment",
    example="seqsep run index-lookup-architectures --preset demo",
    group=TRAINING,
    add_flags=add_flags,
    run=run,
    details=(
        "To replace parts of an experiment by your own: --mixer layer.py:MyLayer, --model model.py:MyModel, "
        "--task task.py:MyTask --length 20. Further fields of the task are flags.\n\n"
        "On a cluster (docs/how-to/cluster.md): --engine ray --address HOST:6379 --gpus-per-run 0.25\n\n"
        "A file of your own runs (examples/own_runs.py) defines a function `runs`. Its paths are relative to the file:\n"
        "  from seqsep import IndexLookup, Run\n"
        "  def runs(preset):\n"
        "      return [Run(IndexLookup(length=20), layers=('layer.py:MyLayer', 'attention'),\n"
        "                  width=64, steps=2000, seed=seed) for seed in range(3)]"
    ),
    takes_further=True,
    help_of=help_of_experiment,
)
