"""Figure 2's validation curves in docs/reproduction.md: ours as numbers, and what is printed of the paper's."""

from collections.abc import Iterable, Mapping, Sequence

from pages._markdown import table
from seqsep.experiments import Experiment, dyck_architectures, index_lookup_architectures
from seqsep.experiments.claims.papers import figure2_dyck, figure2_index_lookup
from seqsep.lab.row import Row
from seqsep.report.experiment_table import experiment_table
from seqsep.report.measured import GOAL, Measured
from seqsep.report.numerals import DASH, count, listed, percent

DRAWN_AT = 200
MOST_COLUMNS = 6
PRESETS = ("quick", "paper")


def curves_section(experiment: Experiment, rows_of: Mapping[str, Sequence[Row]]) -> str:
    """The curves of the best runs at the longest input of each preset; empty unless figure 2 draws this experiment's."""
    printed = {index_lookup_architectures.EXPERIMENT.name: _index_lookup, dyck_architectures.EXPERIMENT.name: _dyck}
    if experiment.name not in printed:
        return ""
    parts = [f"\n### {experiment.name}: validation curves\n\n{printed[experiment.name]()}\n"]
    parts += [_preset(experiment, preset, rows_of[preset]) for preset in PRESETS if rows_of.get(preset)]
    return "".join(parts)


def _index_lookup() -> str:
    ends = listed([f"{model.label} {percent(model.accuracy[DRAWN_AT])}" for model in figure2_index_lookup().values()])
    return (
        f"Figure 2, middle, draws the paper's curves at N = {DRAWN_AT} up to step 250,000. No number of their points is "
        'printed, and none is here. Section 6 says of them that attention gets there "within a few thousand steps"; the '
        f"heatmap of the same figure has at N = {DRAWN_AT}, in percent: {ends}."
    )


def _dyck() -> str:
    return (
        "Figure 2, right, draws the paper's curves at N = 400 up to step 250,000. No number of their points is printed, and "
        f"none is here. What it shows, in words: {figure2_dyck()}."
    )


def _preset(experiment: Experiment, preset: str, rows: Sequence[Row]) -> str:
    """A row a model: the accuracy of its best run at some of the steps, and the first evaluation above 99 %."""
    found = experiment_table(experiment, rows)
    task = max(found.tasks, key=lambda task: task.length)
    best = {name: found.cells[model, task].best for model, name in found.models.items() if (model, task) in found.cells}
    steps = _some(sorted({step for run in best.values() for step, _, _ in run.curve}))
    header = ("Accuracy, %", *(f"step {count(step)}" for step in steps), f"above {percent(GOAL)} from")
    lines = [(name, *(_at(run, step) for step in steps), _arrival(run)) for name, run in best.items()]
    return (
        f"\nOurs of the preset `{preset}` at N = {task.length}, the best run of each; {DASH} behind its last step:\n\n"
        f"{table([header, *lines])}"
    )


def _some(steps: Sequence[int]) -> list[int]:
    """The first and the last step, and others at about equal distances."""
    last = len(steps) - 1
    return sorted({steps[round(last * part / (MOST_COLUMNS - 1))] for part in range(MOST_COLUMNS)})


def _at(run: Measured, step: int) -> str:
    """The accuracy of the last evaluation up to a step; nothing before the first and behind the last one."""
    evaluated = [accuracy for at, accuracy, _ in run.curve if at <= step]
    return percent(evaluated[-1]) if evaluated and step <= run.steps else DASH


def _arrival(run: Measured) -> str:
    return _first(step for step, accuracy, _ in run.curve if accuracy > GOAL)


def _first(steps: Iterable[int]) -> str:
    arrived = next(iter(steps), None)
    return DASH if arrived is None else f"step {count(arrived)}"
