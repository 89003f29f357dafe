"""Numbers of an experiment's page from its rows: set-up, result table, CSV, CPU-hours, and the claims that they decide."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from pages._claims import FIGURES, claims_of_figure, found_in
from pages._markdown import table
from seqsep.core.files import read_text
from seqsep.core.tables import as_csv
from seqsep.lab.answers import chance
from seqsep.lab.estimate import evaluations
from seqsep.lab.experiments.claims.claim import Accuracy
from seqsep.lab.experiments.claims.known import SECONDS_AN_HOUR, in_words, shape
from seqsep.lab.row import PRUNED, Row
from seqsep.lab.run import Run
from seqsep.models.mixers.settings import has_heads
from seqsep.report.formatting import count, counts, listed, percent_at_most
from seqsep.report.measured import RunSummary
from seqsep.report.result_table import Cell, ResultTable
from seqsep.report.sized_model import SizedModel
from seqsep.report.table_files import task_words
from seqsep.tasks import IsTree, Task
from seqsep.tasks.ceilings import ceiling


def measured(row: Row, by_heads: bool = False) -> RunSummary:
    """Return a row's run, named as on its page; on IsTree accuracy is live and the state is that after the prompt."""
    one = RunSummary.of(row)
    label = "Hybrid" if len(set(row.run.layers)) > 1 else ""
    if isinstance(row.run.task, IsTree):
        fixed, per_token = one.state_bits
        bits = (fixed + per_token * row.run.task.prompt_tokens, 0)
        one = replace(one, accuracy=row.result["live_accuracy"], state_bits=bits)
        label = "Transformer" if set(row.run.layers) == {"attention"} else label
    model = replace(one.model, label=label)
    return replace(one, model=model.with_heads(one.heads) if by_heads else model)


def result_table(rows: Iterable[Row], by_heads: bool = False) -> ResultTable:
    """Return the cells of all rows that have an outcome, with a name for each model."""
    found = ResultTable.of("", [measured(row, by_heads) for row in rows if row.has_outcome], lambda model, task: None)
    told = several_positions(found.models)
    return replace(found, models={model: _name(model, told) for model in found.models})


def several_positions(models: Iterable[SizedModel]) -> bool:
    """Return whether an architecture was trained with several kinds of positions."""
    kinds = {(model.title, model.positions) for model in models}
    return len(kinds) > len({title for title, _ in kinds})


def _name(model: SizedModel, told: bool) -> str:
    heads = f", {model.heads} head{'s' * (model.heads > 1)}" if model.heads else ""
    return f"{model.title} {model.size}{f', {model.position_words}' if told else ''}{heads}"


def settings_that_differ(tasks: Sequence[Task]) -> dict[Task, str]:
    """Return in words what distinguishes each task from the others of the page, except its length."""
    kinds = len({task.name for task in tasks}) > 1
    words = {}
    for task in tasks:
        same = [other for other in tasks if other.name == task.name]
        mine = [str(value) for name, value in _settings(task).items() if not _follows_from_length(name, same)]
        words[task] = ", ".join([*([task.name] if kinds else []), *mine])
    return words


def _follows_from_length(name: str, tasks: Sequence[Task]) -> bool:
    """Return whether all tasks of a length have one value of this setting, as of the least length of a training input."""
    values = {(task.length, getattr(task, name)) for task in tasks}
    lengths = {length for length, _ in values}
    return len(values) == len(lengths) or len({value for _, value in values}) == 1


def cells_table(found: ResultTable, with_sizes: bool) -> str:
    """Return the result table: a row a model and kind of task, a column a length; `with_sizes` adds bits and parameters."""
    words = settings_that_differ(found.tasks)
    lengths = sorted({task.length for task in found.tasks})
    rows: dict[tuple[str, str], dict[int, Cell]] = {}
    for kind in dict.fromkeys(sorted(words.values())):
        for model, name in found.models.items():
            cells = {task.length: cell for task, cell in found.row(model).items() if words[task] == kind}
            if cells:
                rows[name, kind] = cells
    sizes = ["State, bits", "Parameters"] if with_sizes else []
    lines = [["Accuracy, %", *sizes, *(f"N = {length}" for length in lengths)]]
    for (name, kind), cells in rows.items():
        first = cells[min(cells)]
        mine = [count(first.state_bits), count(first.best.parameters)] if with_sizes else []
        spreads = [cells[length].spread if length in cells else "not run" for length in lengths]
        lines.append([f"{name}{f', {kind}' if kind else ''}", *mine, *spreads])
    return table(lines)


