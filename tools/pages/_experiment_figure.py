"""The figure of an experiment's page as SVG, and its caption: accuracy over N, over training steps, or over bits of state."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pages._experiment_rows import floor, settings_that_differ, several_positions
from seqsep.lab.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.captions import USED_BITS
from seqsep.report.experiment_table import states_table
from seqsep.report.figures.chart import Axis, Chart, LineData
from seqsep.report.figures.chart_picture import ChartPicture, PicturePanel, picture_svg
from seqsep.report.figures.picture_file import svg_text
from seqsep.report.figures.used_bits import draw_used_bits
from seqsep.report.formatting import count, percent
from seqsep.report.measured import GOAL, by_accuracy
from seqsep.report.page.curves import PERCENT, UPPER_HALF
from seqsep.report.result_table import Cell, ResultTable
from seqsep.report.sized_model import SizedModel, in_places
from seqsep.report.ticks import round_ticks
from seqsep.tasks import IsTree, Task

Kind = Literal["N", "steps", "bits"]
MOST_LINES = 12
"""If a panel would have more lines, each architecture has one, of its best size."""
LENGTHS_OF_A_LINE = 3
"""From this number of lengths on accuracy is drawn over N, below it over training steps."""
HORIZONTAL = {
    "N": "N (logarithmic)",
    "steps": "training steps",
    "bits": "bits of state (logarithmic)",
}
CAPTIONS = {
    "N": "accuracy over N, a mark for the best run at each N that was trained",
    "steps": "accuracy over training steps of the best run, with other seeds as fainter lines",
    "bits": "accuracy over bits of state, a mark for each model",
}
PANELS = {
    "N": "In a panel with N on the horizontal axis, each mark is the best run of a model at this N.",
    "steps": (
        "In a panel with training steps on the horizontal axis, each curve is the best run of a model at the greatest N. "
        "Fainter curves are the same setting with other seeds."
    ),
    "bits": "In a panel with bits of state on the horizontal axis, each mark is a model.",
}
"""The sentence on each kind of panel in the caption of the page."""
FLOOR = "A second dotted line is the upper limit of the accuracy without any state."
WRITTEN = (
    "For the curves of IsTree, the model reads the right tokens of the chain of thought. "
    "A graph counts as right if the model predicts every token of the thought, and the answer."
)

Line = tuple[str, SizedModel, list[tuple[Task, Cell]]]
"""A name, the model whose style the line has, and its cells."""


def panels(found: ResultTable, by_bits: bool = False) -> dict[str, tuple[Kind, list[Line]]]:
    """Return what each panel draws, by its title: one task without its length, and one kind of positions if they differ."""
    words = settings_that_differ(found.tasks)
    told = several_positions(found.models)
    is_single = len(found.models) == 1
    without = {task for task in found.tasks if _is_vanilla(task)}
    groups: dict[str, dict[Task, dict[SizedModel, Cell]]] = {}
    for (model, task), cell in found.cells.items():
        if task in without and len(without) < len(_trees(found.tasks)):
            continue
        title = ", ".join(part for part in ("" if is_single else words[task], model.position_words if told else "") if part)
        groups.setdefault(title, {}).setdefault(task, {})[model] = cell
    return {title: _panel(tasks, by_bits, words if is_single else {}) for title, tasks in sorted(groups.items())}


def _trees(tasks: Iterable[Task]) -> list[Task]:
    return [task for task in tasks if isinstance(task, IsTree)]


def _is_vanilla(task: Task) -> bool:
    return isinstance(task, IsTree) and task.trace == "vanilla"


def _panel(
    tasks: Mapping[Task, Mapping[SizedModel, Cell]], by_bits: bool, words: Mapping[Task, str]
) -> tuple[Kind, list[Line]]:
    """Return what a panel draws: a line for each model, or for each architecture if there are many or bits are drawn."""
    lengths = {task.length for task in tasks}
    kind: Kind = "bits" if by_bits else "N" if len(lengths) >= LENGTHS_OF_A_LINE else "steps"
    shown = tasks if kind != "steps" else {task: cells for task, cells in tasks.items() if task.length == max(lengths)}
    models = {model for cells in shown.values() for model in cells}
    is_merged = by_bits or len(models) > MOST_LINES
    titles = [model.title for model in models]
    lines: dict[str, Line] = {}
    for task, cells in shown.items():
        for model, cell in sorted(cells.items(), key=lambda item: (item[0].rank[0], item[1].state_bits)):
            name = model.title if is_merged or titles.count(model.title) == 1 else f"{model.title} {model.size}"
            _, _, mine = lines.setdefault(words.get(task) or name, (words.get(task) or name, model, []))
            if is_merged and not by_bits and mine and mine[-1][0] == task:
                mine[-1] = (task, max(mine[-1][1], cell, key=lambda one: by_accuracy(one.best)))
            else:
                mine.append((task, cell))
    return kind, list(lines.values())


def figure_svg(title: str, found: ResultTable, by_bits: bool = False) -> str:
    """Return the picture: a panel for each of `panels`."""
    placed = in_places(found.models)
    charts = []
    for name, (kind, lines) in panels(found, by_bits).items():
        ordered = sorted({cells[0][0] for _, _, cells in lines}, key=lambda task: task.length)
        at = f"N = {ordered[-1].length}" if kind != "N" else ""
        heading = ", ".join(part for part in (name, at) if part)
        meaning = "thought and answer right, %" if kind == "steps" and _trees(ordered) else "accuracy, %"
        charts.append(PicturePanel(heading, meaning, _chart(heading or title, kind, lines, placed)))
    return picture_svg(ChartPicture(title, "Dotted: 99 %, and the best accuracy without any state.", tuple(charts)))


def _chart(title: str, kind: Kind, lines: Sequence[Line], placed: Mapping[SizedModel, SizedModel]) -> Chart:
    place: Callable[[Task, Cell], float] = (
        (lambda task, cell: float(task.length)) if kind == "N" else (lambda task, cell: float(cell.state_bits))
    )
    found = [task for _, _, cells in lines for task, _ in cells]
    data = []
    for name, model, cells in sorted(lines, key=lambda line: line[1].rank):
        last = cells[-1][1]
        style = placed[model].style
        if kind == "steps":
            faint = tuple(run.points for run in last.repeats if run is not last.best)
            data.append(LineData(style, percent(last.best.points[-1][1]), name, last.best.points, faint=faint))
        else:
            points = tuple(sorted((place(task, cell), cell.best.shown_accuracy) for task, cell in cells))
            data.append(LineData(style, percent(points[-1][1]), name, points, dots=points))
    floors = [] if kind == "steps" and _trees(found) else [max(map(floor, found))]
    least = min([height for line in data for _, height in line.points])
    ends = "; ".join(f"{line.name} {line.value} %" for line in data)
    return Chart(
        title,
        f"{title}, {CAPTIONS[kind]}. Last values: {ends}.",
        lines=tuple(data),
        x=_across(kind, [at for line in data for at, _ in line.points]),
        y=Axis(0.45, 1.0, UPPER_HALF) if least >= 0.45 else Axis(0.0, 1.0, PERCENT),
        guides=(GOAL, *floors),
    )


def _across(kind: Kind, values: Sequence[float]) -> Axis:
    low, high = min(values), max(values)
    if kind == "steps":
        return Axis(0.0, high, tuple((tick, count(int(tick))) for tick in round_ticks(high, 4)), HORIZONTAL[kind])
    if kind == "N":
        return Axis(low, high, tuple((one, f"{one:.0f}") for one in sorted(set(values))), HORIZONTAL[kind], log=True)
    ticks = tuple((10.0**power, f"{10**power:,}") for power in range(2, 8) if low <= 10**power <= high)
    return Axis(low, high, ticks, HORIZONTAL[kind], log=True)


def caption(found: ResultTable, by_bits: bool = False) -> str:
    """Return the caption of the picture: what each kind of panel shows."""
    kinds = dict.fromkeys(kind for kind, _ in panels(found, by_bits).values())
    written = WRITTEN if "steps" in kinds and _trees(found.tasks) else FLOOR
    return f"{' '.join(PANELS[kind] for kind in kinds)} One dotted line is at 99 %. {written}"


def states_picture(folder: Path = Path("results")) -> str:
    """Return docs/state-bits.svg; its words are paths, as matplotlib of constraints.txt draws them."""
    experiment = BY_NAME["index-lookup-architectures"]
    rows = read_rows(experiment.rows_file(folder, "state-bits"))
    return svg_text(draw_used_bits(states_table(experiment, rows), USED_BITS))
