"""A state that is too small: the accuracy of trained models from few bits, below the proved ceiling, from committed rows."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqsep.core.files import read_lines
from seqsep.lab.row import read_rows
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.formatting import count, counts, percent, percent_at_most
from seqsep.report.measured import RunSummary, by_accuracy
from seqsep.report.plain_table import Entry, PlainTable, TableRow
from seqsep.report.styles import STYLES, Style
from seqsep.tasks import BY_NAME, Task
from seqsep.tasks.ceilings import ceiling

AUDITS = "audit/sizes.jsonl"
STATE_BITS = "index-lookup-architectures-state-bits.jsonl"
CEILING = Style("proved-ceiling", "proved ceiling", light="#b3261e", dark="#ff8d84", marker="v")
NEEDED = Style("needed-bits", "bits of the symbols", light="#131a22", dark="#e9eef3", marker="D")
LIMIT_STYLES: Mapping[str, Style] = {style.slug: style for style in (CEILING, NEEDED)}
PERCENT = ((0.0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1.0, "100 %"))


@dataclass(frozen=True)
class LimitedState:
    """The chart, its settings in numbers, and a table of the trained models whose own state is too small."""

    chart: Chart
    settings: tuple[tuple[str, str], ...]
    table: PlainTable | None


@dataclass(frozen=True)
class Restored:
    """A trained model that answers from b bits of its state: (b, accuracy), the best codebook of each size."""

    mixer: str
    width: int
    steps: int
    points: tuple[tuple[int, float], ...]


def limited_state(folder: Path) -> LimitedState | None:
    """Return the picture from the rows of a folder of results; None if it has no audit of several models on one task."""
    path = folder / AUDITS
    found = audited(read_lines(path)) if path.exists() else None
    if found is None:
        return None
    task, models = found
    needed = task.answer_bits() or 0
    settings = (
        ("task", f"index lookup, N = {task.length}, {count(getattr(task, 'alphabet', 0))} symbols"),
        ("bits of the symbols", count(needed)),
        ("models", f"one layer of width {counts([model.width for model in models])}"),
        ("steps, at most", count(max(model.steps for model in models))),
    )
    path = folder / STATE_BITS
    rows = [RunSummary.of(row) for row in read_rows(path) if row.finished] if path.exists() else []
    return LimitedState(_chart(task, models, needed), settings, limited_models(rows))


def audited(lines: Iterable[str]) -> tuple[Task, list[Restored]] | None:
    """Return the task of the widest models that most audits have in common, and what they answer from few bits."""
    by_task: dict[tuple[Task, int], list[Restored]] = {}
    for record in map(json.loads, lines):
        fields = dict(record["audit"]["task"])
        task = BY_NAME[fields.pop("name")](**fields)
        run: Mapping[str, Any] = record["run"]
        best: dict[int, float] = {}
        for one in record["audit"]["curve"]:
            best[one["bits"]] = max(best.get(one["bits"], 0.0), one["accuracy"])
        restored = Restored(run["layers"][0], run["width"], run["steps"], tuple(sorted(best.items())))
        by_task.setdefault((task, run["width"]), []).append(restored)
    if not by_task:
        return None
    task, width = max(by_task, key=lambda place: (len(by_task[place]), place[0].length, place[1]))
    models = by_task[task, width]
    return (task, models) if len(models) > 1 else None


def _chart(task: Task, models: Sequence[Restored], needed: int) -> Chart:
    most = 16.0 * needed
    limits = [(bits, ceiling(task, bits)) for bits in range(1, round(most) + 1)]
    drawn = [
        (float(bits), limit) for bits, limit in limits if limit is not None and (bits <= 2 * needed or bits == round(most))
    ]
    lines = [
        LineData(CEILING, "", CEILING.title, tuple(drawn)),
        LineData(NEEDED, count(needed), NEEDED.title, ((float(needed), 0.0), (float(needed), 1.0))),
    ]
    for model in models:
        points = tuple((float(bits), accuracy) for bits, accuracy in model.points if 1 <= bits <= most)
        lines.append(LineData(STYLES[model.mixer], "", STYLES[model.mixer].title, points, dots=points))
    at_half = {STYLES[model.mixer].title: dict(model.points).get(needed // 2) for model in models}
    said = "; ".join(f"{name} {percent(accuracy)} %" for name, accuracy in at_half.items() if accuracy is not None)
    half = percent_at_most(ceiling(task, needed // 2))
    ticks = tuple((float(2**power), count(2**power)) for power in range(0, 12, 2) if 2**power <= most)
    return Chart(
        "A state that is too small",
        f"Accuracy over bits of the state, below the proved ceiling, which is {half} % at {needed // 2} bits"
        f"{f' ({said})' if said else ''}.",
        lines=tuple(lines),
        x=Axis(1.0, most, ticks, "bits of the state that is read (logarithmic)", log=True),
        y=Axis(0.0, 1.0, PERCENT),
    )


def limited_models(runs: Sequence[RunSummary]) -> PlainTable | None:
    """Return the best run of each recurrent model whose ceiling is below 100 %; None if there is none."""
    best: dict[tuple[Task, Any], RunSummary] = {}
    for run in runs:
        limit = ceiling(run.task, run.bits_before_the_question)
        if run.recurrent and limit is not None and limit < 1:
            place = (run.task, run.model)
            best[place] = max(best.get(place, run), run, key=by_accuracy)
    rows = [
        TableRow(
            f"{run.model.title} {run.model.size}",
            run.model.slug,
            (
                Entry(count(run.task.length)),
                Entry(count(run.bits_before_the_question)),
                Entry(count(run.task.answer_bits())),
                Entry(percent_at_most(ceiling(run.task, run.bits_before_the_question))),
                Entry(percent(run.accuracy)),
                Entry(count(run.steps)),
            ),
        )
        for run in best.values()
    ]
    columns = ("N", "bits of state", "bits of symbols", "ceiling, %", "accuracy, %", "steps")
    return PlainTable("Trained models whose state is too small", "model", columns, tuple(rows)) if rows else None
