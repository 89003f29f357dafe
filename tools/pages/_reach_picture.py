"""docs/reach.svg: up to which length each architecture looks up a symbol, from the committed rows of `reach`."""

from dataclasses import replace
from pathlib import Path

from seqsep.experiments import BY_NAME
from seqsep.lab.row import read_rows
from seqsep.report.figures.picture_file import svg_text
from seqsep.report.figures.reach_picture import draw_reach
from seqsep.report.measured import GOAL
from seqsep.report.numerals import count, listed
from seqsep.report.reach import ReachLine, depth_and_width, experiment_reach, with_learned_positions


def lines_with_positions(folder: Path) -> list[ReachLine]:
    """The architectures with learned positions, by their own names."""
    experiment = BY_NAME["index-lookup-architectures"]
    rows = [row for row in read_rows(experiment.rows_file(folder, "reach")) if row.has_outcome]
    lines = experiment_reach(experiment, rows)
    return [replace(line, name=line.title) for line in with_learned_positions(lines)]


def reach_picture(folder: Path = Path("results")) -> str:
    """docs/reach.svg as text; its words are paths, as matplotlib of constraints.txt draws them."""
    lines = lines_with_positions(folder)
    return svg_text(draw_reach(lines, what_was_tried(lines)))


def what_was_tried(lines: list[ReachLine]) -> str:
    """What the runs that are shown had: steps, who stays below 99 % with fewer than others, sizes, seeds; and the paper's."""
    cells = [(line.name, task.length, cell.best) for line in lines for task, cell in line.cells.items()]
    lengths = sorted({length for _, length, _ in cells})
    most = {length: max(run.steps_allowed for _, other, run in cells if other == length) for length in lengths}
    is_equal = len(set(most.values())) == 1
    ours = (
        count(max(most.values())) if is_equal else listed([f"{count(steps)} at N = {length}" for length, steps in most.items()])
    )
    fewer: dict[tuple[int, int], list[str]] = {}
    for name, length, run in cells:
        if run.steps_allowed < most[length] and run.accuracy < GOAL:
            fewer.setdefault((length, run.steps_allowed), []).append(name)
    left = "".join(f"; {count(steps)} at N = {length}: {listed(names)}" for (length, steps), names in sorted(fewer.items()))
    smallest = min((run.model for _, _, run in cells), key=depth_and_width)
    others = dict.fromkeys((line.name, cell.best.model.size) for line in lines for cell in line.cells.values())
    larger = [f"{name} {size}" for name, size in others if size != smallest.size]
    some = [f"{line.name} {line.some_seeds}" for line in lines if line.some_seeds]
    return (
        f"Steps: at most {ours}{left}. (Layers, width): {smallest.size}{''.join(f', {words}' for words in larger)}. "
        f"{f'99 % under some seeds alone: {listed(some)}. ' if some else ''}The paper's have up to 6 layers of width 256, "
        "250,000 steps, and positions named for its Transformers alone. —: not trained."
    )