def setup(rows: Sequence[Row], found: ResultTable, planned: int) -> str:
    """Return the table of what was trained."""
    runs = [row.run for row in rows]
    devices = [f"torch {row.environment['torch']}, {_device(row)}".replace("(not named)", "of unknown type") for row in rows]
    pruned = [row.result["steps"] for row in rows if row.status == PRUNED]
    ended = f"; {len(pruned)} pruned after {counts(pruned)} steps" if pruned else ""
    lines = [
        ["Set-up", ""],
        ["Task", "; ".join(_tasks(found.tasks))],
        ["N", _all(run.task.length for run in runs)],
        ["Models (layers, width)", "; ".join(_sizes(found.models))],
        ["Positional encoding", listed(list(dict.fromkeys(run.positions_told() for run in runs)))],
        ["Steps, at most", counts([run.steps for run in runs])],
        ["Batch (examples in each step)", counts([run.batch for run in runs])],
        ["Learning rates", listed([f"{one:g}" for one in sorted({run.learning_rate for run in runs})])],
        [
            "Initial standard deviation of embeddings",
            listed([f"{one:g}" for one in sorted({run.embedding_scale for run in runs})]),
        ],
        ["Seeds", _all(run.seed for run in runs)],
        ["Examples in each evaluation", counts([run.evaluation for run in runs])],
        ["Runs", f"{len(rows)}{f' of {planned} planned; the others have no result' if planned > len(rows) else ''}{ended}"],
        ["Trained on", "; ".join(sorted(set(devices)))],
        ["Upper limit of the accuracy of a model without any state", _floors(found.tasks)],
        [
            "Upper limit of the accuracy with the states of these models ([ceiling](../explanation/glossary.md#ceiling))",
            _ceilings(found),
        ],
    ]
    return table(lines)


def _tasks(tasks: Sequence[Task]) -> list[str]:
    """Return each kind of task with a link, and all values of its settings except the length."""
    kinds: dict[str, dict[str, dict[str, None]]] = {}
    for task in tasks:
        settings = kinds.setdefault(task.name, {})
        for name, value in _settings(task).items():
            settings.setdefault(name, dict[str, None]())[str(value)] = None
    words = []
    for name, settings in kinds.items():
        said = "; ".join(f"`{one}` {', '.join(values)}" for one, values in settings.items())
        words.append(f"[{name}](../reference/tasks.md#{name}){f' ({said})' if said else ''}")
    return words


def _settings(task: Task) -> dict[str, Any]:
    return {one.name: getattr(task, one.name) for one in fields(task) if one.name != "length"}


def _all(numbers: Iterable[int]) -> str:
    return listed([count(one) for one in sorted(set(numbers))])


def _device(row: Row) -> str:
    return row.environment.get("processor") or f"{row.environment['device']} (not named)"


def _sizes(models: Iterable[SizedModel]) -> list[str]:
    """Return the titles of the models of each size."""
    by_size: dict[str, list[str]] = {}
    for model in models:
        by_size.setdefault(model.size, []).append(model.title)
    sizes = {size: list(dict.fromkeys(titles)) for size, titles in by_size.items()}
    groups: dict[tuple[str, ...], list[str]] = {}
    for size, titles in sizes.items():
        groups.setdefault(tuple(titles), []).append(size)
    return [f"{', '.join(group)}: {listed(list(titles))}" for titles, group in groups.items()]


def floor(task: Task) -> float:
    """Return the accuracy that a model without any state may have; on IsTree that of the answer."""
    return chance(replace(task, trace="vanilla") if isinstance(task, IsTree) else task)


def _floors(tasks: Sequence[Task]) -> str:
    """Return the accuracy that guessing has, of each task if they differ."""
    floors = dict.fromkeys(percent_at_most(floor(task)) for task in tasks)
    least, most = min(floors, key=float), max(floors, key=float)
    return f"{least} %" if len(floors) == 1 else f"{least} to {most} %, depending on task and N"


def cell_ceiling(task: Task, cell: Cell) -> float | None:
    """Return the ceiling of a cell; None if no bound is known, as with a retriever."""
    if isinstance(task, IsTree) and task.retriever() is not None:
        return None
    return ceiling(task, cell.best.bits_before_the_question)


