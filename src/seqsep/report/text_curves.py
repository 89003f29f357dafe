"""Accuracy over length of language models that answered in words, from rows of `seqsep text`."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seqsep.lab.row import read_rows
from seqsep.language_models.text.accuracy import LengthAccuracy, accuracies, on_subset
from seqsep.language_models.text.reply import PREFIX, TASKS, Reply
from seqsep.report.figure_files import ShownExperiment, ShownFigure, write_as_data
from seqsep.report.figures.line_styles import DASHES, LINE, SOFT, LineStyle
from seqsep.report.figures.panels import BOTTOM, LEFT, PANEL_HEIGHT, RIGHT, SHEET, TOP
from seqsep.report.figures.sheet import FigureLayout, PanelPlace, draw_sheet
from seqsep.report.formatting import count
from seqsep.report.styles import FILLS, SPARE_MARKERS, STYLES, spare_style

QUESTIONS = {
    "phonebook": "Which models find a number in a phonebook, and up to how many entries?",
    "index": "Which models find a word by its place, and up to how many words?",
    "hotpotqa": "Which models find what a question needs among n paragraphs of HotpotQA?",
}
LENGTHS = {"phonebook": "entries", "index": "words", "hotpotqa": "paragraphs"}
WIDTH = 8.4
ALL_STYLES = [*STYLES.values(), *map(spare_style, range(len(SPARE_MARKERS)))]


def write_text_curves(beside: Path, folder: Path) -> list[ShownExperiment]:
    """Draw the rows of text-TASK.jsonl, those files that there are in `beside`; return what the page shows of them."""
    shown = []
    for task in TASKS:
        path = beside / f"{PREFIX}{task}.jsonl"
        if path.exists():
            replies = [Reply.of_row(row) for row in read_rows(path)]
            figure, caption = draw_text_curves(task, replies)
            source = write_as_data(figure, folder, f"{PREFIX}{task}")
            title = f"accuracy over {LENGTHS[task]}"
            shown.append(ShownExperiment(f"{PREFIX}{task}", QUESTIONS[task], (ShownFigure(source, title, caption),)))
    return shown


def draw_text_curves(task: str, replies: Sequence[Reply]) -> tuple[Figure, str]:
    """Return the figure of one task and its caption. HotpotQA has the replies on the subset."""
    points = accuracies(on_subset(replies) if task == "hotpotqa" else replies)
    lines: dict[tuple[str, str, str], list[LengthAccuracy]] = {}
    for point in points:
        lines.setdefault((point.model.name, point.model.sha256, point.order), []).append(point)
    looks = [_look(place, line) for place, line in enumerate(lines.values())]
    caption = " ".join([_caption(task, points), *(_sizes(line) for line in lines.values())])
    sheet = FigureLayout(
        title=f"Retrieval in text, {task}: accuracy over {LENGTHS[task]}",
        caption=caption,
        looks=looks,
        width=WIDTH,
        height=TOP + PANEL_HEIGHT + BOTTOM,
        places=[PanelPlace(LEFT, BOTTOM, WIDTH - LEFT - RIGHT, PANEL_HEIGHT)],
        style=SHEET,
    )
    figure, (axes,) = draw_sheet(sheet)
    for line, look in zip(lines.values(), looks, strict=True):
        lengths = [point.length for point in line]
        heights = [point.accuracy for point in line]
        errors = [point.standard_error for point in line]
        axes.errorbar(lengths, heights, yerr=errors, **look.line | look.mark, linewidth=1.7, markersize=6, clip_on=False)
    _style(axes, task, points)
    return figure, caption


def _look(place: int, line: Sequence[LengthAccuracy]) -> LineStyle:
    """Return the look of a model in one order of paragraphs."""
    first = line[0]
    style = ALL_STYLES[place % len(ALL_STYLES)]
    return LineStyle(
        label=f"{first.model.name}{f', {first.order}' if first.order else ''}",
        colour=style.light,
        marker=style.marker,
        dashes=DASHES[1 if first.order == "needed-last" else 0],
        fill=FILLS[1 if first.order == "needed-last" else 0],
    )


def _caption(task: str, points: Sequence[LengthAccuracy]) -> str:
    """Return the words for the questions, and their number."""
    asked = sorted({len(point.replies) for point in points}) or [0]
    least = count(asked[0])
    number = least if len(asked) == 1 else f"{least} to {count(asked[-1])}"
    rule = "Questions that every model answers from the 2 paragraphs needed. " if task == "hotpotqa" else ""
    chance = "" if task == "hotpotqa" else " Dotted: chance, the best guess that does not read the question."
    return f"{rule}{number} questions a point; bars are standard errors.{chance}"


def _sizes(line: Sequence[LengthAccuracy]) -> str:
    """Return a model's parameters, and its state bits at the least and the greatest length."""
    model = line[0].model
    bits = [point.state_bits for point in (line[0], line[-1])]
    state = "state not counted" if None in bits else f"state {count(bits[0])} to {count(bits[1])} bits"
    return f"{model.name} ({model.architecture}): {count(model.parameters)} parameters, {state}."


def _style(axes: Axes, task: str, points: Sequence[LengthAccuracy]) -> None:
    chances = {point.length: point.chance for point in points if point.chance is not None}
    if chances:
        axes.plot(sorted(chances), [chances[length] for length in sorted(chances)], color=SOFT, linewidth=0.9, linestyle=":")
    lengths = sorted({point.length for point in points})
    if task != "hotpotqa" and len(lengths) > 1:
        axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [count(length) for length in lengths])
    axes.minorticks_off()
    axes.set_ylim(0.0, 1.02)
    axes.set_yticks((0.0, 0.25, 0.5, 0.75, 1.0), ("0", "25", "50", "75", "100 %"))
    axes.set_xlabel(f"n, {LENGTHS[task]}", fontsize=9.5, color=SOFT)
    axes.tick_params(labelsize=9, colors=SOFT, length=2)
    axes.grid(axis="y", color=LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