def _ceilings(found: ResultTable) -> str:
    ceilings = [cell_ceiling(task, cell) for (_, task), cell in found.cells.items()]
    known = [one for one in ceilings if one is not None]
    below = sum(one < 1 for one in known)
    without = f"; no limit is known for {len(ceilings) - len(known)}" if len(known) < len(ceilings) else ""
    if not known:
        return "no limit is known"
    cells = f"{len(known)} cells of the table below"
    said = f"below 100 % for {below} of {cells}, 100 % for the others" if below else f"100 % for {cells}"
    return f"{said}{without}"


COLUMNS: Mapping[str, tuple[str, Callable[[Row], Any]]] = {
    "key": ("key of the row", lambda row: row.key),
    "task": ("task and its settings", lambda row: task_words(row.run.task)),
    "length": ("N", lambda row: row.run.task.length),
    "layers": ("mixers, from the first layer to the last", lambda row: "+".join(map(str, row.run.layers))),
    "width": ("width", lambda row: row.run.width),
    "heads": ("heads, if a layer has them", lambda row: row.run.heads if has_heads(row.run.layers) else None),
    "positions": ("positional encoding", lambda row: row.run.positions_told()),
    "learning_rate": ("learning rate", lambda row: row.run.learning_rate),
    "embedding_scale": ("initial standard deviation of embeddings", lambda row: row.run.embedding_scale),
    "steps_allowed": ("largest number of steps that the run may take", lambda row: row.run.steps),
    "batch": ("examples in each step", lambda row: row.run.batch),
    "seed": ("random seed", lambda row: row.run.seed),
    "status": ("how the run ended", lambda row: row.status),
    "steps": ("steps taken", lambda row: row.result["steps"]),
    "accuracy": ("last accuracy, a fraction", lambda row: row.result["accuracy"]),
    "first_steps_99": ("step of the first evaluation with 99 % or more", lambda row: measured(row).steps_to_goal),
    "live_accuracy": ("IsTree: accuracy after the model's own chain of thought", lambda row: row.result.get("live_accuracy")),
    "answer_accuracy": ("IsTree: accuracy after the right chain of thought", lambda row: row.result.get("answer_accuracy")),
    "parameters": ("parameters", lambda row: row.result["parameters"]),
    "state_bits": ("bits of the state after the input, before the query", lambda row: measured(row).bits_before_the_question),
    "device": ("processor or GPU", _device),
}
"""The columns of a CSV file: what each has, and how it is read off a row."""


def csv_text(rows: Sequence[Row]) -> str:
    """Return every row as a line of CSV, by task and length."""
    ordered = sorted(rows, key=lambda row: (task_words(row.run.task), row.run.task.length))
    return as_csv([{name: of(row) for name, (_, of) in COLUMNS.items()} for row in ordered])


@cache
def _step_seconds(results: Path) -> dict[str, float]:
    read: dict[str, float] = json.loads(read_text(results / "step-seconds.json"))["core seconds a step"]
    return read


def hours(steps: Iterable[tuple[Run, int]], results: Path) -> str:
    """Return the CPU-hours of runs after their numbers of steps, evaluations included, from steps that were timed on one
    core.
    """
    seconds = _step_seconds(results)
    return in_words(sum(seconds[shape(run)] * taken * (1 + evaluations(run)) for run, taken in steps) / SECONDS_AN_HOUR, "CPU")


def claims_of(rows: Iterable[Row], results: Path) -> dict[str, dict[str, list[str]]]:
    """Return the claims whose best comparable row is among these rows, by figure and verdict."""
    keys = {row.key for row in rows}
    found = found_in(results)
    by_figure = {}
    for beginning, title in FIGURES.items():
        decided: dict[str, list[str]] = {}
        for claim in claims_of_figure(beginning):
            best = found.evidence[claim.name].best if isinstance(claim, Accuracy) else None
            if best is not None and best.key in keys:
                decided.setdefault(found.verdict(claim).status, []).append(claim.name)
        if decided:
            by_figure[title] = decided
    return by_figure


def claims_table(by_figure: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """Return claims by figure and verdict as a table."""
    lines = [
        [title, f"**{status}**", ", ".join(f"`{name}`" for name in names)]
        for title, decided in by_figure.items()
        for status, names in decided.items()
    ]
    return table([["Figure", "Verdict", "Claims"], *lines])
